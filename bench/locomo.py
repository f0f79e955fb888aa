"""LoCoMo for measuring: where the file is, which conversations are reported, what was said in them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trace_graph.ingest.importers import locomo
from trace_graph.ingest.importers.lines import Parsed
from trace_graph.models import MessageInput

TUNE = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")
"""Constants may be chosen on these."""
REPORT = ("conv-44", "conv-47", "conv-48", "conv-49", "conv-50")
"""Figures are reported on these. Source: the retrieval study's halves."""
ANSWERABLE = ("1", "2", "3", "4")
"""Categories that are reported together; 5 (adversarial) stands on its own."""

REPOSITORY = Path(__file__).resolve().parents[1]


def default_file() -> Path:
    """`locomo10.json` in the folder of `TRACE_GRAPH_TEST_DATA`."""
    return REPOSITORY / os.environ.get("TRACE_GRAPH_TEST_DATA", "../shared/data") / "locomo" / "locomo10.json"


def messages(file: Path, samples: Sequence[str] | None = None) -> list[MessageInput]:
    """The messages of the samples as they are imported, in the order of the file.

    Raises: NotFound for an unknown sample; InvalidInput where the file is not LoCoMo's.
    """
    return [item.message for item in locomo.read(file, samples) if isinstance(item, Parsed)]
