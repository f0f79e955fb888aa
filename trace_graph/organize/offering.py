"""What a model is asked about some segments, and what its picks mean: purely, from values to values."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trace_graph.llm.purposes.route import AskedSegment, Branch, Heading, OfferedTopic, Picked, RouteInputs
from trace_graph.models.ids import TopicId
from trace_graph.organize.trust import Evidence
from trace_graph.organize.values import (
    AtTopic,
    Candidate,
    Choice,
    NewLeaf,
    Place,
    Segment,
    SegmentId,
    Total,
    WaitingMessage,
    Weighed,
    WithSegment,
)
from trace_graph.organize.vectors import centred_centroid, vector_total

LATEST = 3
"""Messages of a topic that are shown; the longest of those at its end, as "Yes, please" tells nothing."""
HALF = 2
"""Turns that each half of a control has at least."""
ALIKE = 0.2
"""Cosine of two segments from which on they are not controls of one question (guess)."""
OTHERS = 4
"""Topics that a control is offered beside its own: as many as other segments have."""
MOST_NAMED = 8
"""Topics named before in the batch that are offered to every segment, the latest ones (guess)."""


@dataclass(frozen=True)
class Shown:
    """How a topic of the graph is shown to a model."""

    title: str
    revision: str | None
    """Its current wording; None where it has none yet."""
    latest: tuple[str, ...] = ()
    """Ids of a few of its latest messages, the oldest first."""

    @property
    def heading(self) -> Heading:
        """As inputs have it: a title is kept as such only where no revision holds it."""
        return Heading(revision=self.revision, title="" if self.revision else self.title)


@dataclass(frozen=True)
class _Named:
    title: str
    under: TopicId | None
    call: str
    members: dict[SegmentId, str] = field(default_factory=dict)
    """Segments to the ids of the calls that put them there."""


class Naming:
    """What a model chose for the segments of one batch, and the topics that it named meanwhile."""

    def __init__(self, order: Sequence[SegmentId]) -> None:
        self._order = {segment: place for place, segment in enumerate(order)}
        self._direct: dict[SegmentId, Choice] = {}
        self._names: dict[str, _Named] = {}

    def put(self, segment: SegmentId, place: Place, call: str) -> None:
        """The segment goes to a leaf that there is."""
        self._direct[segment] = Choice(place, call)

    def open(self, segment: SegmentId, title: str, under: TopicId | None, call: str) -> None:
        """The segment goes to a new topic, which it shares with those that were given the same title."""
        key = title.casefold()
        self._direct.pop(segment, None)
        self._names.setdefault(key, _Named(title, under, call)).members[segment] = call

    def latest(self) -> list[tuple[str, str, tuple[SegmentId, ...]]]:
        """The topics named last, with key, title and segments in their order."""
        return [(key, name.title, self._members(name)) for key, name in list(self._names.items())[-MOST_NAMED:]]

    def key_of(self, segments: Iterable[SegmentId]) -> str | None:
        """The name of the topic that one of these segments was put into."""
        held = set(segments)
        return next((key for key, name in self._names.items() if held & name.members.keys()), None)

    def share(self, segment: SegmentId, key: str, call: str) -> None:
        """The segment goes to a topic that was named before."""
        self._direct.pop(segment, None)
        self._names[key].members[segment] = call

    def placed(self, segments: Iterable[SegmentId]) -> dict[SegmentId, TopicId]:
        """Those of these segments that were put to a topic that there was before, and where."""
        found = {segment: self._direct[segment].target for segment in segments if segment in self._direct}
        return {segment: target.topic for segment, target in found.items() if isinstance(target, AtTopic)}

    def choices(self) -> dict[SegmentId, Choice]:
        """All choices so far. The first segment of a name, in the order of filing, opens its topic."""
        found = dict(self._direct)
        for name in self._names.values():
            first, *others = self._members(name)
            found[first] = Choice(NewLeaf(name.title, name.under), name.members[first])
            found |= {other: Choice(WithSegment(first), name.members[other]) for other in others}
        return found

    def _members(self, name: _Named) -> tuple[SegmentId, ...]:
        return tuple(sorted(name.members, key=lambda segment: self._order[segment]))


@dataclass(frozen=True)
class Offer:
    """One question, and what its labels mean."""

    inputs: RouteInputs
    segments: Mapping[str, SegmentId]
    places: Mapping[str, Place]
    """Of the labels of topics that there are."""
    names: Mapping[str, str]
    """Of the labels of topics that were named before in the batch: their keys."""
    branches: Mapping[str, TopicId | None]
    """Of the labels for new topics: what they would lie under."""
    expected: Mapping[str, str]
    """Labels of the controls to the labels of the topics that hold their first halves."""
    nearness: Mapping[str, tuple[str, ...]]
    """Of each segment's label: the labels of its candidates, the nearest first."""

    def take(self, found: Mapping[str, Picked], call: str, naming: Naming) -> None:
        """Note what the model picked; controls stay with vectors."""
        for label, picked in found.items():
            if label not in self.segments:
                continue
            segment = self.segments[label]
            if picked.label in self.names:
                naming.share(segment, self.names[picked.label], call)
            elif picked.label in self.places:
                naming.put(segment, self.places[picked.label], call)
            else:
                naming.open(segment, picked.title, self.branches[picked.label], call)

    def shown_by(self, found: Mapping[str, Picked]) -> Evidence:
        """What these picks tell of the model."""
        agreed = sum(label in found and found[label].label == wanted for label, wanted in self.expected.items())
        places = [near.index(found[label].label) / (len(near) - 1) for label, near in self.nearness.items()
                  if len(near) > 2 and label in found and found[label].label in near]
        return Evidence(len(self.expected), agreed, len(places), sum(places))


