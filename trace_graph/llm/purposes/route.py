"""Where segments belong: a model picks one of the labels that each is offered. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from trace_graph.llm.labels import resolve, says_none
from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.reply_types import Items, Label, Text
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import ChatMessage, Request

MOST_SEGMENTS = 20
"""Segments of one call. Source: design, Organise ("many segments a call")."""
SUMMARY_CHARACTERS = 300
"""Of a topic's summary that are shown (guess: two sentences)."""
TURN_CHARACTERS = 300
"""Of a turn of a segment that are shown (guess)."""
LATEST_CHARACTERS = 140
"""Of a topic's latest messages that are shown (guess)."""
TITLE_CHARACTERS = 80
"""Of a new topic's title that are kept."""
TOKENS_A_SEGMENT = 60
"""Of the reply: a pick with a title in a language of many tokens."""
TOKENS_TO_THINK = 4000
"""Of the reply, for models that think before they answer."""
MOST_FAULTY = 0.25
"""Share of segments without a usable pick up to which a reply is used as it is: asking again costs a whole call, and
what is left out is decided by vectors."""


class Heading(BaseModel):
    """What a topic is called: by its current revision, or where it has none yet, by a title as it was given."""

    revision: str | None = None
    title: str = ""


class OfferedTopic(BaseModel):
    """A topic that segments may go to."""

    label: str
    topic: str | None = None
    """Its id; None for one that is only about to be opened."""
    heading: Heading = Heading()
    path: list[Heading] = []
    """Of the topics above it, without the root."""
    messages: list[str] = []
    """Ids of a few of its latest messages, the oldest first."""


class Branch(BaseModel):
    """A place for new topics."""

    label: str
    topic: str | None = None
    """The topic that they would lie under; None: anywhere."""
    path: list[Heading] = []
    """Of that topic and those above it, without the root."""


class AskedSegment(BaseModel):
    """A segment whose place is asked for."""

    label: str
    segment: str
    """Its id."""
    messages: list[str]
    offered: list[str]
    """Labels of topics and branches."""


class RouteInputs(BaseModel):
    """One call."""

    topics: list[OfferedTopic]
    branches: list[Branch]
    segments: list[AskedSegment]
    controls: list[str] = []
    """Labels of those segments whose place is clear without a model; it is not told which."""


class Pick(BaseModel):
    """Where one segment goes."""

    segment: Label
    choice: Label = None
    title: Text | None = None


class RouteReply(BaseModel):
    """What the model answers."""

    picks: Items[Pick] = []


@dataclass(frozen=True)
class Picked:
    """A pick that keeps to what was offered."""

    label: str
    title: str = ""
    """Of a branch: the new topic's."""


def named(inputs: RouteInputs) -> Named:
    """The ids whose texts the prompt shows."""
    headings = [one for topic in inputs.topics for one in (topic.heading, *topic.path)]
    headings += [one for branch in inputs.branches for one in branch.path]
    messages = [id for topic in inputs.topics for id in topic.messages]
    messages += [id for segment in inputs.segments for id in segment.messages]
    return Named.of(messages, [heading.revision for heading in headings])


