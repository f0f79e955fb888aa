"""Where segments are filed, and what that changes in the tree: decided purely, from values to a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trace_graph.errors import Refused
from trace_graph.models.ids import NewId, TopicId
from trace_graph.organize.growing_tree import GrowingTree, Lying
from trace_graph.organize.route import decide
from trace_graph.organize.shape import can_take_segment, open_leaf, split_overfull
from trace_graph.organize.values import (
    Decision,
    FiledSegment,
    MissingContents,
    MovedPlacement,
    NewTopic,
    Placement,
    Plan,
    Segment,
    SegmentId,
    ShapeSettings,
    TopicMove,
    TopicState,
    Total,
)
from trace_graph.organize.vectors import centred_centroid


def plan(
    tree: Mapping[TopicId, TopicState],
    segments: Sequence[Segment],
    contents: Mapping[TopicId, Sequence[FiledSegment]],
    mean: Total,
    new_id: NewId,
    *,
    settings: ShapeSettings = ShapeSettings(),  # noqa: B008 (frozen)
) -> Plan | MissingContents:
    """Files the segments one after the other and tells what has to change.

    `tree` holds all topics of the space, `contents` what lies in those leaves that were loaded so far (each leaf
    whole), `mean` what vectors are centred by. When more has to be known, the answer is `MissingContents`: load
    that as well and plan again; ids taken from `new_id` before are then unused. The same input gives the same plan.

    Raises:
        StoreFailed: the topics are not one tree.
        Refused: no leaf of the tree has room, and no further one can be opened.
    """
    growing = GrowingTree(tree, contents, mean, new_id, settings)
    last_of_session: dict[str, SegmentId] = {}
    for segment in segments:
        if segment.after is not None:
            growing.know(segment.after)
            last_of_session.setdefault(segment.session, segment.after.id)
        leaf = _file(growing, segment, last_of_session.get(segment.session))
        split_overfull(growing, leaf)
        last_of_session[segment.session] = segment.id
    if growing.missing:
        return MissingContents(tuple(sorted(growing.missing)))
    return _result(growing, tree, segments)


def _file(growing: GrowingTree, segment: Segment, last: SegmentId | None) -> TopicId:
    """Lays the segment into a leaf and returns that; `last` is what the session said before it."""
    lying = Lying.waiting(segment, len(growing.mean))
    if segment.joins:
        return _continue(growing, lying)
    vector = centred_centroid(lying.vector_sum, lying.vector_count, growing.mean)
    if np.any(vector):
        chosen, decision = decide(growing.index.nearest(vector), growing.settings.threshold_for(lying.size))
    else:
        chosen = _latest_leaf(growing) if last is None else growing.place_of[last]
        decision = Decision("no vector")
    leaf, lying.decision = _with_room(growing, chosen, decision, vector)
    growing.put(lying, leaf)
    return leaf


def _continue(growing: GrowingTree, lying: Lying) -> TopicId:
    """Adds the turns to the segment they go on with; that moves if it was too short to be filed well before."""
    here = growing.place_of[lying.id]
    node = growing.nodes[here]
    lying.decision = Decision("continuation")
    growing.extend(lying)
    whole = node.lying[lying.id]
    others = node.state.vector_count - whole.vector_count
    if whole.size - lying.size >= growing.settings.min_turns or whole.vector_count == 0 or others == 0:
        return here
    vector = centred_centroid(whole.vector_sum, whole.vector_count, growing.mean)
    rest = centred_centroid(node.state.vector_sum - whole.vector_sum, others, growing.mean)
    ranked = sorted([(float(rest @ vector), here), *growing.index.nearest(vector, without=(here,))],
                    key=lambda one: -one[0])[:2]
    chosen, decision = decide(ranked, growing.settings.threshold_for(whole.size))
    if chosen == here:
        return here
    if not node.complete:
        growing.missing.add(here)
        return here
    growing.take(whole.id)
    leaf, decision = _with_room(growing, chosen, decision, vector)
    whole.decision = whole.move = replace(decision, reason="grown")
    growing.put(whole, leaf)
    return leaf


def _with_room(
    growing: GrowingTree, chosen: TopicId | None, decision: Decision, vector: Total,
) -> tuple[TopicId, Decision]:
    """The chosen leaf, or a new one for None; another where the tree is full there."""
    if chosen is not None and can_take_segment(growing, chosen):
        return chosen, decision
    if chosen is None:
        opened = open_leaf(growing, decision.runner_up or next(growing.leaves(), None), vector)
        if opened is not None:
            return opened[0], decision
    return _elsewhere(growing, vector)


def _latest_leaf(growing: GrowingTree) -> TopicId | None:
    """The leaf that was last added to; ties to the older one."""
    spoken = [(growing.nodes[leaf].state.last_message_at, leaf) for leaf in growing.leaves()]
    dated = [(at, leaf) for at, leaf in spoken if at is not None]
    return max(dated, key=lambda one: one[0])[1] if dated else None


def _elsewhere(growing: GrowingTree, vector: Total) -> tuple[TopicId, Decision]:
    """The most similar leaf that has room, where the tree may not grow at the place that was chosen."""
    cosines = growing.index.cosines(vector)
    free = [leaf for leaf in growing.leaves() if can_take_segment(growing, leaf)]
    if not free:
        raise Refused("This space holds as many segments as its tree of topics can take.",
                      fix="Put further messages into another space, or raise the bounds of the tree.")
    best = max(free, key=lambda leaf: cosines.get(leaf, -1.0))
    return best, Decision("rebalance", cosines.get(best))


def _result(growing: GrowingTree, tree: Mapping[TopicId, TopicState], segments: Sequence[Segment]) -> Plan:
    states = {topic: growing.current(topic) for topic in growing.nodes}
    by_depth = sorted(states, key=lambda topic: (states[topic].depth, topic))
    return Plan(
        new_topics=tuple(NewTopic(topic, growing.parent_of(topic), growing.nodes[topic].opened_by)
                         for topic in by_depth if topic not in tree),
        topic_moves=tuple(_topic_moves(growing, tree)),
        placements=tuple(_placements(growing, segments)),
        moved=tuple(_moved(growing)),
        states={topic: states[topic] for topic in by_depth if states[topic] is not tree.get(topic)},
        stale=tuple(topic for topic in reversed(by_depth) if growing.nodes[topic].stale))


def _topic_moves(growing: GrowingTree, tree: Mapping[TopicId, TopicState]) -> list[TopicMove]:
    moves = []
    for topic, before in sorted(tree.items()):
        after = growing.nodes[topic].state.parent
        if before.parent is not None and after is not None and after != before.parent:
            moves.append(TopicMove(topic, before.parent, after, "split"))
    return moves


def _placements(growing: GrowingTree, segments: Sequence[Segment]) -> list[Placement]:
    placements = []
    for segment in segments:
        leaf = growing.place_of[segment.id]
        decision = growing.nodes[leaf].lying[segment.id].decision
        assert decision is not None, "what a plan files has a reason"
        placements += [Placement(message.id, leaf, segment.id, decision) for message in segment.messages]
    return placements


def _moved(growing: GrowingTree) -> list[MovedPlacement]:
    moved = []
    for leaf, node in growing.nodes.items():
        for lying in node.lying.values():
            if lying.origin is None or lying.origin == leaf:
                continue
            assert lying.move is not None, "what moves has a reason"
            moved += [MovedPlacement(message, lying.origin, leaf, lying.id, lying.move) for message in lying.old]
    return moved
