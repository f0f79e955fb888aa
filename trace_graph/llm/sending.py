"""What goes over the wire for a request, and by which hash it is known again.

A request becomes what is sent by its messages, the form in which the reply's structure is asked for, and, where it is
asked a second time, the first reply with its fault. The same request gives the same bytes, so that a call can be
rebuilt from what the graph keeps, and replayed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from trace_graph.llm.schemas import schema_of, shape_of
from trace_graph.llm.values import ChatMessage, Request
from trace_graph.models.calls import Form, Purpose

LONGEST_REPEATED = 4000
"""Characters of a faulty reply that the model is shown again. Guess: about 1,000 tokens."""


@dataclass(frozen=True)
class Sent:
    """One chat request."""

    purpose: Purpose
    prompt: str
    prompt_version: int
    model: str
    messages: tuple[ChatMessage, ...]
    form: Form
    schema: Mapping[str, Any] | None
    """Only in the form `schema`."""
    schema_name: str
    max_tokens: int
    temperature: float

    def canonical(self) -> str:
        """All that changes the reply, as canonical JSON."""
        return json.dumps(
            {"messages": [[one.role, one.text] for one in self.messages], "form": self.form, "schema": self.schema,
             "max_tokens": self.max_tokens, "temperature": self.temperature, "model": self.model},
            ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of `canonical`."""
        return hashlib.sha256(self.canonical().encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Correction:
    """Why a request is sent a second time."""

    fault: str
    reply: str | None
    """The first reply; None where it is of no use to the model (empty, or cut)."""


def to_send(
    request: Request[Any], *, model: str, form: Form, temperature: float, correction: Correction | None = None,
) -> Sent:
    """What is sent for a request in this form. The shape of the reply is told in words in every form: a server may
    drop a schema without a word."""
    reply: type[BaseModel] = request.reply
    messages = (*_with_shape(request.messages, reply), *(_corrective(correction) if correction else ()))
    return Sent(
        purpose=request.purpose, prompt=request.prompt, prompt_version=request.prompt_version, model=model,
        messages=messages, form=form, schema=schema_of(reply) if form == "schema" else None,
        schema_name=request.purpose, max_tokens=request.max_tokens, temperature=temperature)


def _with_shape(messages: tuple[ChatMessage, ...], reply: type[BaseModel]) -> tuple[ChatMessage, ...]:
    words = f"Reply with one JSON object of this shape and nothing else: {shape_of(reply)}"
    for place, message in enumerate(messages):
        if message.role == "system":
            return (*messages[:place], ChatMessage("system", f"{message.text}\n\n{words}"), *messages[place + 1:])
    return (ChatMessage("system", words), *messages)


def _corrective(correction: Correction) -> tuple[ChatMessage, ...]:
    words = ChatMessage(
        "user", f"Your reply cannot be used. {correction.fault} Reply again, with one JSON object and nothing else.")
    if not correction.reply:
        return (words,)
    return (ChatMessage("assistant", correction.reply[:LONGEST_REPEATED]), words)
