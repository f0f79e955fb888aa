"""Which memory a command works on, and that it is said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from trace_graph.cli.global_options import GlobalOptions
from trace_graph.cli.output import remark

if TYPE_CHECKING:
    from trace_graph.config import Settings
    from trace_graph.memory import Memory


LOG_FORMAT = "%(levelname)s %(name)s: %(message)s"


def settings_of(options: GlobalOptions) -> Settings:
    """The settings that arguments, environment and file give.

    Raises: ConfigError naming the option, the variable or the key.
    """
    from trace_graph.config import load_settings

    return load_settings(uri=options.uri, shown_as={"uri": "--uri"})


def set_up_logging(options: GlobalOptions) -> None:
    """Log with --debug only: what the driver logs while it tries again is no sentence; a failure itself is reported."""
    import logging

    logging.basicConfig(level=logging.DEBUG if options.debug else logging.CRITICAL, format=LOG_FORMAT)
    if options.debug:
        for name in ("neo4j", "openai", "httpx2", "httpcore2"):  # in detail they log what messages say
            logging.getLogger(name).setLevel(logging.INFO)


@asynccontextmanager
async def memory_of(options: GlobalOptions) -> AsyncIterator[Memory]:
    """The memory that arguments and settings name, closed at the end; its address is said on stderr.

    Raises: ConfigError.
    """
    from trace_graph.memory import Memory

    set_up_logging(options)
    settings = settings_of(options)
    remark(options, f"using {settings.target}")
    async with Memory(settings=settings, door="cli") as memory:
        yield memory
