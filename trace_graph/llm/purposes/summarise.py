"""What a model is asked for the titles and summaries of topics: several topics a call. Pure.

A leaf is worded from its messages, a parent from the titles and summaries of its children.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator

from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.texts import MessageText, Named, Texts
from trace_graph.llm.values import ChatMessage, Request
from trace_graph.text.display import clip

MESSAGE_CHARACTERS = 600
"""Of a message that are shown, about 100 words (guess: a turn of a chat is shorter, the head of a document says what it
is about)."""
_REPLY_AROUND = 40
# Tokens of a topic's reply around its summary: label, title, JSON (guess).
_REPLY_FACTOR = 3
# Tokens of a model for one of ours: languages other than English take up to three (guess).
_THINKING = 2_000
# Tokens that a model which thinks aloud may use before the reply (guess: gpt-oss at low effort takes some hundreds).
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")

Kind = Literal["leaves", "parents"]


class TopicInput(BaseModel):
    """One topic of a request."""

    label: str
    """What the model calls it: T1, T2 ..."""
    tokens: int
    """Most tokens of its summary, as `count_tokens` counts them."""
    messages: list[str] = Field(default_factory=list)
    """Ids of a leaf's messages that are shown, in order of time."""
    children: list[str] = Field(default_factory=list)
    """Ids of the current revisions of a parent's children, the largest child first."""
    before: str | None = None
    """Id of the wording from before that a leaf's new one goes on from."""


class SummariseInputs(BaseModel):
    """What a request is made from; with the texts it gives the request again."""

    kind: Kind
    topics: list[TopicInput]
    characters: int = MESSAGE_CHARACTERS
    """Of a message that are shown."""


class TopicSummary(BaseModel):
    """What the model writes of one topic."""

    label: str
    title: str
    summary: str


class SummariseReply(BaseModel):
    """The reply: what of it is no topic's wording is left out and does not reject the rest."""

    topics: list[TopicSummary] = Field(default_factory=list)

    @field_validator("topics", mode="before")
    @classmethod
    def _without_what_is_none(cls, value: Any) -> Any:
        if value is None:
            return []
        if not isinstance(value, list):
            return value
        return [item for item in value if _is_summary(item)]

    def of(self, label: str) -> TopicSummary | None:
        """What was written of the topic of this label; the first, where there are several."""
        return next((one for one in self.topics if one.label.strip() == label), None)


def _is_summary(item: Any) -> bool:
    try:
        TopicSummary.model_validate(item)
    except ValidationError:
        return False
    return True


def named(inputs: SummariseInputs) -> Named:
    """The ids whose texts `render` needs."""
    return Named.of(
        (id for topic in inputs.topics for id in topic.messages),
        (id for topic in inputs.topics for id in (*topic.children, topic.before)))


def render(inputs: SummariseInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    """The request: the prompt, then a line of JSON for each topic.

    Raises: NotFound for a version that there is not; KeyError for an id without a text (`Texts.lacks` tells).
    """
    system = prompt(prompt_name(inputs.kind), version)
    lines = [json.dumps(_shown(topic, inputs, texts), ensure_ascii=False) for topic in inputs.topics]
    return ChatMessage("system", system.text), ChatMessage("user", "\n".join(lines))


def prompt_name(kind: Kind) -> str:
    """The prompt's file."""
    return f"summarise_{kind}"


def request(
    inputs: SummariseInputs, texts: Texts, check: Callable[[SummariseReply], str | None]
) -> Request[SummariseReply]:
    """The request with the latest prompt; `check` says what of a reply is not in its sources, or no summary."""
    return Request(
        purpose="summarise", prompt=prompt_name(inputs.kind), prompt_version=prompt(prompt_name(inputs.kind)).version,
        messages=render(inputs, texts), reply=SummariseReply, inputs=inputs.model_dump(mode="json"),
        max_tokens=_THINKING + sum(_REPLY_FACTOR * topic.tokens + _REPLY_AROUND for topic in inputs.topics),
        check=check)


def _shown(topic: TopicInput, inputs: SummariseInputs, texts: Texts) -> dict[str, Any]:
    shown: dict[str, Any] = {"topic": topic.label, "words": words_for(topic.tokens)}
    if topic.before is not None:
        shown["before"] = _wording(topic.before, texts)
    if inputs.kind == "leaves":
        shown["messages"] = [_said(texts.messages[id], inputs.characters) for id in topic.messages]
    else:
        shown["topics"] = [_wording(id, texts) for id in topic.children]
    return shown


def words_for(tokens: int) -> int:
    """How many words a model is told for a limit of tokens: three quarters, since models count badly."""
    return int(tokens * 0.75 / 1.33)


def _wording(id: str, texts: Texts) -> dict[str, str]:
    one = texts.revisions[id]
    return {"title": one.title, "summary": one.text}


def _said(message: MessageText, characters: int) -> str:
    return f"{message.author}, {_day(message.occurred_at)}: {clip(message.text, characters)}"


def _day(moment: datetime) -> str:
    """The day in words, in UTC as summaries without a model write it: nobody takes it for a month and a day swapped."""
    day = moment.astimezone(UTC)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