def controls_among(segments: Sequence[Segment], used: Collection[SegmentId], most: int) -> list[SegmentId]:
    """The segments of which one half surely belongs to the other, and to no other control: long ones whose halves are
    most alike, and which are not like each other."""
    vectors = [message.vector for one in segments for message in one.messages if message.vector is not None]
    if not vectors:
        return []
    mean = vector_total(vectors, len(vectors[0])) / len(vectors)
    long = [one for one in segments if len(one.messages) >= 2 * HALF and one.id not in used]
    found: dict[SegmentId, Total] = {}
    for one in sorted(long, key=lambda one: -_likeness(one, mean)):
        own = _centroid(one.messages, mean)
        if len(found) < most and all(float(own @ other) < ALIKE for other in found.values()):
            found[one.id] = own
    return list(found)


def _likeness(segment: Segment, mean: Total) -> float:
    first, second = (_centroid(half, mean) for half in halves_of(segment))
    return float(first @ second)


def _centroid(messages: Sequence[WaitingMessage], mean: Total) -> Total:
    vectors = [message.vector for message in messages if message.vector is not None]
    return centred_centroid(vector_total(vectors, len(mean)), len(vectors), mean)


def halves_of(segment: Segment) -> tuple[tuple[WaitingMessage, ...], tuple[WaitingMessage, ...]]:
    """The first and the second half of its turns."""
    middle = len(segment.messages) // 2
    return segment.messages[:middle], segment.messages[middle:]


def topics_of(weighed: Iterable[Weighed]) -> list[TopicId]:
    """The topics of the graph that a question about these segments shows."""
    candidates = [candidate for one in weighed for candidate in one.candidates]
    found = {topic for candidate in candidates for topic in candidate.above}
    return sorted(found | {one.place.topic for one in candidates if isinstance(one.place, AtTopic)})


