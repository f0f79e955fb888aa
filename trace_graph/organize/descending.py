"""Every segment is led by a model from the root down, one level a call: the classic way, for comparison."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trace_graph.llm.purposes.descend import DescendInputs, named, request
from trace_graph.llm.purposes.route import MOST_SEGMENTS, AskedSegment, Branch, Heading, OfferedTopic
from trace_graph.models.ids import TopicId
from trace_graph.organize.offering import (
    LATEST,
    OTHERS,
    Offer,
    Shown,
    chance_of,
    half_key,
    halves_of,
    label_letters,
    longest_turns,
    sorted_labels,
    telling,
)
from trace_graph.organize.routing import MOST_CONTROLS, Batch, Planner, Routed, Router, near_of
from trace_graph.organize.values import AtTopic, Segment, SegmentId, TopicState

MOST_LEVELS = 6
"""Levels that a segment is led down. Source: design, Shape (the depth of the tree)."""


class Descent(Router):
    """Asks about all segments that may lie anywhere, as many as fit into a call, level by level."""

    async def route(
        self, segments: Sequence[Segment], planner: Planner, tree: Mapping[TopicId, TopicState],
    ) -> Routed:
        """Plan a batch, asking the model: at most a call a level for each group of segments."""
        batch = Batch(self, {one.id: one for one in segments})
        plan = await planner({})
        wanted = [one.segment for one in plan.weighed]
        children = _children(tree)
        size = MOST_SEGMENTS - MOST_CONTROLS
        for start in range(0, len(wanted), size):
            await self._lead(batch, wanted[start:start + size], children, near_of(plan))
        return await batch.result(planner, plan)

    async def _lead(
        self, batch: Batch, segments: Sequence[SegmentId], children: Mapping[TopicId | None, Sequence[TopicId]],
        near: Mapping[SegmentId, set[TopicId]],
    ) -> None:
        """Lead some segments down together, until each has reached a leaf, stopped, or got a new topic."""
        root = children[None][0]
        at: dict[SegmentId, TopicId] = dict.fromkeys(segments, root)
        paths: dict[TopicId, list[Heading]] = {root: []}
        controls = batch.controls(set(segments))
        for _ in range(MOST_LEVELS):
            if not at or not batch.may_ask():
                return
            shown = await self.shelf.topics(sorted({child for topic in at.values() for child in children[topic]}))
            offer, inputs = _Level(at, controls, children, shown, paths, near).offer(batch)
            texts = await self.shelf.texts(named(inputs))
            await batch.ask(offer, texts, request(inputs, texts))
            for topic in set(at.values()):
                paths |= {child: [*paths[topic], shown[child].heading] for child in children[topic] if child in shown}
            placed = batch.naming.placed(at)
            at = {segment: topic for segment, topic in placed.items() if topic != at[segment] and children[topic]}
            controls = []


@dataclass(frozen=True)
class _Level:
    """Where some segments stand, and what lies below."""

    at: Mapping[SegmentId, TopicId]
    controls: Sequence[SegmentId]
    children: Mapping[TopicId | None, Sequence[TopicId]]
    shown: Mapping[TopicId, Shown]
    paths: Mapping[TopicId, list[Heading]]
    near: Mapping[SegmentId, set[TopicId]]
    """Leaves to which segments might belong."""

    def offer(self, batch: Batch) -> tuple[Offer, DescendInputs]:
        """The question about this level, and the same as the prompt has it."""
        chance = chance_of(batch.segments[segment] for segment in self.at)
        topics = self._topics(batch)
        keys = sorted(topics)
        chance.shuffle(keys)
        label_of = {key: f"T{number}" for number, key in enumerate(keys, start=1)}
        named_before = {key for key, _, _ in batch.naming.latest()}
        letters = {topic: label_letters(place) for place, topic in enumerate(sorted(set(self.at.values())))}
        stops = {f"HERE-{letter}": topic for topic, letter in letters.items() if self.children.get(topic)}
        branches = {f"NEW-{letter}": topic for topic, letter in letters.items()}
        entries = [*self.at, *self.controls]
        chance.shuffle(entries)
        asked, expected = [], {}
        for number, segment in enumerate(entries, start=1):
            said, offered = batch.segments[segment].messages, self._offered(segment, label_of, named_before)
            if segment in self.controls:
                said = halves_of(batch.segments[segment])[1]
                half = label_of[half_key(segment)]
                unfit = {*self.near.get(segment, ()), *named_before, half_key(segment)}
                others = [label_of[key] for key in keys if key not in unfit and self._is_narrow(key)]
                offered = [half, *chance.sample(others, min(OTHERS, len(others)))]
                expected[f"S{number}"] = half
            topic = self.at.get(segment, self._root)
            ends = [one for one, at in (*stops.items(), *branches.items()) if at == topic]
            asked.append(AskedSegment(
                label=f"S{number}", segment=segment, messages=[message.id for message in said],
                offered=[*sorted_labels(offered), *ends]))
        inputs = DescendInputs(
            topics=[topics[key].model_copy(update={"label": label}) for key, label in label_of.items()],
            branches=[Branch(label=label, topic=topic, path=self.paths[topic]) for label, topic in branches.items()],
            stops=[Branch(label=label, topic=topic, path=self.paths[topic]) for label, topic in stops.items()],
            segments=asked, controls=sorted(expected))
        places = {label: AtTopic(topic) for label, topic in stops.items()}
        places |= {label_of[topic]: AtTopic(topic) for topic in self.shown}
        return Offer(
            inputs, segments={one.label: SegmentId(one.segment) for one in asked if one.label not in expected},
            places=places, names={label_of[key]: key for key in named_before}, branches=branches, expected=expected,
            nearness={}), inputs

    def _is_narrow(self, key: str) -> bool:
        """Whether this is no topic with others below it, to one of which the control might belong as well."""
        return key not in self.shown or not self.children.get(TopicId(key))

    @property
    def _root(self) -> TopicId:
        return self.children[None][0]

    def _topics(self, batch: Batch) -> dict[str, OfferedTopic]:
        """What lies below, what was named before in the batch, and the halves of controls; without labels yet."""
        found = {
            str(topic): OfferedTopic(
                label="", topic=topic, heading=known.heading, messages=list(known.latest)[-LATEST:])
            for topic, known in self.shown.items()}
        for key, title, members in batch.naming.latest():
            found[key] = OfferedTopic(
                label="", heading=Heading(title=title), messages=longest_turns(members, batch.segments))
        for control in self.controls:
            said = halves_of(batch.segments[control])[0]
            found[half_key(control)] = OfferedTopic(label="", messages=[one.id for one in telling(said)])
        return found

    def _offered(self, segment: SegmentId, label_of: Mapping[str, str], named_before: set[str]) -> list[str]:
        below = self.children.get(self.at.get(segment, self._root), ())
        return sorted_labels(label_of[key] for key in (*below, *named_before) if key in label_of)


def _children(tree: Mapping[TopicId, TopicState]) -> dict[TopicId | None, list[TopicId]]:
    """The topics below each topic, the oldest first; the root lies below None."""
    found: dict[TopicId | None, list[TopicId]] = defaultdict(list)
    for topic in sorted(tree):
        found[tree[topic].parent].append(topic)
    return found
