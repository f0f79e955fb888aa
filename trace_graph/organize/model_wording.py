"""What a model is asked for some topics, and what of its replies can be used. Pure, but for the asking itself."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.purposes.summarise import (
    MESSAGE_CHARACTERS,
    Kind,
    SummariseInputs,
    SummariseReply,
    TopicInput,
    prompt_name,
    request,
)
from trace_graph.llm.texts import MessageText, RevisionText, Texts
from trace_graph.llm.values import Answered, Model, Request
from trace_graph.organize.grounding import Grounds, Source
from trace_graph.organize.summaries import LEAF_TOKENS
from trace_graph.organize.values import Total, WaitingMessage
from trace_graph.organize.vectors import centred, unit_rows
from trace_graph.organize.wording_faults import Faults, faults
from trace_graph.organize.words import Lexicon
from trace_graph.text.display import clip
from trace_graph.text.tokens import count_tokens

AT_ONCE = 8
"""Calls that are under way, or answered and not written yet: what a kill may cost. Guess; models have a limit too."""
_AROUND_A_MESSAGE = 10
# Tokens of speaker, date and JSON (guess).

Taken = Callable[[str], Collection[str]]
"""The titles of a topic's siblings."""


@dataclass(frozen=True)
class Job:
    """One topic that a model is to word."""

    topic: str
    input: TopicInput
    """Without its label, which it gets in a batch."""
    texts: Texts
    sources: tuple[str, ...]
    """Ids that the wording will have been made from."""
    grounds: Grounds
    weight: int
    """Tokens of what is shown."""
    titled: bool = True
    """False for the root."""


@dataclass(frozen=True)
class Before:
    """The wording that a leaf has by the model, and what it was made from."""

    revision: str
    title: str
    text: str
    sources: Collection[str]


@dataclass(frozen=True)
class Worded:
    """A summary that can be used."""

    title: str | None
    """None where the title cannot be used, and for the root: it is called as its space, others by their words."""
    text: str


def leaf_job(
    topic: str, messages: Sequence[WaitingMessage], before: Before | None, mean: Total, lexicon: Lexicon, *, most: int
) -> Job:
    """The job of a leaf with these messages, of which `most` tokens are shown.

    The wording from before is shown only while all that it was made from still lies in the topic: nothing of what left
    a branch stays in its summary. Then the new wording has its sources as well.
    """
    there = {message.id for message in messages}
    shown_before = before if before is not None and there.issuperset(before.sources) else None
    shown = chosen(messages, shown_before.sources if shown_before else (), mean, most)
    ids = {message.id for message in shown} | set(shown_before.sources if shown_before else ())
    sources = [message for message in messages if message.id in ids]
    revisions = {}
    if shown_before is not None:
        revisions[shown_before.revision] = RevisionText(shown_before.title, shown_before.text)
    texts = Texts({one.id: MessageText(one.author, "", one.occurred_at, one.text) for one in shown}, revisions)
    input = TopicInput(
        label="", tokens=LEAF_TOKENS, messages=[one.id for one in shown],
        before=shown_before.revision if shown_before else None)
    grounds = Grounds([Source(one.text, one.author, one.occurred_at) for one in sources], lexicon)
    return Job(topic, input, texts, tuple(one.id for one in sources), grounds, sum(map(_weight, shown)))


def parent_job(
    topic: str, children: Sequence[tuple[str, RevisionText]], lexicon: Lexicon, *, tokens: int, name: str | None = None
) -> Job:
    """The job of a parent with these current revisions of its children, the largest first; `name` is the root's."""
    texts = Texts({}, dict(children))
    ids = [id for id, _ in children]
    sources = [Source(f"{one.title}\n{one.text}") for _, one in children]
    grounds = Grounds(sources, lexicon, known=[] if name is None else [name])
    weight = sum(count_tokens(source.text) for source in sources)
    return Job(
        topic, TopicInput(label="", tokens=tokens, children=ids), texts, tuple(ids), grounds, weight,
        titled=name is None)


def chosen(
    messages: Sequence[WaitingMessage], covered: Collection[str], mean: Total, most: int
) -> list[WaitingMessage]:
    """The messages that are shown, in order of time: all that fit into `most` tokens.

    Where not all fit, first those that no wording covers yet, the latest first; then those nearest to the centroid.
    """
    if sum(map(_weight, messages)) <= most:
        return list(messages)
    order = [place for place, one in reversed(list(enumerate(messages))) if one.id not in covered]
    new = set(order)
    order += [place for place in _nearest_first(messages, mean) if place not in new]
    kept: set[int] = set()
    left = most
    for place in order:
        if (weight := _weight(messages[place])) <= left:
            kept.add(place)
            left -= weight
    return [one for place, one in enumerate(messages) if place in kept]


