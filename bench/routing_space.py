"""A space in memory: what the database would hold, and what the organiser does with it. No engine, no summaries."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trace_graph.embed.protocol import Vector
from trace_graph.llm.texts import MessageText, Named, Texts
from trace_graph.models.ids import MessageId, TopicId
from trace_graph.organize.offering import Shown
from trace_graph.organize.plan import plan
from trace_graph.organize.routing import Routed, Router
from trace_graph.organize.segments import cut
from trace_graph.organize.values import (
    Choice,
    FiledMessage,
    FiledSegment,
    MissingContents,
    MovedPlacement,
    Placement,
    Plan,
    Segment,
    SegmentId,
    ShapeSettings,
    TopicState,
    Total,
    WaitingMessage,
)
from trace_graph.organize.vectors import space_mean, vector_total

ROOT = TopicId("topic-0")


@dataclass
class RoutingSpace:
    """Messages, the tree that they lie in, and the running mean of their vectors."""

    prior: Vector
    settings: ShapeSettings = field(default_factory=ShapeSettings)
    tree: dict[TopicId, TopicState] = field(default_factory=dict)
    messages: dict[MessageId, WaitingMessage] = field(default_factory=dict)
    place: dict[MessageId, TopicId] = field(default_factory=dict)
    parts: dict[SegmentId, list[MessageId]] = field(default_factory=lambda: defaultdict(list))
    margin: dict[SegmentId, float | None] = field(default_factory=dict)
    titles: dict[TopicId, str] = field(default_factory=dict)
    last: dict[str, SegmentId] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    ids: int = 0

    def __post_init__(self) -> None:
        self.tree[ROOT] = TopicState(ROOT, None, 0, np.zeros(len(self.prior)))
        self._total: Total = np.zeros(len(self.prior))
        self._count = 0

    def new_id(self) -> str:
        """Ids that sort in the order in which they were made."""
        self.ids += 1
        return f"id-{self.ids:09d}"

    async def organize(
        self, waiting: Sequence[WaitingMessage], batch: int, router: Router | None = None,
    ) -> list[Routed]:
        """File these messages in batches."""
        return [await self._file(waiting[start:start + batch], router) for start in range(0, len(waiting), batch)]

    async def _file(self, waiting: Sequence[WaitingMessage], router: Router | None) -> Routed:
        vectors = [message.vector for message in waiting if message.vector is not None]
        self._total = self._total + vector_total(vectors, len(self._total))
        self._count += len(vectors)
        mean = space_mean(self.prior, self.settings.prior_weight, self._total, self._count)
        tails = {session: self._segment(part) for session, part in self.last.items()}
        self.messages |= {message.id: message for message in waiting}
        segments = cut(waiting, tails, mean, self.new_id, settings=self.settings)
        contents: dict[TopicId, list[FiledSegment]] = {}

        async def planner(choices: Mapping[SegmentId, Choice]) -> Plan:
            while isinstance(found := plan(self.tree, segments, contents, mean, self.new_id, choices=choices,
                                           settings=self.settings), MissingContents):
                contents.update({topic: self._contents(topic) for topic in found.topics})
            return found

        routed = Routed(await planner({})) if router is None else await router.route(segments, planner, self.tree)
        self._apply(routed.plan, segments)
        return routed

    def _apply(self, found: Plan, segments: Sequence[Segment]) -> None:
        places: list[Placement | MovedPlacement] = [*found.moved, *found.placements]
        for placed in places:
            self.place[placed.message] = placed.topic
            by_vectors = placed.decision.decided_by == "vector"
            self.margin[placed.segment] = placed.decision.margin if by_vectors else None
            self.reasons[f"{placed.decision.decided_by}: {placed.decision.reason}"] += 1
        for segment in segments:
            self.parts[segment.id] += [message.id for message in segment.messages]
            self.last[segment.session] = segment.id
        self.titles |= {topic.id: topic.title for topic in found.new_topics}
        self.tree |= found.states

    def _segment(self, segment: SegmentId) -> FiledSegment:
        said = [self.messages[id] for id in self.parts[segment]]
        return FiledSegment(
            segment, self.place[said[0].id], tuple(FiledMessage(one.id, one.vector, one.occurred_at) for one in said),
            self.margin[segment])

    def _contents(self, topic: TopicId) -> list[FiledSegment]:
        return [self._segment(part) for part, ids in sorted(self.parts.items()) if self.place[ids[0]] == topic]

    def lying_in(self, topic: TopicId) -> list[MessageId]:
        """The messages of a leaf, in order of time."""
        return [id for id, place in self.place.items() if place == topic]

    def leaves_below(self, topic: TopicId) -> list[list[MessageId]]:
        """The messages of each leaf at or below a topic."""
        found: dict[TopicId, list[MessageId]] = defaultdict(list)
        for id, place in self.place.items():
            if topic in self.path(id):
                found[place].append(id)
        return list(found.values())

    def path(self, message: MessageId) -> list[TopicId]:
        """The topics above a message, from its leaf up, without the root."""
        found, topic = [], self.place[message]
        while self.tree[topic].parent is not None:
            found.append(topic)
            topic = TopicId(str(self.tree[topic].parent))
        return found

    async def topics(self, topics: Sequence[TopicId]) -> dict[TopicId, Shown]:
        """How topics are shown to a model."""
        return {topic: Shown(self.titles.get(topic, ""), None, tuple(self.lying_in(topic)[-3:]))
                for topic in topics if topic in self.tree}

    async def texts(self, named: Named) -> Texts:
        """The texts of messages."""
        known = {id: self.messages[MessageId(id)] for id in named.messages}
        return Texts({id: MessageText(one.author, "user", one.occurred_at, one.text) for id, one in known.items()})


def run(space: RoutingSpace, waiting: Sequence[WaitingMessage], batch: int, router: Router | None = None) -> int:
    """Organise in a loop of its own; returns the calls that it took."""
    routed = asyncio.run(space.organize(waiting, batch, router))
    return sum(len(one.calls) for one in routed)