def render(inputs: RouteInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    """The messages of the request."""
    lines = [*topic_lines(inputs, texts), "", *branch_lines(inputs, texts), "", *segment_lines(inputs, texts)]
    return ChatMessage("system", prompt("route", version).text), ChatMessage("user", "\n".join(lines))


def request(inputs: RouteInputs, texts: Texts) -> Request[RouteReply]:
    """The question to the model."""

    def check(reply: RouteReply) -> str | None:
        return fault_of(inputs, texts, reply)

    return Request(
        purpose="route", prompt="route", prompt_version=prompt("route").version, messages=render(inputs, texts),
        reply=RouteReply, inputs=inputs.model_dump(mode="json"),
        max_tokens=most_tokens(inputs), check=check)


def picks(inputs: RouteInputs, texts: Texts, reply: RouteReply) -> dict[str, Picked]:
    """What each segment's label was given, by the rules; a segment without a usable pick is not among them.

    The first usable pick of a segment counts. A choice is used if it is one of the labels that its segment was
    offered (or the title of one of the topics behind them), and for a branch if it has a title. "None of these" with
    a title means the first branch that was offered.
    """
    segments = {segment.label: segment for segment in inputs.segments}
    titles: dict[str, str | None] = {topic.label: title_of(topic.heading, texts) or None for topic in inputs.topics}
    branches = {branch.label for branch in inputs.branches}
    found: dict[str, Picked] = {}
    for pick in reply.picks:
        label = resolve(pick.segment, dict.fromkeys(segments))
        if label is None or label in found:
            continue
        usable = _usable(pick, {one: titles.get(one) for one in segments[label].offered}, branches)
        if usable is not None:
            found[label] = usable
    return found


def fault_of(inputs: RouteInputs, texts: Texts, reply: RouteReply) -> str | None:
    """What is wrong where too many segments have no usable pick, in words for the model."""
    usable = picks(inputs, texts, reply)
    without = [segment.label for segment in inputs.segments if segment.label not in usable]
    if len(without) <= MOST_FAULTY * len(inputs.segments):
        return None
    return (f"These segments have no usable pick: {', '.join(without)}. Each needs one of the labels in its own list, "
            "and a title with a NEW label.")


def title_of(heading: Heading, texts: Texts) -> str:
    """The title that a heading stands for; empty where there is none."""
    revision = texts.revisions.get(heading.revision) if heading.revision else None
    return heading.title if revision is None else revision.title


def topic_lines(inputs: RouteInputs, texts: Texts) -> list[str]:
    """The topics as the prompt lists them."""
    return ["Topics:", *([line for one in inputs.topics for line in _lines_of(one, texts)] or ["(there is none yet)"])]


def branch_lines(inputs: RouteInputs, texts: Texts) -> list[str]:
    """The places for new topics as the prompt lists them."""
    return ["Places for new topics:",
            *(f"{branch.label}: under {path_words(branch.path, texts)}" for branch in inputs.branches)]


def segment_lines(inputs: RouteInputs, texts: Texts) -> list[str]:
    """The segments as the prompt lists them."""
    lines = ["Segments:"]
    for segment in inputs.segments:
        lines.append(f"{segment.label} may go to: {', '.join(segment.offered)}")
        lines += [f"- {_said(id, texts, TURN_CHARACTERS)}" for id in segment.messages]
    return lines


def most_tokens(inputs: RouteInputs) -> int:
    """The limit of the reply."""
    return TOKENS_TO_THINK + TOKENS_A_SEGMENT * len(inputs.segments)


def _usable(pick: Pick, offered: Mapping[str, str | None], branches: set[str]) -> Picked | None:
    label = resolve(pick.choice, offered)
    title = " ".join((pick.title or "").split())[:TITLE_CHARACTERS].strip()
    if label is None and title and says_none(pick.choice):
        label = next((one for one in offered if one in branches), None)
    if label is None:
        return None
    if label not in branches:
        return Picked(label)
    if not title:
        return None
    known = resolve(title, {one: name for one, name in offered.items() if name is not None})
    return Picked(known) if known is not None else Picked(label, title)


def _lines_of(topic: OfferedTopic, texts: Texts) -> list[str]:
    title = title_of(topic.heading, texts)
    lines = [f"{topic.label}: {_quoted(title, TITLE_CHARACTERS) if title else '(no title yet)'}"
             + (f", under {path_words(topic.path, texts)}" if topic.path else "")]
    revision = texts.revisions.get(topic.heading.revision) if topic.heading.revision else None
    if revision is not None and revision.text:
        lines.append(f"  about: {_quoted(revision.text, SUMMARY_CHARACTERS)}")
    return lines + [f"  lately: {_said(id, texts, LATEST_CHARACTERS)}" for id in topic.messages]


def path_words(path: list[Heading], texts: Texts) -> str:
    """The titles on the way to a topic."""
    titles = [title_of(heading, texts) for heading in path]
    return " > ".join(_quoted(title, TITLE_CHARACTERS) for title in titles if title) or "the whole memory"


def _said(id: str, texts: Texts, characters: int) -> str:
    message = texts.messages.get(id)
    if message is None:
        return "(erased since)"
    return _quoted(f"{message.author or message.role}: {message.text}", characters)


def _quoted(text: str, characters: int) -> str:
    """As a JSON string, which nothing in the text can close."""
    flat = " ".join(text.split())
    return json.dumps(flat if len(flat) <= characters else flat[:characters - 1] + "…", ensure_ascii=False)
