"""The request of a call to a model, made again from what was kept of it and the texts that may be read now."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from trace_graph.access.scopes import Scope
from trace_graph.errors import NotFound
from trace_graph.llm.sending import Correction, Sent, correction_after, to_send
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import ChatMessage, Request
from trace_graph.models import CallDetail, RebuiltRequest, RequestMessage
from trace_graph.models.calls import Purpose
from trace_graph.organize.showing import read_texts
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
    texts = await read_texts(store, scope.ids, renderer.named(inputs))
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
    before = None if call.attempt == 1 else first
    correction = correction_after(before.outcome, before.fault, before.reply) if before else None
    sent = _sent(call, messages, renderer, correction)
    if sent.hash == call.request_hash:
        return RebuiltRequest(outcome="equal", messages=_shown(sent))
    gone = call.attempt > 1 and first is None
    return RebuiltRequest(
        outcome="unknown" if gone else "differs", messages=_shown(sent),
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


def _shown(sent: Sent) -> list[RequestMessage]:
    return [RequestMessage(role=one.role, text=one.text) for one in sent.messages]
