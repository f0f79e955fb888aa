"""The request of a call to a model, made again from what was kept of it and the texts that may be read now."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta, timezone
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from trace_graph.access.scopes import Scope
from trace_graph.errors import NotFound
from trace_graph.llm.texts import MessageText, Named, RevisionText, Texts
from trace_graph.llm.values import ChatMessage
from trace_graph.models import CallDetail, RebuiltRequest, RequestMessage
from trace_graph.models.calls import Purpose
from trace_graph.store.connection import Store


@dataclass(frozen=True)
class Renderer:
    """How the requests of one purpose are made."""

    inputs: type[BaseModel]
    reply: type[BaseModel]
    named: Callable[[Any], Named]
    render: Callable[[Any, Texts, int | None], tuple[ChatMessage, ...]]


class Asking(Protocol):
    """What the door to the model does with a request: the rest of what its hash covers."""

    def request_hash(
        self, messages: tuple[ChatMessage, ...], reply: type[BaseModel], call: CallDetail
    ) -> str:
        """SHA-256 (hex) of the request of this call with these messages."""

    def corrective(
        self, messages: tuple[ChatMessage, ...], first: CallDetail
    ) -> tuple[ChatMessage, ...]:
        """The messages of the second attempt, after a first one with such a fault."""


def renderer_of(purpose: Purpose) -> Renderer:
    """The renderer of a purpose, from its module, which is imported now.

    The module `route` holds RouteInputs, RouteReply, named and render; and so on.
    """
    module = importlib.import_module(f"trace_graph.llm.purposes.{purpose}")
    word = purpose.capitalize()
    return Renderer(
        getattr(module, f"{word}Inputs"), getattr(module, f"{word}Reply"), module.named, module.render)


async def read_texts(store: Store, scope: Scope, named: Named) -> Texts:
    """The texts of these ids, as far as they are there and may be read."""
    messages, revisions = {}, {}
    if named.messages:
        for row in await store.read("texts_of_messages", ids=sorted(named.messages), spaces=scope.ids):
            there = timezone(timedelta(minutes=row["occurred_offset"] or 0))
            messages[row["id"]] = MessageText(
                row["author"], row["role"], row["occurred_at"].astimezone(there), row["text"])
    if named.revisions:
        for row in await store.read("texts_of_revisions", ids=sorted(named.revisions), spaces=scope.ids):
            revisions[row["id"]] = RevisionText(row["title"], row["text"])
    return Texts(messages, revisions)


async def rebuild(
    store: Store, scope: Scope, call: CallDetail, first: CallDetail | None, asking: Asking, *,
    renderers: Callable[[Purpose], Renderer] = renderer_of,
) -> RebuiltRequest:
    """Make the request of a call again, and compare its hash with the one that was kept.

    Args:
        first: the attempt whose fault a second one names; None of a first attempt, or where it is not kept any more.
    """
    renderer = renderers(call.purpose)
    try:
        inputs = renderer.inputs.model_validate(call.inputs)
    except ValidationError:
        return RebuiltRequest(outcome="unknown", why="Another version of trace-graph made these inputs.")
    named = renderer.named(inputs)
    texts = await read_texts(store, scope, named)
    return rebuilt(call, inputs, texts, first=first, renderer=renderer, asking=asking)


def rebuilt(
    call: CallDetail, inputs: BaseModel, texts: Texts, *, first: CallDetail | None, renderer: Renderer, asking: Asking
) -> RebuiltRequest:
    """The request from its texts. Pure."""
    if erased := texts.lacks(renderer.named(inputs)):
        return RebuiltRequest(
            outcome="erased", erased=erased, why="Texts that it was made of were erased, or may not be read.")
    try:
        messages = renderer.render(inputs, texts, call.prompt_version)
    except NotFound as error:
        return RebuiltRequest(outcome="unknown", why=error.message)
    if call.attempt > 1:
        if first is None or first.reply is None:
            return RebuiltRequest(
                outcome="unknown", why="It names the fault of an earlier attempt, which is not kept.",
                messages=_shown(messages))
        messages = asking.corrective(messages, first)
    if asking.request_hash(messages, renderer.reply, call) == call.request_hash:
        return RebuiltRequest(outcome="equal", messages=_shown(messages))
    return RebuiltRequest(
        outcome="differs", messages=_shown(messages),
        why="The prompt, the schema of the reply or a text is another than when it was asked.")


def _shown(messages: tuple[ChatMessage, ...]) -> list[RequestMessage]:
    return [RequestMessage(role=one.role, text=one.text) for one in messages]
