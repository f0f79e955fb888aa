"""Small, what bench/ measures whole: mis-filing changes no ranking, large spaces do not harm a small one, walks add."""

from __future__ import annotations

import pytest

from bench.guided import document, measure
from bench.locomo import default_file
from bench.misfile import misfile
from bench.small_space import ALLOWED, compare
from tests.store.conftest import Run
from tests.store.talk import SUBJECTS, conversation
from trace_graph.bench.datasets import Selection
from trace_graph.config import Settings
from trace_graph.memory import Memory

pytestmark = pytest.mark.each_release

BESIDE = 5_000


def test_half_of_the_segments_misfiled_change_no_ranking(
    settings: Settings, memory: Memory, run: Run, space: str
) -> None:
    async def rankings() -> list[list[str]]:
        return [
            [item.id for item in (await memory.recall(words[1], space=space, limit=20)).items]
            for words in SUBJECTS.values()]

    async def trial() -> tuple[int, list[list[str]], list[list[str]]]:
        await memory.add_many(conversation(), space=space)
        await memory.organize(space=space)
        before = await rankings()
        moved = await misfile(settings, space, share=0.5, seed=0)
        await memory.organize(space=space)
        return moved, before, await rankings()

    moved, before, after = run(trial())

    assert moved > 0
    assert after == before


@pytest.mark.skipif(not default_file().exists(), reason="no locomo10.json: set TRACE_GRAPH_TEST_DATA to its folder")
def test_a_small_space_beside_5000_messages_finds_what_it_finds_alone(settings: Settings, run: Run) -> None:
    compared = run(compare(settings, default_file(), BESIDE, ["conv-48"]))

    assert compared.alone.questions == 32
    assert compared.alone.r10 > 0.8
    assert abs(compared.change) <= ALLOWED


@pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)  # what is measured is the blending
@pytest.mark.skipif(not default_file().exists(), reason="no locomo10.json: set TRACE_GRAPH_TEST_DATA to its folder")
def test_a_right_walk_adds_a_wrong_one_costs_little_and_what_it_missed_is_named(
    settings: Settings, run: Run
) -> None:
    selection = Selection("locomo", default_file(), ("conv-30",), questions=15)

    found = document(run(measure(settings, selection)))

    flat = found["perfect"]["by share"]["0.0"]
    assert found["perfect"]["recalled"] >= flat
    assert {kind: found[kind]["recalled"] >= flat - 0.05 for kind in ("wrong", "wrong and alike")} == {
        "wrong": True, "wrong and alike": True}
    assert [found[kind]["of that, recovered"] for kind in ("perfect", "wrong", "wrong and alike")] == [1.0, 1.0, 1.0]
    assert found["wrong"]["found outside the walk"] == pytest.approx(found["wrong"]["recalled"])
