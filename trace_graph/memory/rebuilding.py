"""The request of a call to a model, made again from what was kept of it and the texts that may be read now."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta, timezone
from typing import Any

from pydantic import BaseModel, ValidationError

from trace_graph.access.scopes import Scope
from trace_graph.errors import NotFound
from trace_graph.llm.asking import NOT_ENFORCED
from trace_graph.llm.sending import Correction, Sent, to_send
from trace_graph.llm.texts import MessageText, Named, RevisionText, Texts
from trace_graph.llm.values import ChatMessage, Request
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
    store: Store, scope: Scope, call: CallDetail, first: CallDetail | None, *,
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
    texts = await read_texts(store, scope, renderer.named(inputs))
    return rebuilt(call, inputs, texts, first=first, renderer=renderer)


def rebuilt(
    call: CallDetail, inputs: BaseModel, texts: Texts, *, first: CallDetail | None, renderer: Renderer
) -> RebuiltRequest:
    """The request from its texts. Pure."""
    if erased := texts.lacks(renderer.named(inputs)):
        return RebuiltRequest(
            outcome="erased", erased=erased, why="Texts that it was made of were erased, or may not be read.")
    try:
        messages = renderer.render(inputs, texts, call.prompt_version)
    except NotFound as error:
        return RebuiltRequest(outcome="unknown", why=error.message)
    sent = [_sent(call, messages, renderer, correction) for correction in _corrections(call, first)]
    same = next((one for one in sent if one.hash == call.request_hash), None)
    if same is not None:
        return RebuiltRequest(outcome="equal", messages=_shown(same))
    gone = call.attempt > 1 and first is None
    return RebuiltRequest(
        outcome="unknown" if gone else "differs", messages=_shown(sent[0]),
        why="It names the fault of an earlier attempt, which is not kept." if gone else
        "The prompt, the shape of the reply or a text is another than when it was asked.")


def _sent(
    call: CallDetail, messages: tuple[ChatMessage, ...], renderer: Renderer, correction: Correction | None
) -> Sent:
    request = Request(
        purpose=call.purpose, prompt=call.prompt, prompt_version=call.prompt_version, messages=messages,
        reply=renderer.reply, inputs=call.inputs, max_tokens=call.max_tokens or 0)
    return to_send(
        request, model=call.model, form=call.form, temperature=call.temperature or 0.0, correction=correction)


def _corrections(call: CallDetail, first: CallDetail | None) -> list[Correction | None]:
    """What the request may have said of the attempt before it, the likeliest first.

    A call's fault may tell more than the model was told; after an empty reply the same was asked again.
    """
    if call.attempt == 1 or first is None or first.fault is None:
        return [None]
    told = [first.fault, first.fault.removesuffix(NOT_ENFORCED).rstrip()]
    return [
        *(Correction(fault, reply) for fault in dict.fromkeys(told) for reply in dict.fromkeys((first.reply, None))),
        None]


def _shown(sent: Sent) -> list[RequestMessage]:
    return [RequestMessage(role=one.role, text=one.text) for one in sent.messages]
