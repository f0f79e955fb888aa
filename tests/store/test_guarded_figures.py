"""No change of the ranking may let the guarded figures fall: the sample always, conv-44 where the data is present."""

from __future__ import annotations

import pytest

from bench.guard import committed_figures, fallen, measure, selections
from tests.store.conftest import Run
from trace_graph.config import Settings

SELECTIONS = selections()


# Its own engine is used, and one is enough: that the engines agree is measured elsewhere.
@pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)
@pytest.mark.parametrize("name", ["sample", "conv-44"])
def test_r10_does_not_fall_by_more_than_a_hundredth(name: str, settings: Settings, run: Run) -> None:
    """Where a figure rose, or fell for a good reason: python -m bench.guard --write."""
    if name not in SELECTIONS:
        pytest.skip("no locomo10.json: set TRACE_GRAPH_TEST_DATA to its folder")

    measured = run(measure(SELECTIONS[name], settings))

    assert fallen(committed_figures()[name], measured) is None
