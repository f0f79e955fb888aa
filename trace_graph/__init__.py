"""Long-term memory for AI agents in a graph database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trace_graph.version import VERSION as __version__

__all__ = ["Memory", "MessageInput", "Settings", "TraceGraphError", "__version__"]

if TYPE_CHECKING:
    from trace_graph.config import Settings
    from trace_graph.errors import TraceGraphError
    from trace_graph.memory import Memory
    from trace_graph.models import MessageInput

_HOMES = {
    "Memory": "trace_graph.memory",
    "MessageInput": "trace_graph.models",
    "Settings": "trace_graph.config",
    "TraceGraphError": "trace_graph.errors",
}


def __getattr__(name: str) -> Any:
    # Pydantic and the driver take a third of a second to load: not before they are used.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
