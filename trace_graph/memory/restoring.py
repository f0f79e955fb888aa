"""Restoring an export: what must hold before its first record is written."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast

from trace_graph.embed.fingerprint import Fingerprint
from trace_graph.errors import UsageError
from trace_graph.maintain.lines import FORMAT, Header
from trace_graph.maintain.reading_exports import is_export, verify
from trace_graph.maintain.restoring import Restore
from trace_graph.memory.opening import Opening
from trace_graph.models import ImportReport, NewId, Progress
from trace_graph.store.ledger import Actor
from trace_graph.store.vector_graphs import build_vector_graphs
from trace_graph.text.rules import space_name


def to_restore(path: Path | str | BinaryIO, format: str) -> bool:
    """Whether a file is an export, or is said to be one."""
    source = Path(path) if isinstance(path, str) else path
    if format != "auto":
        return format == FORMAT
    return (isinstance(source, Path) or source.seekable()) and is_export(source)


def refuse_options(samples: Sequence[str] | None) -> None:
    """Raises: UsageError for what an export has not."""
    if samples:
        raise UsageError("An export holds one space and no samples.", fix="Leave out --sample.")


async def restore_file(
    opening: Opening, path: Path | str | BinaryIO, *, space: str | None, actor: Actor,
    clock: Callable[[], datetime], new_id: NewId, progress: Progress | None,
) -> ImportReport:
    """Check a file, then restore the space it holds. Nothing is opened or created for a file that is not whole.

    Raises: InvalidInput, NotFound, Refused, EmbedderMismatch, SchemaTooNew, Conflict, and what storing raises.
    """
    with ExitStack() as stack:
        source = Path(path) if isinstance(path, str) else path
        if not isinstance(source, Path) and not source.seekable():
            copy = stack.enter_context(tempfile.TemporaryFile())
            await asyncio.to_thread(shutil.copyfileobj, source, copy)
            copy.seek(0)
            source = cast(BinaryIO, copy)
        verified = await asyncio.to_thread(verify, source)
        name = space_name(space if space is not None else verified.header.space_name)
        opened = await opening.for_writing()
        await opened.embedder.ready_for(_fingerprint(verified.header))
        report = await Restore(opened.store, source, verified, name, actor, clock, new_id, progress).run()
        await build_vector_graphs(opened.store)
        return report


def _fingerprint(header: Header) -> Fingerprint | None:
    if header.embedder is None:
        return None
    return Fingerprint(header.embedder["name"], header.embedder["dimension"], header.embedder["probe"])