def make_offer(
    weighed: Sequence[Weighed], controls: Sequence[SegmentId], segments: Mapping[SegmentId, Segment],
    shown: Mapping[TopicId, Shown], naming: Naming, *, near: Mapping[SegmentId, Collection[TopicId]],
) -> Offer:
    """The question about these segments, with the second halves of the controls among them.

    The first half of a control stands among the topics, like one that was opened lately. Labels follow no order that
    means anything, so that a model which always takes the first or the last one looks like what it is. `near` holds
    the leaves to which each segment of the batch might as well belong: they are not offered to it as a control.
    """
    return _OfferMaker(weighed, controls, segments, _Seen(shown, naming, near)).make()


def chance_of(segments: Iterable[Segment]) -> random.Random:
    """The order of labels in a question about these segments. It follows from where they were said, not from ids: the
    same messages in another space are asked about in the same words, so that a recorded run can be replayed there."""
    return random.Random(" ".join(f"{one.session}/{one.messages[0].seq}" for one in segments))


@dataclass(frozen=True)
class _Seen:
    """What is known when the question is made."""

    shown: Mapping[TopicId, Shown]
    naming: Naming
    near: Mapping[SegmentId, Collection[TopicId]]


@dataclass
class _Leaf:
    """A topic that the question shows."""

    heading: Heading = field(default_factory=Heading)
    above: tuple[TopicId, ...] = ()
    messages: tuple[str, ...] = ()
    place: Place | None = None


