"""The request of a call is made again: equal, or why it is not."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tests.unit.made_calls import made_call
from trace_graph.errors import NotFound
from trace_graph.llm.sending import Correction, to_send
from trace_graph.llm.texts import MessageText, Named, Texts
from trace_graph.llm.values import ChatMessage, Request
from trace_graph.memory.rebuilding import Renderer, rebuilt, renderer_of
from trace_graph.models import CallDetail, RebuiltRequest, RequestMessage
from trace_graph.models.calls import Purpose


class RouteInputs(BaseModel):
    messages: tuple[str, ...]


class RouteReply(BaseModel):
    topic: str = ""


def named(inputs: RouteInputs) -> Named:
    return Named.of(messages=inputs.messages)


def render(inputs: RouteInputs, texts: Texts, version: int | None = None) -> tuple[ChatMessage, ...]:
    if version != 1:
        raise NotFound(f"There is no prompt route-{version} in this trace-graph.")
    said = "\n".join(json.dumps(texts.messages[id].text) for id in inputs.messages)
    return ChatMessage("system", "Say where it belongs."), ChatMessage("user", said)


FAKE = Renderer(RouteInputs, RouteReply, named, render)
INPUTS = RouteInputs(messages=("m1", "m2"))
THERE = Texts({id: MessageText("Mira", "user", datetime(2024, 1, 1, tzinfo=UTC), f"Text {id}.") for id in ("m1", "m2")})
SHAPE = 'Reply with one JSON object of this shape and nothing else: {"topic": "text"}'


def call(correction: Correction | None = None, **more: Any) -> CallDetail:
    """A call whose request was sent with these texts."""
    made = made_call(inputs=INPUTS.model_dump(mode="json"))
    request = Request(
        purpose="route", prompt="route", prompt_version=1, messages=render(INPUTS, THERE, 1), reply=RouteReply,
        inputs=made.inputs, max_tokens=512)
    sent = to_send(request, model=made.model, form=made.form, temperature=0.0, correction=correction)
    return CallDetail(**{
        **vars(made), "id": "c", "space": "s", "request_hash": sent.hash, "follows": None, "recall": None,
        "change_seq": 1, "made": [], **more})


def again(of: CallDetail, texts: Texts = THERE, first: CallDetail | None = None) -> RebuiltRequest:
    return rebuilt(of, INPUTS, texts, first=first, renderer=FAKE)


def test_the_same_texts_give_the_same_request() -> None:
    assert again(call()) == RebuiltRequest(outcome="equal", messages=[
        RequestMessage(role="system", text=f"Say where it belongs.\n\n{SHAPE}"),
        RequestMessage(role="user", text='"Text m1."\n"Text m2."')])


@pytest.mark.parametrize("change", [{"max_tokens": 5}, {"temperature": 1.0}, {"form": "json"}, {"model": "other"}])
def test_what_the_hash_covers_makes_it_differ(change: dict[str, Any]) -> None:
    rebuilt_request = again(call(**change))

    assert (rebuilt_request.outcome, len(rebuilt_request.messages)) == ("differs", 2)


def test_what_was_erased_is_named_and_nothing_else_is_shown() -> None:
    assert again(call(), Texts({"m2": THERE.messages["m2"]})) == RebuiltRequest(
        outcome="erased", erased=["m1"], why="Texts that it was made of were erased, or may not be read.")


def test_a_prompt_that_is_not_here_is_said() -> None:
    assert again(call(prompt_version=9)) == RebuiltRequest(
        outcome="unknown", why="There is no prompt route-9 in this trace-graph.")


FIRST = call(outcome="faulty", fault="T9 was not offered.", reply="T9")


@pytest.mark.parametrize(("correction", "first"), [
    (Correction("T9 was not offered.", "T9"), FIRST),
    (Correction("It was cut.", None), call(outcome="truncated", fault="It was cut.", reply='{"topic": "T')),
    (None, call(outcome="empty", fault="Nothing came.", reply="")),
])
def test_a_second_attempt_is_made_again_with_the_fault_of_the_first(
    correction: Correction | None, first: CallDetail
) -> None:
    second = again(call(correction, attempt=2), first=first)

    assert second.outcome == "equal"
    assert [one.role for one in second.messages[2:]] == (
        [] if correction is None else ["user"] if correction.reply is None else ["assistant", "user"])


def test_a_second_attempt_whose_first_is_gone_cannot_be_made_again() -> None:
    assert again(call(Correction("T9 was not offered.", "T9"), attempt=2)).outcome == "unknown"


def test_a_purpose_is_found_by_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("trace_graph.llm.purposes.route")
    vars(module).update(RouteInputs=RouteInputs, RouteReply=RouteReply, named=named, render=render)
    monkeypatch.setitem(sys.modules, module.__name__, module)

    assert renderer_of("route") == FAKE


@pytest.mark.parametrize("purpose", get_args(Purpose))
def test_every_purpose_has_its_renderer(purpose: Purpose) -> None:
    renderer = renderer_of(purpose)

    assert issubclass(renderer.inputs, BaseModel) and issubclass(renderer.reply, BaseModel)
