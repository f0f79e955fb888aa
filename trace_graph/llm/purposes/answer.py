"""The answer to a question from messages that were found. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from trace_graph.llm.citing import without_labels
from trace_graph.llm.labels import resolve_all
from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.reply_types import Items, Label, Said, Text
from trace_graph.llm.texts import MessageText, Named, Texts
from trace_graph.llm.values import ChatMessage, Request
from trace_graph.text.display import clip, visible

PROMPT = "answer"

QUESTION_CHARACTERS = 20_000
"""Of a question that are shown. Guess: five pages."""
AUTHOR_CHARACTERS = 80
MESSAGE_CHARACTERS = 6_000
"""Of a message, or the passage that stands for it, that are shown: those of 120 words have less than 1,500."""
REPLY_TOKENS = 2_048
"""An answer has 100; a list has more, and a model that thinks aloud needs room for it. Guess."""


class GivenMessage(BaseModel):
    """One message that the model answers from."""

    model_config = ConfigDict(frozen=True)

    label: str
    message: str
    """Id; it never goes to the model."""
    part: tuple[int, int] | None = None
    """Start and end (characters) of the passage that is shown, where not all of it is."""


class AnswerInputs(BaseModel):
    """What the model answers from."""

    model_config = ConfigDict(frozen=True)

    question: str
    asked_on: str
    """The day of the question, on the clock of whoever asks: `2024-05-07`."""
    messages: tuple[GivenMessage, ...]
    """In reading order."""


def _no_null(value: object) -> object:
    return "" if value is None else value


class AnswerReply(BaseModel):
    """What the model answers. The citations come first: a model that has named its messages stays with them."""

    citations: Items[Label] = []
    """Labels of messages."""
    found: Said = False
    """Whether the messages hold what is asked for."""
    answer: Annotated[Text, BeforeValidator(_no_null)] = ""
    """In the language of the question."""


def named(inputs: AnswerInputs) -> Named:
    """The ids whose texts a request is made of."""
    return Named.of(messages=[one.message for one in inputs.messages])


def render(inputs: AnswerInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    """The messages of the request."""
    return (
        ChatMessage("system", prompt(PROMPT, version).text),
        ChatMessage("user", "\n".join(_lines(inputs, texts))))


def request(inputs: AnswerInputs, texts: Texts) -> Request[AnswerReply]:
    """The request, whose reply is faulty where it answers nothing, or cites nothing that was given."""

    def check(reply: AnswerReply) -> str | None:
        if not reply.answer.strip():
            return "answer: it is empty" if reply.found else None
        if reply.found and not cited(reply, inputs):
            return (f"citations: name the messages that the answer is taken from ({_all_labels(inputs)}), or set found "
                    "to false")
        return None

    latest = prompt(PROMPT)
    return Request(
        purpose="answer", prompt=PROMPT, prompt_version=latest.version, messages=render(inputs, texts),
        reply=AnswerReply, inputs=inputs.model_dump(mode="json"), max_tokens=REPLY_TOKENS, check=check)


def cited(reply: AnswerReply, inputs: AnswerInputs) -> bool:
    """Whether a reply cites any message that was given, in its list or in its text."""
    labels = [one.label for one in inputs.messages]
    listed = resolve_all(reply.citations, dict.fromkeys(labels)).labels
    return bool(listed) or any(f"[{label}]" in reply.answer for label in labels)


def _lines(inputs: AnswerInputs, texts: Texts) -> Iterator[str]:
    yield f"Question: {_quoted(inputs.question, QUESTION_CHARACTERS)}"
    yield f"Asked on: {inputs.asked_on}"
    yield f"Messages ({_all_labels(inputs)}), in the order in which they were said:"
    for one in inputs.messages:
        message = texts.messages.get(one.message)
        if message is not None:
            yield _line(one, message)


def _line(one: GivenMessage, message: MessageText) -> str:
    said = message.text if one.part is None else message.text[one.part[0]:one.part[1]].strip()
    author = _quoted(message.author, AUTHOR_CHARACTERS)
    return f"{one.label}, {_day(message)}, {author}: {_quoted(said, MESSAGE_CHARACTERS)}"


def _day(message: MessageText) -> str:
    at = message.occurred_at
    return f"{at:%A} {at.day} {at:%B} {at.year}"


def _all_labels(inputs: AnswerInputs) -> str:
    first, last = inputs.messages[0].label, inputs.messages[-1].label
    return first if first == last else f"{first} to {last}"


def _quoted(text: str, most: int) -> str:
    # What people would not see is no secret word to a model either. What looks like one of our labels is broken up: an
    # answer that quotes it would cite a message that says nothing of the kind.
    return json.dumps(clip(without_labels(visible(text)), most), ensure_ascii=False)
