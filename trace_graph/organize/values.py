"""What the organiser decides upon, and what it decides: plain values, no database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, NewType

import numpy as np
from numpy.typing import NDArray

from trace_graph.errors import ConfigError
from trace_graph.models.ids import MessageId, TopicId

SegmentId = NewType("SegmentId", str)

Vector = NDArray[np.float32]
"""One vector (dimension,); a message's own has unit length, similarity is the cosine."""
Total = NDArray[np.float64]
"""A plain sum of message vectors (dimension,), neither centred nor normalised."""

TopicKind = Literal["root", "topic"]
DecidedBy = Literal["vector", "model"]
Zone = Literal["clear", "grey", "nothing"]
"""How sure vectors are of a segment's place: one topic is near and clearly ahead; none is clear; nothing is near."""
Reason = Literal[
    "near", "new topic", "continuation", "no vector", "grown", "split", "rebalance", "chosen", "named", "reconsidered"]
"""Why a message lies where it lies:

near            the topic is the most similar one of the whole tree, and similar enough
new topic       nothing was similar enough, so a topic was opened beside the most similar one
continuation    it goes on with a segment that was filed before
no vector       it holds no word the embedder knows; it lies with what was said before it
grown           its segment was filed with very few turns, and with more of them belongs elsewhere
split           its topic was too large; this is its half
rebalance       the topic it belonged to was full and the tree may not grow deeper
chosen          a model picked the topic among those that it was offered
named           a model found that none of them fits, and named a new topic
reconsidered    it was filed with a small margin, and a topic that was opened since is clearly nearer
"""


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message that has no place in the tree yet."""

    id: MessageId
    session: str
    seq: int
    author: str
    text: str
    vector: Vector | None
    """None where the text holds no word that the embedder knows."""
    occurred_at: datetime
    """UTC."""


@dataclass(frozen=True, slots=True)
class FiledMessage:
    """What the plan needs of a message that has a place."""

    id: MessageId
    vector: Vector | None
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class FiledSegment:
    """A run of turns that lies in a topic."""

    id: SegmentId
    topic: TopicId
    messages: tuple[FiledMessage, ...]
    """In order of `seq`."""
    margin: float | None = None
    """That its placement keeps, where vectors decided it and that was read."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of waiting turns of one session that belong together."""

    id: SegmentId
    session: str
    messages: tuple[WaitingMessage, ...]
    """In order of `seq`."""
    after: FiledSegment | None = None
    """The last filed segment of the session, on the first new segment of it."""
    joins: bool = False
    """The messages go on with `after`, whose id this segment then has."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """A topic as the tree knows it. A topic below the root without child topics is a leaf and holds messages."""

    id: TopicId
    parent: TopicId | None
    """None for the root."""
    depth: int
    """Of the root: 0."""
    vector_sum: Total
    """Of all messages in it and below it."""
    vector_count: int = 0
    """Messages that have a vector; `vector_sum / vector_count` is the centroid before centring."""
    message_count: int = 0
    segment_count: int = 0
    child_count: int = 0
    """Child topics."""
    last_message_at: datetime | None = None
    """UTC; of the latest message in it and below it."""


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to create; its counts stand in `Plan.states`."""

    id: TopicId
    parent: TopicId
    reason: Reason
    kind: TopicKind = "topic"
    title: str = ""
    """As a model named it; without one, the first summary brings it."""
    model_call: str | None = None
    """The call that named it."""


@dataclass(frozen=True, slots=True)
class TopicMove:
    """A topic of before that gets another parent."""

    topic: TopicId
    old_parent: TopicId
    new_parent: TopicId
    reason: Reason


@dataclass(frozen=True, slots=True)
class Decision:
    """Why something lies in a topic."""

    reason: Reason
    score: float | None = None
    """Cosine of the segment to the topic before it was added, centred; for `new topic` to the nearest one that
    there was, for `split` to the half's centroid. None where nothing could be compared."""
    margin: float | None = None
    """What `score` is ahead of the runner-up's; for `new topic` what it lacked to the threshold."""
    runner_up: TopicId | None = None
    """The second best topic; for `new topic` and `named` the nearest one, for `split` the other half, for `chosen` the
    best one by vectors that was not chosen."""
    decided_by: DecidedBy = "vector"
    model_call: str | None = None
    """The id of the call that decided, for `model`."""


@dataclass(frozen=True, slots=True)
class AtTopic:
    """A leaf of before the plan; an inner topic stands for the nearest leaf below it."""

    topic: TopicId


@dataclass(frozen=True, slots=True)
class WithSegment:
    """The leaf in which that segment lies when the plan comes to it: how a leaf is named that the plan itself opens."""

    segment: SegmentId


@dataclass(frozen=True, slots=True)
class NewLeaf:
    """A topic that is to be opened."""

    title: str
    under: TopicId | None = None
    """A topic of before with child topics; None: beside the nearest leaf."""


Place = AtTopic | WithSegment


@dataclass(frozen=True, slots=True)
class Choice:
    """Where a model says that a segment belongs. Segments that share a new topic are `WithSegment` of the first one."""

    target: Place | NewLeaf
    model_call: str
    """The id of the call."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A leaf that a segment might have been filed to."""

    place: Place
    score: float
    """The centred cosine of the two."""
    leaf: TopicId
    """Its id in this plan: another plan gives new leaves other ids."""
    held: tuple[SegmentId, ...] = ()
    """The segments of this plan that lay in it by then, in order of time."""
    above: tuple[TopicId, ...] = ()
    """The topics of before that lie above it, the root first."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """How a segment stood to the leaves when the plan came to it, before any choice of a model."""

    segment: SegmentId
    zone: Zone
    by_vectors: TopicId | None
    """The leaf that vectors choose, by its id in this plan; None for a new one."""
    candidates: tuple[Candidate, ...]
    """The nearest ones, best first; where the session's last segment lies elsewhere, that leaf is the last of them."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The first place of a message."""

    message: MessageId
    topic: TopicId
    segment: SegmentId
    decision: Decision


