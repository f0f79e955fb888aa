"""What a plan offers for a segment, and how it carries out what a model chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from trace_graph.models.ids import TopicId
from trace_graph.organize.growing_tree import GrowingTree
from trace_graph.organize.route import zone_of
from trace_graph.organize.shape import can_take_segment, open_leaf
from trace_graph.organize.values import (
    AtTopic,
    Candidate,
    Choice,
    Decision,
    NewLeaf,
    Place,
    SegmentId,
    Total,
    Weighed,
    WithSegment,
)

Ranked = Sequence[tuple[float, TopicId]]
"""Leaves with their cosines, best first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a segment stands to the leaves when the plan comes to it."""

    segment: SegmentId
    size: int
    """Its turns."""
    vector: Total
    """Its centred centroid."""
    ranked: Ranked
    by_vectors: TopicId | None
    """The leaf that vectors choose; None for a new one."""
    decision: Decision
    """Why."""


def weigh(growing: GrowingTree, standing: Standing, running: TopicId | None) -> Weighed:
    """What a model may be told of it; `running` is the leaf of what its session said before it."""
    offered = list(standing.ranked[:growing.settings.candidates])
    if running is not None and all(leaf != running for _, leaf in offered):
        offered.append((growing.index.cosines(standing.vector).get(running, 0.0), running))
    zone = zone_of(standing.ranked, growing.settings)
    return Weighed(standing.segment, zone, standing.by_vectors, tuple(
        _candidate(growing, leaf, score) for score, leaf in offered))


def _candidate(growing: GrowingTree, leaf: TopicId, score: float) -> Candidate:
    lying = sorted(growing.nodes[leaf].lying.values(), key=lambda one: (one.last_at, one.id))
    held = tuple(one.id for one in lying if one.new)
    place: Place = AtTopic(leaf) if leaf in growing.before or not lying else WithSegment(lying[0].id)
    return Candidate(place, score, leaf, held, _above(growing, leaf))


def _above(growing: GrowingTree, leaf: TopicId) -> tuple[TopicId, ...]:
    found: list[TopicId] = []
    topic = growing.nodes[leaf].state.parent
    while topic is not None:
        if topic in growing.before:
            found.insert(0, topic)
        topic = growing.nodes[topic].state.parent
    return tuple(found)


def carry_out_choice(
    growing: GrowingTree, choice: Choice, standing: Standing,
) -> tuple[TopicId, Decision] | None:
    """The leaf that the choice means, opened if it is new, and why. None where it does not fit, and nothing changes:
    the topic or segment is gone, the leaf is full and cannot split, or there is no room for a new one."""
    target = choice.target
    if isinstance(target, NewLeaf):
        return _open(growing, target, choice.model_call, standing)
    leaf = _leaf_of(growing, target, standing.vector)
    if leaf is None or not can_take_segment(growing, leaf):
        return None
    score = next((score for score, other in standing.ranked if other == leaf), None)
    if score is None:
        score = growing.index.cosines(standing.vector).get(leaf)
    other = next(((score, other) for score, other in standing.ranked if other != leaf), None)
    margin = None if score is None or other is None else score - other[0]
    return leaf, Decision(
        "chosen", score, margin, None if other is None else other[1], decided_by="model", model_call=choice.model_call)


def _open(growing: GrowingTree, new: NewLeaf, call: str, standing: Standing) -> tuple[TopicId, Decision] | None:
    nearest, vector = standing.ranked[0] if standing.ranked else None, standing.vector
    beside = None if new.under is None else _nearest_below(growing, new.under, vector)
    if beside is None:
        beside = nearest[1] if nearest else next(growing.leaves(), None)
    opened = open_leaf(growing, beside, vector)
    if opened is None:
        return None
    node = growing.nodes[opened[0]]
    node.opened_by, node.title, node.model_call = "named", new.title, call
    if nearest is None:
        return opened[0], Decision("named", decided_by="model", model_call=call)
    return opened[0], Decision(
        "named", nearest[0], growing.settings.threshold_for(standing.size) - nearest[0], nearest[1], decided_by="model",
        model_call=call)


def _leaf_of(growing: GrowingTree, place: Place, vector: Total) -> TopicId | None:
    match place:
        case WithSegment(segment):
            return growing.place_of.get(segment)
        case AtTopic(topic):
            if topic not in growing.nodes:
                return None
            inner = topic == growing.root or bool(growing.nodes[topic].children)
            return _nearest_below(growing, topic, vector) if inner else topic
        case _:
            assert_never(place)


def _nearest_below(growing: GrowingTree, topic: TopicId, vector: Total) -> TopicId | None:
    """The leaf below an inner topic that is most similar, ties to the older one; None where there is none."""
    if topic not in growing.nodes:
        return None
    cosines = growing.index.cosines(vector)
    return max(_leaves_below(growing, topic), key=lambda leaf: cosines.get(leaf, -1.0), default=None)


def _leaves_below(growing: GrowingTree, topic: TopicId) -> list[TopicId]:
    found, open_ = [], list(growing.nodes[topic].children)
    while open_:
        one = open_.pop(0)
        children = growing.nodes[one].children
        if children:
            open_ += children
        else:
            found.append(one)
    return found
