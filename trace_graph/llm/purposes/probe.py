"""Whether a model answers at all. Pure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.reply_types import Text
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import ChatMessage, Request

PROMPT = "probe"
REPLY_TOKENS = 1_024
"""A reply has 10; a model that thinks aloud needs room for it. Guess."""


class ProbeInputs(BaseModel):
    """What the model is shown."""

    model_config = ConfigDict(frozen=True)

    word: str = "harbour"


class ProbeReply(BaseModel):
    """What it says."""

    word: Text = ""


def named(inputs: ProbeInputs) -> Named:
    """Nothing of the memory."""
    return Named()


def render(inputs: ProbeInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    """The messages of the request."""
    return ChatMessage("system", prompt(PROMPT, version).text), ChatMessage("user", inputs.word)


def request() -> Request[ProbeReply]:
    """The request, whose reply is faulty where it is another word."""
    inputs = ProbeInputs()

    def check(reply: ProbeReply) -> str | None:
        return None if reply.word.strip().casefold() == inputs.word else "word: it is not the word that was named"

    latest = prompt(PROMPT)
    return Request(
        purpose="probe", prompt=PROMPT, prompt_version=latest.version, messages=render(inputs, Texts()),
        reply=ProbeReply, inputs=inputs.model_dump(mode="json"), max_tokens=REPLY_TOKENS, check=check)
