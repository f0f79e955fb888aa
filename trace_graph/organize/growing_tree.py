"""What the tree is while a plan is made: topics, and the segments known to lie in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from trace_graph.errors import StoreFailed
from trace_graph.models.ids import MessageId, NewId, TopicId
from trace_graph.organize.route import LeafIndex
from trace_graph.organize.values import (
    Decision,
    FiledSegment,
    Reason,
    Segment,
    SegmentId,
    ShapeSettings,
    TopicState,
    Total,
)
from trace_graph.organize.vectors import centred_centroid, vector_total


@dataclass(slots=True)
class Lying:
    """A segment in a leaf."""

    id: SegmentId
    vector_sum: Total
    vector_count: int
    last_at: datetime
    old: tuple[MessageId, ...] = ()
    """Its messages that were filed before, in the topic `origin`."""
    origin: TopicId | None = None
    new: tuple[MessageId, ...] = ()
    """Its messages that this plan files first."""
    decision: Decision | None = None
    """Why what is new of it lies where it lies."""
    move: Decision | None = None
    """Why what is old of it left `origin`."""
    margin: float | None = None
    """With which it was filed before, where that is known."""

    @property
    def size(self) -> int:
        """Messages in it."""
        return len(self.old) + len(self.new)

    @classmethod
    def filed(cls, segment: FiledSegment, dimension: int) -> Lying:
        """A segment that was filed before."""
        vectors = [message.vector for message in segment.messages if message.vector is not None]
        return cls(segment.id, vector_total(vectors, dimension), len(vectors),
                   max(message.occurred_at for message in segment.messages),
                   old=tuple(message.id for message in segment.messages), origin=segment.topic, margin=segment.margin)

    @classmethod
    def waiting(cls, segment: Segment, dimension: int) -> Lying:
        """A segment that the plan has to file."""
        vectors = [message.vector for message in segment.messages if message.vector is not None]
        return cls(segment.id, vector_total(vectors, dimension), len(vectors),
                   max(message.occurred_at for message in segment.messages),
                   new=tuple(message.id for message in segment.messages))

    def add(self, more: Lying) -> None:
        """Adds further turns that the plan files."""
        self.vector_sum = self.vector_sum + more.vector_sum
        self.vector_count += more.vector_count
        self.last_at = max(self.last_at, more.last_at)
        self.new += more.new
        self.decision = more.decision


@dataclass(slots=True)
class Node:
    """A topic."""

    state: TopicState
    children: list[TopicId] = field(default_factory=list)
    lying: dict[SegmentId, Lying] = field(default_factory=dict)
    """Of a leaf: the segments known to lie in it."""
    complete: bool = False
    """`lying` holds all that lies in it."""
    stale: bool = False
    """Messages or topics in it or below it are not as before the plan."""
    opened_by: Reason = "new topic"
    """Why it was opened, if the plan opened it."""
    title: str = ""
    """As a model named it, if that opened it."""
    model_call: str | None = None
    outdated: bool = False
    """Something below it changed since its aggregates were made; so it is then for all topics above."""


class GrowingTree:
    """The topics of a space while a plan is made. What keeps their shape stands in `shape`."""

    def __init__(
        self, tree: Mapping[TopicId, TopicState], contents: Mapping[TopicId, Sequence[FiledSegment]], mean: Total,
        new_id: NewId, settings: ShapeSettings,
    ) -> None:
        self.mean = mean
        self.settings = settings
        self.new_id = new_id
        self.before = frozenset(tree)
        """The topics that there were before the plan."""
        self.nodes = {topic: Node(tree[topic]) for topic in sorted(tree)}
        self.place_of: dict[SegmentId, TopicId] = {}
        """The leaf of each segment that is known."""
        self.missing: set[TopicId] = set()
        """Leaves that cannot be changed as they should, because it is not known what lies in them."""
        roots = [topic for topic, node in self.nodes.items() if node.state.parent is None]
        if len(roots) != 1 or any(node.state.parent not in self.nodes for topic, node in self.nodes.items()
                                  if topic != roots[0]):
            raise StoreFailed("The topics of this space do not make one tree.", fix="Run trace-graph doctor.")
        self.root = roots[0]
        for topic, node in self.nodes.items():
            if node.state.parent is not None:
                self.nodes[node.state.parent].children.append(topic)
        for topic, segments in contents.items():
            for segment in segments:
                self.know(segment)
            self.nodes[topic].complete = True
        leaves = ((leaf, self.centroid(leaf)) for leaf in self.leaves())
        self.index = LeafIndex(leaves, len(mean))

    def leaves(self) -> Iterator[TopicId]:
        """All leaf topics: those of before by id, then the new ones."""
        return (topic for topic, node in self.nodes.items() if topic != self.root and not node.children)

    def parent_of(self, topic: TopicId) -> TopicId:
        """The parent of a topic below the root."""
        parent = self.nodes[topic].state.parent
        assert parent is not None, "only the root has no parent"
        return parent

    def current(self, topic: TopicId) -> TopicState:
        """The state of the topic, with all that changed below it."""
        node = self.nodes[topic]
        if node.outdated and node.children:
            below = [self.current(child) for child in node.children]
            node.state = replace(
                node.state, vector_sum=np.sum([state.vector_sum for state in below], axis=0),
                vector_count=sum(state.vector_count for state in below),
                message_count=sum(state.message_count for state in below),
                segment_count=sum(state.segment_count for state in below), child_count=len(below),
                last_message_at=max((state.last_message_at for state in below if state.last_message_at), default=None))
            node.outdated = False
        return node.state

    def centroid(self, topic: TopicId) -> Total:
        """The centred centroid of the topic, of unit length; zero where none of its messages has a vector."""
        state = self.current(topic)
        return centred_centroid(state.vector_sum, state.vector_count, self.mean)

    def know(self, segment: FiledSegment) -> None:
        """Makes a filed segment known, if it is not."""
        if segment.id in self.place_of:
            return
        if segment.topic not in self.nodes:
            raise StoreFailed("A segment lies in a topic that the tree does not have.", fix="Run trace-graph doctor.")
        self.nodes[segment.topic].lying[segment.id] = Lying.filed(segment, len(self.mean))
        self.place_of[segment.id] = segment.topic

    def put(self, segment: Lying, leaf: TopicId) -> None:
        """Lays a segment into the leaf."""
        node = self.nodes[leaf]
        node.lying[segment.id] = segment
        self.place_of[segment.id] = leaf
        self._grow(leaf, segment, segments=1)

    def extend(self, more: Lying) -> None:
        """Adds turns to the known segment of the same id."""
        leaf = self.place_of[more.id]
        self.nodes[leaf].lying[more.id].add(more)
        self._grow(leaf, more, segments=0)

    def take(self, segment: SegmentId) -> Lying:
        """Takes a segment out of its leaf, all of whose contents must be known."""
        leaf = self.place_of.pop(segment)
        taken = self.nodes[leaf].lying.pop(segment)
        self.recount(leaf)
        return taken

    def recount(self, leaf: TopicId) -> None:
        """Makes the leaf's state anew from what lies in it, all of which must be known."""
        node = self.nodes[leaf]
        lying = node.lying.values()
        node.state = replace(
            node.state, vector_sum=vector_total([one.vector_sum for one in lying], len(self.mean)),
            vector_count=sum(one.vector_count for one in lying), message_count=sum(one.size for one in lying),
            segment_count=len(lying), last_message_at=max((one.last_at for one in lying), default=None))
        self.index.put(leaf, self.centroid(leaf))
        self.touch(leaf)

    def touch(self, topic: TopicId) -> None:
        """Notes that the topic, and so all above it, is not as before."""
        above: TopicId | None = topic
        while above is not None and not (above != topic and self.nodes[above].outdated):
            self.nodes[above].stale = self.nodes[above].outdated = True
            above = self.nodes[above].state.parent

    def _grow(self, leaf: TopicId, more: Lying, segments: int) -> None:
        node = self.nodes[leaf]
        state = node.state
        node.state = replace(
            state, vector_sum=state.vector_sum + more.vector_sum, vector_count=state.vector_count + more.vector_count,
            message_count=state.message_count + more.size, segment_count=state.segment_count + segments,
            last_message_at=max(more.last_at, state.last_message_at or more.last_at))
        self.index.put(leaf, self.centroid(leaf))
        self.touch(leaf)