@dataclass(frozen=True, slots=True)
class MovedPlacement:
    """The next place of a message that was filed before this plan."""

    message: MessageId
    old_topic: TopicId
    topic: TopicId
    segment: SegmentId
    decision: Decision


@dataclass(frozen=True, slots=True)
class MissingContents:
    """The plan needs what lies in these topics: load it and plan again."""

    topics: tuple[TopicId, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that filing some segments changes. A message occurs once, at its final place."""

    new_topics: tuple[NewTopic, ...] = ()
    """Parents before their children."""
    topic_moves: tuple[TopicMove, ...] = ()
    placements: tuple[Placement, ...] = ()
    """In the order the segments were given."""
    moved: tuple[MovedPlacement, ...] = ()
    states: Mapping[TopicId, TopicState] = field(default_factory=dict)
    """The state afterwards of each topic that differs from before, the new ones included."""
    stale: tuple[TopicId, ...] = ()
    """Topics whose title and summary are due: messages or children of theirs, or below them, changed. Deepest
    first, so that children are worded before their parents."""
    weighed: tuple[Weighed, ...] = ()
    """The segments that were compared with the leaves, in their order: what a model may be asked about."""
    unfit: tuple[SegmentId, ...] = ()
    """Segments whose choice could not be carried out, so that vectors decided."""


@dataclass(frozen=True, slots=True)
class ShapeSettings:
    """The constants of segments and tree. Figures: docs/decisions/0002-tree-without-a-model.md."""

    max_children: int = 12
    """Child topics of a topic. Source: design, Shape; retrieval study, section 4 (cap 12)."""
    max_segments: int = 12
    """Segments of a leaf topic; with `max_turns` this bounds its messages at 96. Source: as `max_children`."""
    max_depth: int = 6
    """Of the deepest leaf; the root has 0. Source: design, Shape."""
    min_split_children: int = 4
    """Child topics of the smaller half when a topic splits (guess)."""
    min_split_segments: int = 3
    """Segments of the smaller half when a leaf splits (guess: below it halves become singletons again)."""
    threshold: float = 0.12
    """Cosine to the nearest leaf from which on a segment is filed there. Source: LoCoMo's tune half, 2026-11-30."""
    clear_score: float = 0.40
    """Cosine to the nearest leaf from which on vectors may be sure. Source: docs/decisions/0009."""
    clear_margin: float = 0.15
    """What the nearest leaf is ahead of the next one where vectors are sure. Source: as `clear_score`."""
    nothing_near: float = 0.0
    """Cosine to the nearest leaf below which vectors are sure that a new topic is due. Source: as `clear_score`."""
    candidates: int = 5
    """Leaves that a model is offered for a segment. Source: design, Organise."""
    most_reconsidered: int = 0
    """Segments that one plan moves to topics that it opens; `RECONSIDERED` with a model. Source: as `clear_score`."""
    leaves_reconsidered: int = 3
    """Leaves around a new one whose segments are looked at again (guess)."""
    small_margin: float = 0.10
    """Margin of a placement below which it is looked at again. Source: as `clear_score`."""
    reconsider_margin: float = 0.05
    """What the new topic must be nearer than the old one. Source: as `clear_score`."""
    short_threshold: float = 0.0
    """The same for a segment of fewer than `min_turns`: a greeting should open no topic, a lone note may."""
    min_turns: int = 3
    """Turns a segment has at least, except at a session's end and at gaps. Source: study, section 4."""
    max_turns: int = 8
    """Turns a segment has at most. Source: study, section 4."""
    window: int = 3
    """Turns on each side that are compared across a border. Source: study, section 4."""
    dip: float = 0.3
    """A border lies this many standard deviations below the mean similarity. Source: study, section 4."""
    gap: timedelta = timedelta(hours=6)
    """A longer silence ends a segment (guess)."""
    usual_similarity: float = 0.17
    """Mean similarity across a border, before a session has shown its own: .13 to .19 on LoCoMo's tune half."""
    usual_deviation: float = 0.15
    """Standard deviation of it: .14 to .16 there."""
    usual_weight: int = 8
    """Borders that the usual figures count as (guess)."""
    prior_weight: int = 10
    """Messages that the embedder's background mean counts as in the mean of a space. Source: as `threshold`."""

    def __post_init__(self) -> None:
        pairs = ((self.min_turns, self.max_turns), (self.min_split_segments, self.max_segments + 1),
                 (self.min_split_children, self.max_children + 1))
        if min(self.min_turns, self.max_depth, self.min_split_segments, self.min_split_children) < 1 or any(
                largest < 2 * smallest for smallest, largest in pairs):
            raise ConfigError(
                "The shape of the tree cannot be kept: what overflows must fall into two parts of the smallest size.",
                fix="Use at least twice min_turns for max_turns, and likewise for segments and children.")

    def threshold_for(self, turns: int) -> float:
        """The cosine from which on a segment of so many turns is filed to the nearest leaf."""
        return self.threshold if turns >= self.min_turns else self.short_threshold

    @property
    def max_messages(self) -> int:
        """Messages that a leaf topic can hold."""
        return self.max_segments * self.max_turns