def _nearest_first(messages: Sequence[WaitingMessage], mean: Total) -> list[int]:
    rows = np.zeros((len(messages), len(mean)))
    known = [place for place, one in enumerate(messages) if one.vector is not None]
    if known:
        rows[known] = centred(np.array([messages[place].vector for place in known], dtype=float), mean)
    likeness = rows @ unit_rows(rows.sum(axis=0)[None, :])[0]
    return [int(place) for place in np.argsort(-likeness, kind="stable")]


def _weight(message: WaitingMessage) -> int:
    return count_tokens(clip(message.text, MESSAGE_CHARACTERS)) + _AROUND_A_MESSAGE


@dataclass(frozen=True)
class Batch:
    """Topics that are worded by one request; their labels are T1, T2 and so on, in this order."""

    kind: Kind
    jobs: tuple[Job, ...]

    def request(self, taken: Taken) -> Request[SummariseReply]:
        """What is asked."""
        inputs = SummariseInputs(kind=self.kind, topics=[
            job.input.model_copy(update={"label": label}) for label, job in self._labelled()])
        texts = Texts(
            {id: text for job in self.jobs for id, text in job.texts.messages.items()},
            {id: text for job in self.jobs for id, text in job.texts.revisions.items()})
        return request(inputs, texts, lambda reply: self._check(reply, taken))

    def worded(self, reply: SummariseReply, taken: Taken) -> dict[str, Worded | None]:
        """By topic what can be used of a reply; None where its summary cannot."""
        found: dict[str, Worded | None] = {}
        titled = {job.topic for job in self.jobs if job.titled}
        for topic, (fault, label) in self._faults(reply, taken).items():
            written = reply.of(label)
            if written is None or fault.text:
                found[topic] = None
            else:
                usable = topic in titled and not fault.title
                title = " ".join(written.title.split()) if usable else None
                found[topic] = Worded(title, _tidy(written.summary))
        return found

    def _check(self, reply: SummariseReply, taken: Taken) -> str | None:
        found = [f"{label}: {fault}." for fault, label in self._faults(reply, taken).values() if fault]
        return "\n".join(found) or None

    def _faults(self, reply: SummariseReply, taken: Taken) -> dict[str, tuple[Faults, str]]:
        """By topic what is wrong with its wording, and its label. Titles of one reply must differ as well."""
        system = prompt(prompt_name(self.kind)).text
        found: dict[str, tuple[Faults, str]] = {}
        given: list[str] = []
        for label, job in self._labelled():
            written = reply.of(label)
            found[job.topic] = faults(
                written, tokens=job.input.tokens, grounds=job.grounds, taken=[*taken(job.topic), *given],
                prompt=system, titled=job.titled), label
            if written is not None and job.titled:
                given.append(written.title)
        return found

    def _labelled(self) -> Iterable[tuple[str, Job]]:
        return ((f"T{number}", job) for number, job in enumerate(self.jobs, start=1))


def batched(kind: Kind, jobs: Sequence[Job], *, topics: int, tokens: int) -> list[Batch]:
    """The jobs in their order, so many topics and tokens a batch at most; a larger job is asked alone."""
    batches: list[Batch] = []
    for job in jobs:
        last = batches[-1] if batches else None
        if last is not None and len(last.jobs) < topics and sum(one.weight for one in last.jobs) + job.weight <= tokens:
            batches[-1] = replace(last, jobs=(*last.jobs, job))
        else:
            batches.append(Batch(kind, (job,)))
    return batches


async def in_order(
    model: Model, requests: Sequence[Request[SummariseReply]]
) -> AsyncGenerator[Answered[SummariseReply], None]:
    """The answers in the order of the requests, several of which are under way at once.

    Who stops before the end closes the generator (`contextlib.aclosing`): what is under way is cancelled then.
    """
    left = deque(requests)
    under_way: deque[asyncio.Task[Answered[SummariseReply]]] = deque()
    try:
        while left or under_way:
            while left and len(under_way) < AT_ONCE:
                under_way.append(asyncio.create_task(model.ask(left.popleft())))
            answered = await under_way[0]
            under_way.popleft()
            yield answered
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def was_asked(answered: Answered[SummariseReply]) -> bool:
    """Whether the model gave anything to judge; an endpoint that is away is no fault of the topics."""
    return bool(answered.calls) and answered.calls[-1].outcome != "failed"


def _tidy(text: str) -> str:
    """Lines without white space around them, and no empty ones."""
    return "\n".join(line for part in text.splitlines() if (line := " ".join(part.split())))


def current_texts(children: Sequence[Mapping[str, Any]]) -> list[tuple[str, RevisionText]]:
    """Revision and wording of rows of `children_of` that have one."""
    return [
        (row["revision"], RevisionText(row["title"], row["text"])) for row in children if row["revision"] is not None]
