"""Where segments are filed, and what that changes in the tree: decided purely, from values to a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from trace_graph.errors import Refused
from trace_graph.models.ids import NewId, TopicId
from trace_graph.organize.choosing import Standing, carry_out_choice, weigh
from trace_graph.organize.growing_tree import GrowingTree, Lying
from trace_graph.organize.reconsidering import reconsider
from trace_graph.organize.route import decide
from trace_graph.organize.shape import can_take_segment, open_leaf, split_overfull
from trace_graph.organize.values import (
    AtTopic,
    Choice,
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
    Weighed,
)
from trace_graph.organize.vectors import centred_centroid


def plan(
    tree: Mapping[TopicId, TopicState],
    segments: Sequence[Segment],
    contents: Mapping[TopicId, Sequence[FiledSegment]],
    mean: Total,
    new_id: NewId,
    *,
    choices: Mapping[SegmentId, Choice] = MappingProxyType({}),
    settings: ShapeSettings = ShapeSettings(),  # noqa: B008 (frozen)
) -> Plan | MissingContents:
    """Files the segments one after the other and tells what has to change.

    `tree` holds all topics of the space, `contents` what lies in those leaves that were loaded so far (each leaf
    whole), `mean` what vectors are centred by. When more has to be known, the answer is `MissingContents`: load
    that as well and plan again; ids taken from `new_id` before are then unused. The same input gives the same plan.

    `choices` holds what a model decided: it goes before what vectors say, but for turns that join a segment which
    was filed well, and for words that the embedder does not know. One that cannot be carried out is left to vectors.

    Raises:
        StoreFailed: the topics are not one tree.
        Refused: no leaf of the tree has room, and no further one can be opened.
    """
    filer = _Filer(GrowingTree(tree, contents, mean, new_id, settings), choices)
    growing = filer.growing
    last_of_session: dict[str, SegmentId] = {}
    for segment in segments:
        if segment.after is not None:
            growing.know(segment.after)
            last_of_session.setdefault(segment.session, segment.after.id)
        leaf = filer.file(segment, last_of_session.get(segment.session))
        split_overfull(growing, leaf)
        last_of_session[segment.session] = segment.id
    reconsider(growing)
    if growing.missing:
        return MissingContents(tuple(sorted(growing.missing)))
    return replace(_result(growing, tree, segments), weighed=tuple(filer.weighed), unfit=tuple(filer.unfit))


@dataclass
class _Filer:
    """Lays segments into leaves, by choices where there are any, and notes how they stood to the leaves."""

    growing: GrowingTree
    choices: Mapping[SegmentId, Choice]
    weighed: list[Weighed] = field(default_factory=list)
    unfit: list[SegmentId] = field(default_factory=list)

    def file(self, segment: Segment, last: SegmentId | None) -> TopicId:
        """Lays the segment into a leaf and returns that; `last` is what the session said before it."""
        growing = self.growing
        lying = Lying.waiting(segment, len(growing.mean))
        if segment.joins:
            return self._continue(lying)
        vector = centred_centroid(lying.vector_sum, lying.vector_count, growing.mean)
        running = None if last is None else growing.place_of[last]
        if not np.any(vector):
            chosen = _latest_leaf(growing) if running is None else running
            leaf, lying.decision = _with_room(growing, chosen, Decision("no vector"), vector)
            growing.put(lying, leaf)
            return leaf
        ranked = growing.index.nearest(vector, most=growing.settings.candidates)
        standing = Standing(segment.id, lying.size, vector, ranked, *decide(
            ranked[:2], growing.settings.threshold_for(lying.size)))
        if lying.size >= growing.settings.min_turns or not self._may_grow(segment, last):
            self.weighed.append(weigh(growing, standing, running))
        leaf, lying.decision = self._place(standing)
        growing.put(lying, leaf)
        return leaf

    def _place(self, standing: Standing) -> tuple[TopicId, Decision]:
        """Where the model wants it, if it wants anything that can be done; otherwise where vectors do."""
        choice = self.choices.get(standing.segment)
        if choice is not None:
            found = carry_out_choice(self.growing, choice, standing)
            if found is not None:
                return found
            self.unfit.append(standing.segment)
        return _with_room(self.growing, standing.by_vectors, standing.decision, standing.vector)

    def _may_grow(self, segment: Segment, last: SegmentId | None) -> bool:
        """Whether few turns follow right behind others of their session: more are likely to come, and to be asked of a
        model for each of them would be dear. When it has grown it is looked at again."""
        if last is None:
            return False
        before = self.growing.nodes[self.growing.place_of[last]].lying[last]
        return abs(segment.messages[0].occurred_at - before.last_at) <= self.growing.settings.gap

    def _continue(self, lying: Lying) -> TopicId:
        """Adds the turns to the segment they go on with; that moves if it was too short to be filed well before."""
        growing = self.growing
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
        near = growing.index.nearest(vector, without=(here,), most=growing.settings.candidates)
        ranked = sorted([(float(rest @ vector), here), *near], key=lambda one: -one[0])
        standing = Standing(whole.id, whole.size, vector, ranked, *decide(
            ranked[:2], growing.settings.threshold_for(whole.size)))
        if whole.size >= growing.settings.min_turns:
            self.weighed.append(weigh(growing, standing, here))
        if (standing.by_vectors == here and whole.id not in self.choices) or self._is_chosen(whole.id, here):
            return here
        if not node.complete:
            growing.missing.add(here)
            return here
        growing.take(whole.id)
        leaf, decision = self._place(standing)
        whole.decision = whole.move = decision if decision.decided_by == "model" else replace(decision, reason="grown")
        growing.put(whole, leaf)
        return leaf

    def _is_chosen(self, segment: SegmentId, leaf: TopicId) -> bool:
        """Whether a model wants the segment to stay in the leaf."""
        choice = self.choices.get(segment)
        return choice is not None and choice.target == AtTopic(leaf)


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
        new_topics=tuple(NewTopic(topic, growing.parent_of(topic), growing.nodes[topic].opened_by,
                                  title=growing.nodes[topic].title, model_call=growing.nodes[topic].model_call)
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
