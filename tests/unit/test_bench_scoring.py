"""The measurements of bench/, against examples worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from bench.large_store import copied
from bench.misfile import MISFILED, scattered
from bench.misfiled import AS_FILED, document
from bench.misfiled import MISFILED as LATER
from bench.stopwatch import Stopwatch
from tests.unit.bench_rows import row
from trace_graph.models import MessageId, MessageInput, TopicId
from trace_graph.organize.values import FiledMessage, FiledSegment, MovedPlacement, SegmentId, TopicState


def test_what_misfiling_costs_is_told_with_its_interval() -> None:
    filed = [row("q1", "4", product=1), row("q2", "4", product=3), row("q3", "5", product=1)]
    moved = [row("q1", "4", product=11), row("q2", "4", product=11), row("q3", "5", product=None)]

    measured = document({AS_FILED: filed, LATER: moved})

    assert measured["misfiled - as filed, R@10"] == {"difference": -1.0, "low": -1.0, "high": -1.0}
    assert {state: {name: one["R@10"] for name, one in by.items()} for state, by in measured["figures"].items()} == {
        "as filed": {"1-4": 1.0, "4": 1.0, "5": 1.0}, "misfiled": {"1-4": 0.0, "4": 0.0, "5": 0.0}}


def test_copies_of_messages_have_other_ids_other_sessions_and_a_number() -> None:
    said = [MessageInput(text=text, external_id=id, session="s") for text, id in (("a", "1"), ("b", "2"))]

    assert [(copy.text, copy.external_id, copy.session) for copy in copied(said, 3)] == [
        ("a", "0:1", "0/s"), ("b", "0:2", "0/s"), ("a (1)", "1:1", "1/s")]


def leaf(name: str, segments: int) -> list[FiledSegment]:
    return [
        FiledSegment(SegmentId(f"{name}-{number}"), TopicId(name), (
            FiledMessage(MessageId(f"{name}-{number}-m"), np.array([1.0, 0.0], np.float32), at(number)),))
        for number in range(segments)]


def at(hour: int) -> datetime:
    return datetime(2026, 1, 1, hour, tzinfo=UTC)


def state(name: str, count: int, parent: str | None = "root", children: int = 0) -> TopicState:
    return TopicState(
        TopicId(name), TopicId(parent) if parent else None, 0 if parent is None else 1, np.array([float(count), 0.0]),
        count, count, count, children, at(count - 1))


def test_half_of_the_segments_are_moved_to_other_leaves_and_the_counts_follow() -> None:
    contents = {TopicId("a"): leaf("a", 4), TopicId("b"): leaf("b", 2)}
    tree = {TopicId(one.id): one for one in (state("root", 6, None, 2), state("a", 4), state("b", 2))}
    plan = scattered(tree, contents, np.zeros(2), share=0.5, seed=1)
    from_a = sum(move.old_topic == "a" for move in plan.moved)

    assert len(plan.moved) == 3
    assert {(move.old_topic, move.topic) for move in plan.moved} <= {("a", "b"), ("b", "a")}
    assert {move.decision for move in plan.moved} == {MISFILED}
    counts = {topic: (one.message_count, one.segment_count) for topic, one in plan.states.items()}
    change = 3 - 2 * from_a
    assert counts == {"root": (6, 6), "a": (4 + change, 4 + change), "b": (2 - change, 2 - change)}
    assert plan.stale == ("a", "b", "root")
    assert scattered(tree, contents, np.zeros(2), share=0.5, seed=1).moved == plan.moved


def test_a_single_leaf_leaves_nowhere_to_misfile_to() -> None:
    moved: tuple[MovedPlacement, ...] = scattered(
        {TopicId("root"): state("root", 2, None, 1), TopicId("a"): state("a", 2)}, {TopicId("a"): leaf("a", 2)},
        np.zeros(2), share=0.5, seed=0).moved

    assert moved == ()


class Ticking:
    """A clock of which each reading is one second later."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Worker:
    """What the stopwatch wraps."""

    def outer(self) -> str:
        return self.inner()

    def inner(self) -> str:
        return "done"


def test_overlapping_calls_of_one_stage_count_once_and_everything_is_put_back() -> None:
    originals = dict(vars(Worker))
    stopwatch = Stopwatch(Ticking())
    stopwatch.wrap(Worker, "outer", "embed")
    stopwatch.wrap(Worker, "inner", "embed")

    assert Worker().outer() == "done"
    assert stopwatch.parts("add", total=2.0, calls=2) == {
        "space": 0.0, "prepare": 0.0, "embed": 500.0, "database": 0.0, "rest": 500.0, "of it, database": 0.0}
    stopwatch.__exit__(None, None, None)
    assert dict(vars(Worker)) == originals


def test_every_stage_of_the_library_is_where_the_stopwatch_looks_for_it() -> None:
    with Stopwatch() as stopwatch:
        assert stopwatch.parts("recall", total=1.0, calls=1)["rest"] == 1000.0
