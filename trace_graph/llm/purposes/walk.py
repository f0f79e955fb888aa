"""Which branches of the tree to walk for a question. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from trace_graph.llm.labels import resolve_all
from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.reply_types import Items, Label, Said
from trace_graph.llm.texts import Named, RevisionText, Texts
from trace_graph.llm.values import ChatMessage, Request
from trace_graph.text.display import clip, visible

PROMPT = "walk"

QUESTION_CHARACTERS = 4_000
"""Of a question that are shown. Guess: a page."""
TITLE_CHARACTERS = 120
SUMMARY_CHARACTERS = 400
"""Of a branch's title and summary that are shown: 36 branches are 4,000 tokens. Guess."""
REPLY_TOKENS = 1_024
"""A reply has 30; a model that thinks aloud needs room for it. Guess."""


class OfferedBranch(BaseModel):
    """One branch among which the model may choose."""

    model_config = ConfigDict(frozen=True)

    label: str
    topic: str
    """Id; it never goes to the model."""
    revision: str | None
    """Id of its current wording; None before the first."""
    inside: str | None
    """Id of the wording of the branch that it lies in; None below a root."""
    messages: int | None
    """In it and below; None where that is not known."""
    branches: int
    """Child topics; 0 for a leaf."""


class WalkInputs(BaseModel):
    """What the model is shown at one level of the tree."""

    model_config = ConfigDict(frozen=True)

    question: str
    asked_on: str
    """The day of the question, on the clock of whoever asks: `2024-05-07`."""
    most: int
    """Branches that may be chosen."""
    offered: tuple[OfferedBranch, ...]


class WalkReply(BaseModel):
    """What the model chooses."""

    pick: Items[Label] = []
    """Labels of branches."""
    stop: Said = False
    """Read what is chosen as it is, open nothing further."""


class Choice(NamedTuple):
    """What a reply means."""

    topics: tuple[str, ...]
    """Ids of the branches chosen, each once, the first `most` of them."""
    stop: bool
    ignored: int
    """Labels that were not offered."""


def named(inputs: WalkInputs) -> Named:
    """The ids whose texts a request is made of."""
    return Named.of(revisions=[id for one in inputs.offered for id in (one.revision, one.inside)])


def render(inputs: WalkInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    """The messages of the request."""
    return (
        ChatMessage("system", prompt(PROMPT, version).text),
        ChatMessage("user", "\n".join(_lines(inputs, texts))))


def request(inputs: WalkInputs, texts: Texts) -> Request[WalkReply]:
    """The request, whose reply is faulty where it names labels and none of them was offered."""

    def check(reply: WalkReply) -> str | None:
        chosen = choice(reply, inputs, texts)
        if chosen.topics or not chosen.ignored:
            return None
        return f"pick: none of these is a label that was given; the labels are {_all_labels(inputs)}"

    latest = prompt(PROMPT)
    return Request(
        purpose="walk", prompt=PROMPT, prompt_version=latest.version, messages=render(inputs, texts),
        reply=WalkReply, inputs=inputs.model_dump(mode="json"), max_tokens=REPLY_TOKENS, check=check)


def choice(reply: WalkReply, inputs: WalkInputs, texts: Texts) -> Choice:
    """The branches that a reply means; what was not offered is ignored and counted."""
    titles = {one.label: _wording(one.revision, texts).title or None for one in inputs.offered}
    resolved = resolve_all(reply.pick, titles, most=inputs.most)
    topic = {one.label: one.topic for one in inputs.offered}
    return Choice(tuple(topic[label] for label in resolved.labels), reply.stop, resolved.dropped)


def _lines(inputs: WalkInputs, texts: Texts) -> Iterator[str]:
    yield f"Question: {_quoted(inputs.question, QUESTION_CHARACTERS)}"
    yield f"Asked on: {inputs.asked_on}"
    yield f"Choose at most {inputs.most} of these branches ({_all_labels(inputs)}):"
    for one in inputs.offered:
        wording = _wording(one.revision, texts)
        inside = _wording(one.inside, texts).title
        yield ""
        yield f"{one.label} {_quoted(wording.title or 'untitled', TITLE_CHARACTERS)}"
        yield "; ".join(_facts(one, inside))
        yield f"summary: {_quoted(wording.text, SUMMARY_CHARACTERS)}" if wording.text else "summary: none yet"


def _facts(one: OfferedBranch, inside: str) -> Iterator[str]:
    if one.messages is not None:
        yield f"messages: {one.messages}"
    yield f"branches inside: {one.branches or 'none'}"
    if inside:
        yield f"part of {_quoted(inside, TITLE_CHARACTERS)}"


def _wording(revision: str | None, texts: Texts) -> RevisionText:
    none = RevisionText("", "")
    return none if revision is None else texts.revisions.get(revision, none)


def _all_labels(inputs: WalkInputs) -> str:
    first, last = inputs.offered[0].label, inputs.offered[-1].label
    return first if first == last else f"{first} to {last}"


def _quoted(text: str, most: int) -> str:
    # What people would not see is no secret word to a model either.
    return json.dumps(clip(visible(text), most), ensure_ascii=False)
