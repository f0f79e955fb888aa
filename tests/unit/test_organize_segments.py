"""Where sessions are cut."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_graph.errors import ConfigError
from trace_graph.models.ids import MessageId, NewId, TopicId
from trace_graph.organize.segments import cut
from trace_graph.organize.values import (
    FiledMessage,
    FiledSegment,
    Segment,
    SegmentId,
    ShapeSettings,
    WaitingMessage,
)

START = datetime(2024, 5, 1, 9, tzinfo=UTC)
NO_MEAN = np.zeros(4)


def numbered() -> NewId:
    numbers = count(1)
    return lambda: f"segment-{next(numbers)}"


def vector(axis: int | None) -> np.ndarray | None:
    return None if axis is None else np.eye(4, dtype=np.float32)[axis]


def message(
    seq: int, axis: int | None, session: str = "s", *, at: datetime | None = None,
) -> WaitingMessage:
    when = at or START + timedelta(minutes=seq)
    return WaitingMessage(MessageId(f"{session}{seq:04d}"), session, seq, "Ann", "text", vector(axis), when)


def talk(axes: Sequence[int | None], first: int = 1) -> list[WaitingMessage]:
    return [message(first + place, axis) for place, axis in enumerate(axes)]


def filed(axes: Sequence[int | None]) -> FiledSegment:
    messages = tuple(FiledMessage(one.id, one.vector, one.occurred_at) for one in talk(axes))
    return FiledSegment(SegmentId("tail"), TopicId("t"), messages)


def seqs(segments: Sequence[Segment]) -> list[list[int]]:
    return [[one.seq for one in segment.messages] for segment in segments]


def test_a_session_is_cut_where_the_subject_changes() -> None:
    segments = cut(talk([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]), {}, NO_MEAN, numbered())

    assert seqs(segments) == [[1, 2, 3, 4], [5, 6, 7], [8, 9, 10, 11]]
    assert [segment.id for segment in segments] == ["segment-1", "segment-2", "segment-3"]


def test_a_subject_that_goes_on_is_cut_at_the_largest_size() -> None:
    assert [len(segment.messages) for segment in cut(talk([0] * 20), {}, NO_MEAN, numbered())] == [5, 5, 5, 5]


def test_a_silence_of_hours_ends_a_segment_however_short() -> None:
    later = START + timedelta(hours=7)

    segments = cut([message(1, 0), message(2, 0, at=later)], {}, NO_MEAN, numbered())

    assert seqs(segments) == [[1], [2]]


def test_sessions_are_apart_and_come_in_order_of_time() -> None:
    talks = [message(1, 0, "b"), message(1, 0, "a", at=START), message(2, 0, "b")]

    segments = cut(talks, {}, NO_MEAN, numbered())

    assert [(segment.session, [one.seq for one in segment.messages]) for segment in segments] == [
        ("a", [1]), ("b", [1, 2])]


def test_the_next_turn_joins_the_open_segment_of_its_session() -> None:
    tail = filed([0, 0])

    [segment] = cut([message(3, 0)], {"s": tail}, NO_MEAN, numbered())

    assert (segment.id, segment.joins, segment.after, seqs([segment])) == ("tail", True, tail, [[3]])


def test_a_change_of_subject_does_not_join() -> None:
    tail = filed([0, 0, 0])

    [segment] = cut([message(4, 1)], {"s": tail}, NO_MEAN, numbered())

    assert (segment.id, segment.joins, segment.after) == ("segment-1", False, tail)


def test_a_segment_of_fewer_turns_than_the_least_takes_in_what_follows() -> None:
    [segment] = cut([message(3, 1)], {"s": filed([0, 0])}, NO_MEAN, numbered())

    assert segment.joins


def test_a_full_segment_takes_no_more() -> None:
    [segment] = cut([message(9, 0)], {"s": filed([0] * 8)}, NO_MEAN, numbered())

    assert (segment.joins, segment.id) == (False, "segment-1")


def test_a_change_just_out_of_reach_of_the_open_segment_is_met_halfway() -> None:
    new = [message(8 + place, axis) for place, axis in enumerate([0, 0, 1, 1, 1])]

    segments = cut(new, {"s": filed([0] * 7)}, NO_MEAN, numbered())

    assert seqs(segments) == [[8], [9, 10, 11, 12]]
    assert segments[0].joins


def test_after_a_silence_nothing_joins() -> None:
    [segment] = cut([message(3, 0, at=START + timedelta(hours=9))], {"s": filed([0, 0])}, NO_MEAN, numbered())

    assert not segment.joins


def test_turns_without_a_vector_stay_with_their_neighbours() -> None:
    assert seqs(cut(talk([0, 0, 0, None, None, 0, 0]), {}, NO_MEAN, numbered())) == [[1, 2, 3, 4, 5, 6, 7]]
    assert seqs(cut(talk([None] * 4), {}, NO_MEAN, numbered())) == [[1, 2, 3, 4]]


axes = st.one_of(st.none(), st.integers(0, 3))


@settings(deadline=None)
@given(st.lists(axes, max_size=8), st.lists(axes, min_size=1, max_size=60))
def test_every_turn_is_in_one_segment_of_allowed_size(before: list[int | None], new: list[int | None]) -> None:
    tails = {"s": filed(before)} if before else {}

    segments = cut(talk(new, first=len(before) + 1), tails, NO_MEAN, numbered())

    sizes = [len(segment.messages) + (len(before) if segment.joins else 0) for segment in segments]
    assert [one for part in seqs(segments) for one in part] == list(range(len(before) + 1, len(before + new) + 1))
    assert max(sizes) <= 8
    assert all(size >= 3 for size in sizes[:-1])
    assert [segment.joins for segment in segments[1:]] == [False] * (len(segments) - 1)


@settings(deadline=None)
@given(st.lists(axes, min_size=1, max_size=40))
def test_a_session_that_comes_turn_by_turn_has_no_short_segment_but_the_last(turns: list[int | None]) -> None:
    new_id = numbered()
    parts: dict[SegmentId, list[FiledMessage]] = {}
    tails: dict[str, FiledSegment] = {}
    for one in talk(turns):
        [segment] = cut([one], tails, NO_MEAN, new_id)
        parts.setdefault(segment.id, []).append(FiledMessage(one.id, one.vector, one.occurred_at))
        tails = {"s": FiledSegment(segment.id, TopicId("t"), tuple(parts[segment.id]))}

    sizes = [len(part) for part in parts.values()]
    assert sum(sizes) == len(turns)
    assert all(3 <= size <= 8 for size in sizes[:-1])


def test_a_shape_that_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be kept"):
        ShapeSettings(min_turns=5, max_turns=8)
