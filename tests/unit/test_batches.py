"""Rows are cut into batches that every server takes, and none is lost or moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.store import batches as module
from trace_graph.store.batches import batches


@given(st.lists(st.integers(0, 40), max_size=30))
def test_rows_keep_their_order_and_no_batch_is_too_large_unless_it_is_one_row(sizes: list[int]) -> None:
    rows = [{"n": "x" * size} for size in sizes]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "LARGEST_BATCH", 50)
        found = list(batches(rows))

    assert [row for batch in found for row in batch] == rows
    assert all(len(batch) == 1 or sum(1 + len(str(row["n"])) for row in batch) <= 50 for batch in found)
    assert all(found)


@pytest.mark.parametrize(("row", "size"), [
    ({"a": "xy"}, 3), ({"a": "é"}, 3), ({"a": [0.5, 0.5]}, 19), ({"a": {"bc": 1}}, 12), ({"a": ["xy", "z"]}, 4),
    ({"a": None}, 10), ({"a": []}, 1)])
def test_a_row_weighs_what_it_takes_on_the_wire(
    monkeypatch: pytest.MonkeyPatch, row: dict[str, object], size: int
) -> None:
    monkeypatch.setattr(module, "LARGEST_BATCH", 2 * size)
    assert list(batches([row, row, row])) == [[row, row], [row]]
    monkeypatch.setattr(module, "LARGEST_BATCH", 2 * size - 1)
    assert list(batches([row, row, row])) == [[row], [row], [row]]


def test_no_rows_are_no_batch() -> None:
    assert list(batches([])) == []