class _OfferMaker:
    """Gives labels to what one question shows."""

    def __init__(
        self, weighed: Sequence[Weighed], controls: Sequence[SegmentId], segments: Mapping[SegmentId, Segment],
        seen: _Seen,
    ) -> None:
        self._weighed = weighed
        self._controls = controls
        self._segments = segments
        self._shown = seen.shown
        self._near = seen.near
        self._naming = seen.naming
        self._named = {key: (title, members) for key, title, members in seen.naming.latest()}
        self._chance = chance_of(segments[one.segment] for one in weighed)
        self._leaves = self._all_leaves()
        keys = sorted(self._leaves)
        self._chance.shuffle(keys)
        self._labels = {key: f"T{number}" for number, key in enumerate(keys, start=1)}
        self._branches: dict[TopicId | None, str] = {}

    def make(self) -> Offer:
        asked, expected = self._ask()
        topics = [OfferedTopic(
            label=label, topic=leaf.place.topic if isinstance(leaf.place, AtTopic) else None, heading=leaf.heading,
            path=self._path(leaf.above[1:]), messages=list(leaf.messages))
            for key, label in self._labels.items() for leaf in [self._leaves[key]]]
        branches = [Branch(label=label, topic=under, path=self._path(self._above(under)[1:]))
                    for under, label in self._branches.items()]
        names = {self._labels[key]: key for key in self._named}
        places = {label: place for key, label in self._labels.items()
                  if label not in names and (place := self._leaves[key].place) is not None}
        label_of = {SegmentId(one.segment): one.label for one in asked if one.label not in expected}
        nearness = {
            label_of[one.segment]: tuple(dict.fromkeys(self._labels[self._key(candidate)] for candidate in sorted(
                one.candidates, key=lambda candidate: -candidate.score))) for one in self._weighed}
        return Offer(
            RouteInputs(topics=topics, branches=branches, segments=asked, controls=sorted(expected)),
            segments={label: segment for segment, label in label_of.items()}, places=places, names=names,
            nearness=nearness, branches={label: under for under, label in self._branches.items()}, expected=expected)

    def _all_leaves(self) -> dict[str, _Leaf]:
        found: dict[str, _Leaf] = {}
        for candidate in (candidate for one in self._weighed for candidate in one.candidates):
            found.setdefault(self._key(candidate), self._leaf(candidate))
        for key, (title, members) in self._named.items():
            found.setdefault(key, _Leaf(Heading(title=title), messages=self._said(members)))
        for control in self._controls:
            said = halves_of(self._segments[control])[0]
            found[half_key(control)] = _Leaf(messages=tuple(one.id for one in telling(said)))
        return found

    def _key(self, candidate: Candidate) -> str:
        """One leaf may be known by its id and by the name that opened it."""
        name = self._naming.key_of(candidate.held[:1])
        return name if name in self._named and name is not None else candidate.leaf

    def _leaf(self, candidate: Candidate) -> _Leaf:
        known = self._shown.get(candidate.place.topic) if isinstance(candidate.place, AtTopic) else None
        key = self._key(candidate)
        heading = known.heading if known else Heading(title=self._named[key][0] if key in self._named else "")
        said = (*(known.latest if known else ()), *self._said(candidate.held))
        return _Leaf(heading, candidate.above, said[-LATEST:], candidate.place)

    def _said(self, held: Sequence[SegmentId]) -> tuple[str, ...]:
        return tuple(longest_turns(held, self._segments))

    def _ask(self) -> tuple[list[AskedSegment], dict[str, str]]:
        """The segments with their labels, and of the controls what their halves' labels are."""
        entries: list[tuple[Weighed | None, SegmentId]] = [(one, one.segment) for one in self._weighed]
        entries += [(None, control) for control in self._controls]
        self._chance.shuffle(entries)
        asked, expected = [], {}
        for number, (one, segment) in enumerate(entries, start=1):
            label, said = f"S{number}", self._segments[segment].messages
            if one is None:
                offered, said = self._offered_to_control(segment), halves_of(self._segments[segment])[1]
                expected[label] = self._labels[half_key(segment)]
            else:
                offered = self._offered_to(one)
            asked.append(AskedSegment(
                label=label, segment=segment, messages=[message.id for message in said], offered=offered))
        return asked, expected

    def _offered_to(self, one: Weighed) -> list[str]:
        topics = {self._labels[self._key(candidate)] for candidate in one.candidates}
        topics |= {self._labels[key] for key in self._named}
        unders = dict.fromkeys(candidate.above[-1] if candidate.above else None for candidate in one.candidates)
        return sorted_labels(topics) + sorted(self._branch(under) for under in unders or {None: None})

    def _offered_to_control(self, segment: SegmentId) -> list[str]:
        """Its half, and topics to which it does not belong as well: none that is near to it, none just named."""
        unfit = {*self._near.get(segment, ()), *self._named, half_key(segment)}
        others = [self._labels[key] for key in sorted(self._leaves) if key not in unfit]
        drawn = self._chance.sample(others, min(OTHERS, len(others)))
        under = next(iter(self._branches), None)
        return [*sorted_labels({self._labels[half_key(segment)], *drawn}), self._branch(under)]

    def _branch(self, under: TopicId | None) -> str:
        # Letters, so that a bare number in a reply can only mean a topic.
        return self._branches.setdefault(under, f"NEW-{label_letters(len(self._branches))}")

    def _above(self, topic: TopicId | None) -> tuple[TopicId, ...]:
        """The topics from the root to this one."""
        found = (candidate.above for one in self._weighed for candidate in one.candidates)
        return next((above for above in found if above and above[-1] == topic), ())

    def _path(self, topics: Sequence[TopicId]) -> list[Heading]:
        return [self._shown[topic].heading for topic in topics if topic in self._shown]


def half_key(control: SegmentId) -> str:
    """What the first half of a control is known by."""
    return f"half of {control}"


def longest_turns(held: Sequence[SegmentId], segments: Mapping[SegmentId, Segment]) -> list[str]:
    """Of each of the last of these segments the id of its longest turn."""
    return [max(segments[one].messages, key=lambda message: len(message.text)).id
            for one in held[-LATEST:] if one in segments]


def telling(said: Sequence[WaitingMessage]) -> list[WaitingMessage]:
    """The longest turns, in their order: "Yes, please" tells nothing."""
    longest = sorted(said, key=lambda one: -len(one.text))[:LATEST]
    return [one for one in said if one in longest]


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Labels of topics by their numbers."""
    return sorted(labels, key=lambda label: int(label[1:]))


def label_letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    return (label_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
