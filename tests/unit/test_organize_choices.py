"""What a model chose is carried out, or left to vectors; and what was filed with a small margin is looked at again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tests.unit.test_organize_plan import ROOT, SMALL, Space, message, talk
from trace_graph.models.ids import MessageId, TopicId
from trace_graph.organize.plan import plan
from trace_graph.organize.segments import cut
from trace_graph.organize.values import (
    AtTopic,
    Choice,
    Decision,
    NewLeaf,
    Plan,
    Segment,
    SegmentId,
    ShapeSettings,
    WaitingMessage,
    WithSegment,
)

MEAN = np.zeros(4)


def two_topics() -> tuple[Space, TopicId, TopicId]:
    space = Space()
    space.organize(talk(0, 3, 1, "a"))
    space.organize(talk(1, 3, 11, "b"))
    first, second = (found.new_topics[0].id for found in space.plans)
    return space, first, second


def between(first: int, session: str = "c") -> list[WaitingMessage]:
    """Three turns that lie between both topics, a little nearer to the first."""
    return [message(first + place, [1.0, 0.9, 0.0, 0.0], session) for place in range(3)]


def planned(space: Space, segments: list[Segment], choices: Mapping[SegmentId, Choice]) -> Plan:
    contents = {topic: space.contents(topic) for topic in space.tree if topic != ROOT}
    found = plan(space.tree, segments, contents, MEAN, space.new_id, choices=choices, settings=space.shape)
    assert isinstance(found, Plan)
    return found


def segments_of(space: Space, *runs: list[WaitingMessage]) -> list[Segment]:
    return [one for run in runs for one in cut(run, {}, MEAN, space.new_id, settings=space.shape)]


def test_a_plan_tells_how_sure_vectors_are() -> None:
    space, first, second = two_topics()

    found = planned(space, segments_of(space, talk(0, 3, 21, "x"), between(31), talk(2, 3, 41, "y")), {})

    assert [(one.zone, one.by_vectors) for one in found.weighed] == [
        ("clear", first), ("grey", first), ("grey", None)]
    assert [candidate.place for candidate in found.weighed[1].candidates] == [AtTopic(first), AtTopic(second)]
    assert found.weighed[1].candidates[0].above == (ROOT,)


def test_a_choice_goes_before_vectors_and_keeps_what_they_say() -> None:
    space, first, second = two_topics()
    [segment] = segments_of(space, between(31))

    found = planned(space, [segment], {segment.id: Choice(AtTopic(second), "call")})

    decision = found.placements[0].decision
    assert {placed.topic for placed in found.placements} == {second}
    assert (decision.reason, decision.decided_by, decision.model_call, decision.runner_up) == (
        "chosen", "model", "call", first)
    assert decision.score is not None and decision.margin is not None and decision.margin < 0 < decision.score


def test_segments_share_the_topic_that_the_first_of_them_opens() -> None:
    space, first, _ = two_topics()
    one, other = segments_of(space, between(31), between(41, "d"))

    found = planned(space, [one, other], {
        one.id: Choice(NewLeaf("Berth", ROOT), "call"), other.id: Choice(WithSegment(one.id), "call")})

    [opened] = found.new_topics
    assert (opened.title, opened.reason, opened.model_call, opened.parent) == ("Berth", "named", "call", ROOT)
    assert {placed.topic for placed in found.placements} == {opened.id}
    assert {placed.decision.reason for placed in found.placements} == {"named", "chosen"}
    assert found.placements[0].decision.runner_up == first


def test_a_choice_that_does_not_fit_is_left_to_vectors() -> None:
    space, first, _ = two_topics()
    [segment] = segments_of(space, between(31))
    usual = planned(space, [segment], {})

    for target in (AtTopic(TopicId("gone")), WithSegment(SegmentId("gone"))):
        found = planned(space, [segment], {segment.id: Choice(target, "call")})

        assert found.placements == usual.placements and found.placements[0].topic == first
        assert found.unfit == (segment.id,)


def test_a_full_tree_opens_nothing_for_a_model_either() -> None:
    space = Space(shape=replace(SMALL, max_depth=1))
    for number in range(3):
        space.organize(talk(number, 2, 10 * number + 1, f"s{number}"))
    [segment] = segments_of(space, talk(3, 2, 90, "late"))

    found = planned(space, [segment], {segment.id: Choice(NewLeaf("More"), "call")})

    assert (found.new_topics, found.unfit) == ((), (segment.id,))
    assert found.placements[0].decision.decided_by == "vector"


def test_an_inner_topic_stands_for_the_nearest_leaf_below_it() -> None:
    space, first, _ = two_topics()
    [segment] = segments_of(space, between(31))

    found = planned(space, [segment], {segment.id: Choice(AtTopic(ROOT), "call")})

    assert {placed.topic for placed in found.placements} == {first}


def test_turns_that_join_a_segment_are_not_asked_about() -> None:
    space, first, second = two_topics()
    tail = space.segment(space.last["a"])
    segments = cut([message(4, [0.0, 1.0, 0.0, 0.0], "a")], {"a": tail}, MEAN, space.new_id, settings=space.shape)
    joining = [one for one in segments if one.joins] or [Segment(tail.id, "a", segments[0].messages, tail, joins=True)]

    found = planned(space, joining, {tail.id: Choice(AtTopic(second), "call")})

    assert found.weighed == ()
    assert [(placed.topic, placed.decision) for placed in found.placements] == [(first, Decision("continuation"))]


def test_what_vectors_filed_with_a_small_margin_moves_to_a_better_topic_that_is_opened() -> None:
    space = Space(shape=ShapeSettings(most_reconsidered=5))
    space.organize(talk(0, 3, 1, "a"))
    first = space.plans[0].new_topics[0].id
    space.organize([message(11 + place, [0.3, 0.0, 0.95, 0.0], "b") for place in range(3)])
    [doubtful] = [placed.segment for placed in space.plans[1].placements[:1]]
    assert space.place[MessageId("m00011")][0] == first
    [segment] = segments_of(space, talk(2, 3, 31, "c"))

    def contents(margin: float | None) -> Plan:
        known = [replace(one, margin=margin if one.id == doubtful else None) for one in space.contents(first)]
        found = plan(space.tree, [segment], {first: known}, MEAN, space.new_id, settings=space.shape, choices={
            segment.id: Choice(NewLeaf("Better"), "call")})
        assert isinstance(found, Plan)
        return found

    moved = contents(0.02).moved

    assert [(one.message, one.old_topic, one.decision.reason, one.decision.runner_up) for one in moved] == [
        (MessageId(f"m{number:05d}"), first, "reconsidered", first) for number in (11, 12, 13)]
    assert contents(0.5).moved == contents(None).moved == ()
