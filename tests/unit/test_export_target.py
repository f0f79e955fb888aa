"""Where an export is written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from trace_graph.errors import InvalidInput
from trace_graph.maintain.target import Target


def test_a_folder_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a folder"), Target(tmp_path):
        raise AssertionError("it was opened")

    assert list(tmp_path.parent.glob(".*.part")) == []
