"""Where segments are filed, and that the tree keeps its shape whatever comes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_graph.errors import Refused, StoreFailed
from trace_graph.models.ids import MessageId, TopicId
from trace_graph.organize.plan import plan
from trace_graph.organize.segments import cut
from trace_graph.organize.values import (
    Decision,
    FiledMessage,
    FiledSegment,
    MissingContents,
    NewTopic,
    Placement,
    Plan,
    Segment,
    SegmentId,
    ShapeSettings,
    TopicState,
    WaitingMessage,
)
from trace_graph.organize.vectors import vector_total

START = datetime(2024, 5, 1, 9, tzinfo=UTC)
ROOT = TopicId("root")
SMALL = ShapeSettings(max_children=3, max_segments=3, max_depth=3, min_split_children=2, min_split_segments=2,
                      min_turns=1, max_turns=2)


@dataclass
class Space:
    """A space in memory: what the database would hold, and what the caller of `plan` does."""

    shape: ShapeSettings = field(default_factory=ShapeSettings)
    dimension: int = 4
    tree: dict[TopicId, TopicState] = field(default_factory=dict)
    filed: dict[SegmentId, list[FiledMessage]] = field(default_factory=lambda: defaultdict(list))
    place: dict[MessageId, tuple[TopicId, SegmentId]] = field(default_factory=dict)
    last: dict[str, SegmentId] = field(default_factory=dict)
    plans: list[Plan] = field(default_factory=list)
    asked: list[tuple[TopicId, ...]] = field(default_factory=list)
    ids: int = 0
    step: int = 1

    def __post_init__(self) -> None:
        self.tree[ROOT] = TopicState(ROOT, None, 0, np.zeros(self.dimension))

    def new_id(self) -> str:
        self.ids += self.step
        return f"id-{self.ids % 1_000_000:06d}"

    def segment(self, segment: SegmentId) -> FiledSegment:
        messages = tuple(self.filed[segment])
        return FiledSegment(segment, self.place[messages[0].id][0], messages)

    def contents(self, topic: TopicId) -> list[FiledSegment]:
        return [self.segment(one) for one in sorted({part for leaf, part in self.place.values() if leaf == topic})]

    def organize(self, waiting: Sequence[WaitingMessage]) -> Plan:
        mean = np.zeros(self.dimension)
        tails = {name: self.segment(part) for name, part in self.last.items()}
        segments = cut(waiting, tails, mean, self.new_id, settings=self.shape)
        contents: dict[TopicId, list[FiledSegment]] = {}
        while isinstance(found := plan(self.tree, segments, contents, mean, self.new_id, settings=self.shape),
                         MissingContents):
            assert not set(found.topics) & set(contents)
            self.asked.append(found.topics)
            contents |= {topic: self.contents(topic) for topic in found.topics}
        self.apply(found, segments)
        return found

    def apply(self, found: Plan, segments: Iterable[Segment]) -> None:
        for moved in found.moved:
            assert self.place[moved.message] == (moved.old_topic, moved.segment)
            self.place[moved.message] = (moved.topic, moved.segment)
        for placed in found.placements:
            assert placed.message not in self.place
            self.place[placed.message] = (placed.topic, placed.segment)
        for segment in segments:
            self.filed[segment.id] += [FiledMessage(one.id, one.vector, one.occurred_at) for one in segment.messages]
            self.last[segment.session] = segment.id
        self.check_moves(found)
        self.tree |= found.states
        self.plans.append(found)

    def check_moves(self, found: Plan) -> None:
        for topic in found.new_topics:
            assert topic.id not in self.tree and topic.id in found.states
        changed = {topic for topic, state in found.states.items()
                   if topic in self.tree and self.tree[topic].parent != state.parent}
        assert {move.topic for move in found.topic_moves} == changed
        for move in found.topic_moves:
            assert (self.tree[move.topic].parent, found.states[move.topic].parent) == (move.old_parent, move.new_parent)

    def check(self) -> None:
        children = defaultdict(list)
        for state in self.tree.values():
            if state.parent is not None:
                children[state.parent].append(state)
                assert state.depth == self.tree[state.parent].depth + 1
        held: dict[TopicId, set[SegmentId]] = defaultdict(set)
        for leaf, segment in self.place.values():
            held[leaf].add(segment)
        assert set(held) == {topic for topic in self.tree if topic != ROOT and not children[topic]}
        assert len({self.tree[leaf].depth for leaf in held}) <= 1
        for topic, state in self.tree.items():
            assert state.depth <= self.shape.max_depth
            assert state.child_count == len(children[topic]) <= self.shape.max_children
            if topic in held:
                self.check_leaf(state, held[topic])
            else:
                below = children[topic]
                assert_totals(state, [(one.vector_sum, one.vector_count, one.message_count, one.segment_count,
                                       one.last_message_at) for one in below])

    def check_leaf(self, state: TopicState, segments: set[SegmentId]) -> None:
        messages = [one for segment in segments for one in self.filed[segment]]
        assert all(self.place[one.id][0] == state.id for one in messages), "a segment lies in one leaf"
        assert len(segments) <= self.shape.max_segments and len(messages) <= self.shape.max_messages
        assert_totals(state, [(vector_total([one.vector] if one.vector is not None else [], self.dimension),
                               int(one.vector is not None), 1, 0, one.occurred_at) for one in messages],
                      segments=len(segments))


def assert_totals(
    state: TopicState, parts: list[tuple[np.ndarray, int, int, int, datetime | None]], segments: int = 0,
) -> None:
    sums, vectors, messages, below, times = zip(*parts, strict=True) if parts else ((), (), (), (), ())
    assert np.allclose(state.vector_sum, sum(sums, np.zeros(len(state.vector_sum))), atol=1e-9)
    assert (state.vector_count, state.message_count, state.segment_count, state.last_message_at) == (
        sum(vectors), sum(messages), sum(below) + segments, max(times, default=None))


def message(number: int, vector: Sequence[float] | None, session: str = "s") -> WaitingMessage:
    unit = None if vector is None else (np.array(vector) / np.linalg.norm(vector)).astype(np.float32)
    return WaitingMessage(MessageId(f"m{number:05d}"), session, number, "Ann", "text", unit,
                          START + timedelta(minutes=number))


def talk(axis: int, count: int, first: int, session: str = "s") -> list[WaitingMessage]:
    return [message(first + place, list(np.eye(4)[axis]), session) for place in range(count)]


def test_the_first_segment_opens_a_topic_below_the_root() -> None:
    space = Space()

    found = space.organize(talk(0, 3, 1))

    opened = Decision("new topic")
    assert found.new_topics == (NewTopic(TopicId("id-000002"), ROOT, "new topic"),)
    assert found.placements == tuple(
        Placement(MessageId(f"m{number:05d}"), TopicId("id-000002"), SegmentId("id-000001"), opened)
        for number in (1, 2, 3))
    assert (found.topic_moves, found.moved, found.stale) == ((), (), ("id-000002", ROOT))
    space.check()


def test_what_is_near_is_filed_there_and_what_is_not_opens_a_topic_beside() -> None:
    space = Space()
    space.organize(talk(0, 3, 1))
    space.organize(talk(1, 3, 11, "t"))

    found = space.organize(talk(0, 3, 21, "u"))

    first, second = space.plans[0].new_topics[0].id, space.plans[1].new_topics[0].id
    assert space.plans[1].placements[0].decision == Decision("new topic", 0.0, 0.12, first)
    assert {(placed.topic, placed.decision) for placed in found.placements} == {
        (first, Decision("near", 1.0, 1.0, second))}
    assert set(found.states) == {first, ROOT}
    space.check()


def test_a_turn_that_continues_a_segment_joins_its_topic() -> None:
    space = Space()
    space.organize(talk(0, 3, 1))

    found = space.organize(talk(0, 1, 4))

    [placed] = found.placements
    assert (placed.topic, placed.segment, placed.decision) == (
        space.plans[0].new_topics[0].id, space.plans[0].placements[0].segment, Decision("continuation"))
    space.check()


def test_a_segment_filed_too_early_moves_when_it_has_grown() -> None:
    space = Space()
    space.organize(talk(0, 3, 1, "a"))
    space.organize(talk(1, 3, 11, "b"))
    space.organize([message(21, [1, 0.9, 0, 0], "c")])

    found = space.organize([message(22, [0, 1, 0, 0], "c"), message(23, [0, 1, 0, 0], "c")])

    first, second = space.plans[0].new_topics[0].id, space.plans[1].new_topics[0].id
    assert [(moved.message, moved.old_topic, moved.topic, moved.decision.reason) for moved in found.moved] == [
        ("m00021", first, second, "grown")]
    assert {(placed.topic, placed.decision.reason) for placed in found.placements} == {(second, "grown")}
    assert space.asked == [(first,)]
    space.check()


def test_words_the_embedder_does_not_know_lie_with_what_was_said_before() -> None:
    space = Space()
    space.organize(talk(0, 3, 1, "a"))
    space.organize(talk(1, 3, 11, "b"))

    found = space.organize([replace(message(4, None, "a"), occurred_at=START + timedelta(days=1))])

    [placed] = found.placements
    assert (placed.topic, placed.decision) == (space.plans[0].new_topics[0].id, Decision("no vector"))
    space.check()


def test_that_also_holds_for_what_was_said_in_the_same_batch() -> None:
    space = Space()
    evening = [replace(message(number, None, "a"), occurred_at=START + timedelta(hours=9)) for number in (4, 5, 6)]

    found = space.organize([*talk(0, 3, 1, "a"), *talk(1, 3, 11, "b"), *evening])

    topics = {placed.message: placed.topic for placed in found.placements}
    assert topics["m00004"] == topics["m00001"] != topics["m00011"]
    assert space.tree[topics["m00001"]].message_count == 6


def test_an_older_message_does_not_turn_the_clock_of_its_topic_back() -> None:
    space = Space()
    space.organize(talk(0, 3, 500))

    space.organize(talk(0, 3, 1, "older"))

    leaf = space.plans[0].new_topics[0].id
    assert {space.tree[topic].last_message_at for topic in (leaf, ROOT)} == {START + timedelta(minutes=502)}
    space.check()


def test_an_overfull_leaf_splits_and_the_larger_half_keeps_its_id() -> None:
    space = Space(shape=ShapeSettings(threshold=-1.0))
    for number in range(12):
        space.organize(talk(0 if number < 8 else 1, 3, 10 * number, f"s{number}"))
    leaf = space.plans[0].new_topics[0].id

    found = space.organize(talk(1, 3, 500, "last"))

    [other] = found.new_topics
    assert (other.parent, other.reason) == (ROOT, "split")
    assert space.asked == [(leaf,)]
    assert {(moved.old_topic, moved.topic, moved.decision.reason) for moved in found.moved} == {
        (leaf, other.id, "split")}
    assert (found.states[leaf].segment_count, found.states[other.id].segment_count) == (8, 5)
    assert {(placed.topic, placed.decision) for placed in found.placements} == {
        (other.id, Decision("split", 1.0, 1.0, leaf))}
    space.check()


def test_ten_more_messages_in_a_large_space_touch_their_topics_and_those_above_only() -> None:
    space = Space()
    rng = np.random.default_rng(7)
    space.organize([message(number, list(rng.normal(size=4)), f"s{number // 10}") for number in range(3000)])
    before = dict(space.tree)

    found = space.organize([message(9000 + number, [1, 0.2, 0.1, 0], "new") for number in range(10)])

    leaves = {placed.topic for placed in found.placements}
    above = set()
    for leaf in leaves:
        topic: TopicId | None = leaf
        while topic is not None:
            above.add(topic)
            topic = space.tree[topic].parent
    assert found.new_topics == ()
    assert set(found.states) == set(found.stale) == above
    assert len(above) < 10 < 80 < len(before)
    space.check()


def test_the_deepest_level_is_rebalanced_and_a_full_tree_refuses() -> None:
    space = Space(shape=replace(SMALL, max_turns=2, max_depth=2, gap=timedelta(0)))
    rng = np.random.default_rng(3)

    with pytest.raises(Refused, match="as many segments as its tree"):
        for number in range(100):
            space.organize([message(number, list(rng.normal(size=4)), f"s{number}")])

    reasons = {placed.decision.reason for found in space.plans for placed in found.placements}
    assert len(space.place) == 3 * 3 * 3
    assert "rebalance" in reasons
    space.check()


def test_topics_that_make_no_tree_are_refused() -> None:
    stray = TopicState(TopicId("a"), TopicId("gone"), 1, np.zeros(4))
    root = TopicState(ROOT, None, 0, np.zeros(4))

    with pytest.raises(StoreFailed, match="do not make one tree"):
        plan({ROOT: root, stray.id: stray}, [], {}, np.zeros(4), str)


def test_nothing_waiting_changes_nothing() -> None:
    space = Space()
    space.organize(talk(0, 3, 1))

    assert plan(space.tree, [], {}, np.zeros(4), space.new_id) == Plan()


vectors = st.one_of(
    st.none(),
    st.sampled_from([(1.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)]),
    st.tuples(*[st.floats(-1, 1, width=16)] * 4).filter(lambda one: sum(part * part for part in one) > 0.01))
batches = st.lists(
    st.lists(st.tuples(st.integers(0, 3), vectors), min_size=1, max_size=20), min_size=1, max_size=12)


def organized(shape: ShapeSettings, given_batches: list[list[tuple[int, tuple[float, ...] | None]]]) -> Space:
    space = Space(shape=shape)
    number = 0
    for batch in given_batches:
        waiting = []
        for session, vector in batch:
            number += 1
            waiting.append(message(number, vector, f"s{session}"))
        space.organize(waiting)
        space.check()
    assert len(space.place) == number
    return space


@settings(max_examples=60, deadline=None)
@given(batches)
def test_shape_and_counts_hold_whatever_comes(
    given_batches: list[list[tuple[int, tuple[float, ...] | None]]],
) -> None:
    shape = ShapeSettings(max_children=3, max_segments=3, max_depth=6, min_split_children=2, min_split_segments=1,
                          min_turns=2, max_turns=4)

    first, again = organized(shape, given_batches), organized(shape, given_batches)

    assert first.place == again.place
    assert [found.placements for found in first.plans] == [found.placements for found in again.plans]


def test_other_ids_give_the_same_tree() -> None:
    rng = np.random.default_rng(5)
    messages = [message(number, list(rng.normal(size=4)), f"s{number // 11}") for number in range(600)]
    groups = []
    for step in (1, -1):
        space = Space(step=step)
        for start in range(0, 600, 60):
            space.organize(messages[start:start + 60])
        held = defaultdict(set)
        for one, (leaf, _) in space.place.items():
            held[leaf].add(one)
        groups.append({frozenset(part) for part in held.values()})

    assert groups[0] == groups[1]
    assert len(groups[0]) > 10


@pytest.mark.parametrize("kind", ["random", "identical", "unknown", "opposite"])
@pytest.mark.parametrize(("size", "total"), [(7, 700), (400, 3000), (3000, 3000)])
def test_shape_and_counts_hold_for_thousands_of_messages(kind: str, size: int, total: int) -> None:
    rng = np.random.default_rng(11)
    rows: dict[str, list[Sequence[float] | None]] = {
        "random": [list(row) for row in rng.normal(size=(3000, 4))],
        "identical": [[1.0, 0.0, 0.0, 0.0]] * 3000,
        "unknown": [None] * 3000,
        "opposite": [[(-1.0) ** (number // 3), 0.0, 0.0, 0.0] for number in range(3000)],
    }
    space = Space()
    messages = [message(number, row, f"s{number // 11}") for number, row in enumerate(rows[kind][:total])]

    for start in range(0, len(messages), size):
        space.organize(messages[start:start + size])

    assert len(space.place) == total
    space.check()
