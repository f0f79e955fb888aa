"""The library's front door."""

from trace_graph.memory.door import Memory

__all__ = ["Memory"]
