"""LoCoMo for measuring: where the file is, what was said in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trace_graph.ingest.importers import locomo
from trace_graph.ingest.importers.lines import Parsed
from trace_graph.models import MessageInput

REPOSITORY = Path(__file__).resolve().parents[1]


def default_file() -> Path:
    """`locomo10.json` in the folder of `TRACE_GRAPH_TEST_DATA`."""
    return REPOSITORY / os.environ.get("TRACE_GRAPH_TEST_DATA", "../shared/data") / "locomo" / "locomo10.json"


def messages(file: Path, samples: Sequence[str] | None = None) -> list[MessageInput]:
    """The messages of the samples as they are imported, in the order of the file.

    Raises: NotFound for an unknown sample; InvalidInput where the file is not LoCoMo's.
    """
    return [item.message for item in locomo.read(file, samples) if isinstance(item, Parsed)]
