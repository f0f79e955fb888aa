"""What models proved able to do, as it is kept and read again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from trace_graph.llm.forms import Forms, Proved

KNOWN = Proved("m", "h:1", "json", datetime(2026, 5, 1, tzinfo=UTC), "It refused a schema.")


def test_what_was_kept_is_read_again() -> None:
    assert Forms.from_json(Forms([KNOWN]).as_json()).all() == [KNOWN]


@pytest.mark.parametrize("entry", [
    {}, {"model": "m"}, {**Forms([KNOWN]).as_json()[0], "at": "soon"}, {**Forms([KNOWN]).as_json()[0], "form": "xml"},
    {**Forms([KNOWN]).as_json()[0], "later": 1}])
def test_what_another_version_wrote_is_found_out_again(entry: dict[str, Any]) -> None:
    assert Forms.from_json([entry]).all() == []
