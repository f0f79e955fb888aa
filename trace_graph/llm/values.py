"""What is asked of a model, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from trace_graph.models.calls import ModelCall, Purpose

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True)
class ChatMessage:
    """One message of a chat request."""

    role: Literal["system", "user", "assistant"]
    text: str


def no_fault(reply: Any) -> None:
    """The check of a purpose that has no rules beyond its reply's types."""


@dataclass(frozen=True)
class Request(Generic[Reply]):
    """One question to a model."""

    purpose: Purpose
    prompt: str
    """Name of the prompt file, for example `route`."""
    prompt_version: int
    messages: tuple[ChatMessage, ...]
    reply: type[Reply]
    """A pydantic model whose JSON schema keeps to objects, arrays, strings, numbers, booleans and enums."""
    inputs: Mapping[str, Any]
    """See `ModelCall.inputs`."""
    max_tokens: int
    """Of the reply; a reply that reaches it is truncated and not used."""
    check: Callable[[Reply], str | None] = no_fault
    """What breaks a rule of the purpose, in words for the model; None where nothing does. It is asked once more with
    these words; what is wrong still is the caller's to drop."""
    shown_field: str = "answer"
    """The field of the reply whose text `on_text` is given while it arrives."""


OnText = Callable[[str], None]
"""Takes the next piece of a text that arrives."""


@dataclass(frozen=True)
class Answered(Generic[Reply]):
    """What came of one question."""

    value: Reply | None
    """None where there is no reply that could be understood: the caller goes on without the model."""
    calls: tuple[ModelCall, ...]
    """Every call that was made for it, in order; empty where none was (breaker open, allowance used up)."""
    fault: str | None = None
    """Of the value, where `check` still finds one; otherwise why there is no value."""

    def with_figures(self, figures: Mapping[str, float]) -> Answered[Reply]:
        """The same, with these figures on the last call."""
        if not self.calls:
            return self
        return replace(self, calls=(*self.calls[:-1], replace(self.calls[-1], figures=dict(figures))))


class Model(Protocol):
    """Something that answers requests; `llm.asking.Asker` is the one that speaks to an endpoint."""

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""

    @property
    def resting(self) -> str | None:
        """Why no call is made at present (breaker open, allowance used up), in a sentence; None where one may be."""

    async def ask(self, request: Request[Reply], *, on_text: OnText | None = None) -> Answered[Reply]:
        """Ask once, and once more with the fault named where the first reply is not good. Never raises for what a
        model or an endpoint does.

        With `on_text` the first reply is streamed: its `shown_field` is given on piece by piece as it arrives, before
        anything is checked. What is right is the value that is returned: show that where it differs."""

    async def close(self) -> None:
        """Give back connections."""


def all_calls(answered: Sequence[Answered[Any]]) -> list[ModelCall]:
    """The calls of several answers, in their order."""
    return [call for one in answered for call in one.calls]
