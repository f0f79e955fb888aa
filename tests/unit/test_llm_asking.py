"""How a question is put to a model, over HTTP with the real SDK: ladder, correction, quarantine, breaker, allowance."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.scripted_chat import (
    answering,
    completion,
    keeping_to_the_schema,
    server_a,
    server_b,
    stream,
    without_response_format,
)
from tests.scripted_openai import Reply, ScriptedOpenAI, error, scripted_openai
from trace_graph.llm.asking import Asker, Manners
from trace_graph.llm.endpoint import OpenAIEndpoint
from trace_graph.llm.forms import Forms, Proved
from trace_graph.llm.judging import LONGEST_FAULT
from trace_graph.llm.reading_json import LONGEST
from trace_graph.llm.reply_types import Items, Text
from trace_graph.llm.resting import Allowance, Limits, Spent
from trace_graph.llm.sending import correction_after, to_send
from trace_graph.llm.values import Answered, ChatMessage, Request

NOW = datetime(2026, 5, 14, 9, 0, tzinfo=UTC)
GOOD = '{"facts":["Mira plays cello"]}'
MODEL = "org/gpt-oss-20b-local"


class Facts(BaseModel):
    facts: Items[Text] = Field(default_factory=list)


class Said(BaseModel):
    answer: str


def no_walnuts(reply: Facts) -> str | None:
    wrong = [one for one in reply.facts if "walnut" in one]
    return f"{len(wrong)} of the facts name walnuts." if wrong else None


def question(
    reply: type[BaseModel] = Facts, text: str = "Mira said: I play the cello.", **options: Any
) -> Request[Any]:
    return Request(
        purpose="route", prompt="route", prompt_version=1, reply=reply, inputs={"segments": ["s-1"]}, max_tokens=200,
        messages=(ChatMessage("system", "Note facts."), ChatMessage("user", text)), **options)


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as scripted:
        scripted.answer = answering(lambda request: GOOD)
        yield scripted


async def at_once(seconds: float) -> None:
    """Stands in for sleeping."""


def asker(
    server: ScriptedOpenAI, *, forms: Forms | None = None, limits: Limits | None = None, used: Spent | None = None,
    **manners: Any,
) -> Asker:
    endpoint = OpenAIEndpoint(MODEL, server.url, "secret", timeout_seconds=20, deadline_seconds=60, sleep=at_once)
    return Asker(
        endpoint, clock=lambda: NOW, forms=forms or Forms(), manners=Manners(**manners),
        allowance=Allowance(limits or Limits(), used or Spent(), NOW))


def ask(model: Asker, *requests: Request[Any]) -> list[Answered[Any]]:
    """Ask one after the other."""
    async def run() -> list[Answered[Any]]:
        answers = [await model.ask(request) for request in requests]
        await model.close()
        return answers

    return asyncio.run(run())


def asked_forms(server: ScriptedOpenAI) -> list[str]:
    return [request.form for request in server.requests]


def outcomes(answered: Answered[Any]) -> list[tuple[str, str, int]]:
    return [(call.form, call.outcome, call.attempt) for call in answered.calls]


def test_a_question_is_asked_by_schema_and_kept_as_a_call(server: ScriptedOpenAI) -> None:
    model = asker(server)

    [answered] = ask(model, question())

    assert answered.value == Facts(facts=["Mira plays cello"])
    [call] = answered.calls
    assert (call.model, call.host, call.form, call.attempt, call.at, call.outcome, call.reply, call.finish) == (
        MODEL, model.host, "schema", 1, NOW, "ok", GOOD, "stop")
    assert (call.tokens_in, call.tokens_out, call.requests, call.fault, call.request) == (100, 12, 1, None, None)
    assert call.inputs == {"segments": ["s-1"]}
    sent = to_send(question(), model=MODEL, form="schema", temperature=0.0)
    assert call.request_hash == sent.hash
    [request] = server.requests
    assert (request.path, request.headers["authorization"]) == ("/v1/chat/completions", "Bearer secret")
    assert request.body == {
        "model": MODEL, "max_tokens": 200, "temperature": 0.0,
        "messages": [{"role": one.role, "content": one.text} for one in sent.messages],
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "route", "strict": True, "schema": sent.schema}}}
    assert model.resting is None


def test_a_server_without_response_format_is_asked_by_the_prompt_alone_and_remembered(server: ScriptedOpenAI) -> None:
    server.answer = without_response_format(answering(lambda request: f"Sure: {GOOD}"))
    forms = Forms()
    model = asker(server, forms=forms)

    first, second = ask(model, question(), question())

    assert outcomes(first) == [("schema", "refused", 1), ("json", "refused", 1), ("plain", "ok", 1)]
    assert outcomes(second) == [("plain", "ok", 1)]
    [proved] = Forms.from_json(json.loads(json.dumps(forms.as_json()))).all()
    assert proved == forms.of(MODEL, model.host)
    assert (proved.form, proved.at) == ("plain", NOW)
    assert "refuses a request in the form json (HTTP 400)" in proved.why


def test_empty_content_with_a_form_goes_one_rung_down(server: ScriptedOpenAI) -> None:
    """PC-007: never "nothing found"; the choice is remembered, with its reason."""
    server.answer = lambda request: completion("") if "response_format" in request.body else completion(GOOD)
    forms = Forms()

    first, second = ask(asker(server, forms=forms), question(), question())

    assert outcomes(first) == [("schema", "empty", 1), ("json", "empty", 1), ("plain", "ok", 1)]
    assert outcomes(second) == [("plain", "ok", 1)]
    assert "no content, for 12 tokens" in forms.all()[0].why


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_an_endpoint_that_only_answers_with_nothing_is_left_alone_after_three_requests(
    server: ScriptedOpenAI, content: str | None
) -> None:
    """PC-008: the fault names the tokens, the reason endpoint and model."""
    server.answer = lambda request: completion(content, tokens_out=180)
    model = asker(server)

    first, second = ask(model, question(), question())

    assert outcomes(first) == [("schema", "empty", 1), ("json", "empty", 1), ("plain", "empty", 1)]
    assert (first.value, second.value, second.calls) == (None, None, ())
    assert first.calls[0].fault == "The endpoint answered with no content, for 180 tokens."
    assert second.fault == model.resting == (
        f"The model endpoint {model.host} (model {MODEL}): The endpoint answered with no content, for 180 tokens.")


def test_json_in_the_reasoning_is_used_where_it_is_nothing_but_that_and_it_is_said(
    server: ScriptedOpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    """PC-008."""
    server.script = [completion(None, reasoning=GOOD), completion(None, reasoning=f"Perhaps {GOOD}?")]

    with caplog.at_level(logging.WARNING):
        first, second = ask(asker(server), question(), question())

    assert (first.value, outcomes(first)) == (Facts(facts=["Mira plays cello"]), [("schema", "ok", 1)])
    assert first.calls[0].fault == "The reply stood in the reasoning, and the content was empty."
    assert "reply taken from the reasoning" in caplog.text
    assert outcomes(second) == [("schema", "empty", 1), ("json", "ok", 1)]


@pytest.mark.parametrize("bad", [
    "I found nothing.", '{"facts":["a"],', "<think>Hm.", '{"facts":["a"]} or {"facts":["b"]}',
    '{"type":"object","properties":{"facts":{}}}', '<|channel|>commentary<|message|>{"facts":["draft"]}',
])
def test_a_reply_that_cannot_be_read_is_asked_for_once_more_with_its_fault(server: ScriptedOpenAI, bad: str) -> None:
    """PC-004, PC-005, PC-010, PC-011, PC-016."""
    server.script = [completion(bad)]

    [answered] = ask(asker(server), question())

    assert (answered.value, answered.fault) == (Facts(facts=["Mira plays cello"]), None)
    assert outcomes(answered) == [("schema", "malformed", 1), ("schema", "ok", 2)]
    fault = answered.calls[0].fault or ""
    assert [call.figures for call in answered.calls] == [{"not_enforced": 1.0}, {}]
    *_, repeated, correction = server.requests[1].body["messages"]
    assert (repeated["role"], repeated["content"], correction["role"]) == ("assistant", bad, "user")
    assert fault and fault in correction["content"]
    first, second = answered.calls
    rebuilt = to_send(question(), model=MODEL, form=second.form, temperature=0.0,
                      correction=correction_after(first.outcome, first.fault, first.reply))
    assert rebuilt.hash == second.request_hash


def test_what_cannot_be_read_twice_is_quarantined_and_the_model_goes_on(server: ScriptedOpenAI) -> None:
    server.script = [completion("No."), completion("No!")]
    model = asker(server)

    first, second = ask(model, question(), question())

    assert (first.value, first.fault) == (None, "It cannot be read as JSON: there is no JSON object in it.")
    assert outcomes(first) == [("schema", "malformed", 1), ("schema", "malformed", 2)]
    assert second.value is not None
    assert model.resting is None


def test_a_model_that_never_says_anything_usable_is_left_alone(server: ScriptedOpenAI) -> None:
    server.answer = answering(lambda request: "No.")
    model = asker(server)

    answers = ask(model, *[question()] * 20)

    assert len(server.requests) == 24
    assert [len(one.calls) for one in answers] == [2] * 12 + [0] * 8
    assert (model.resting or "").startswith("12 questions in a row got no usable reply")


def test_a_broken_rule_is_named_and_the_better_reply_is_kept(server: ScriptedOpenAI) -> None:
    one, three = '{"facts":["a walnut"]}', '{"facts":["walnut","walnut cake","walnuts for 100 people"]}'
    server.script = [completion(one), completion(GOOD), completion(one), completion("No."), completion(three),
                     completion(one)]
    model = asker(server)

    good, kept, second = ask(model, *[question(check=no_walnuts)] * 3)

    assert (good.value, good.fault) == (Facts(facts=["Mira plays cello"]), None)
    assert outcomes(good) == [("schema", "faulty", 1), ("schema", "ok", 2)]
    assert "1 of the facts name walnuts." in server.requests[1].body["messages"][-1]["content"]
    assert (kept.value, kept.fault) == (Facts(facts=["a walnut"]), "1 of the facts name walnuts.")
    assert outcomes(kept) == [("schema", "faulty", 1), ("schema", "malformed", 2)]
    assert second.value == Facts(facts=["a walnut"])


def test_a_reply_that_was_cut_is_never_taken_even_where_it_is_whole(server: ScriptedOpenAI) -> None:
    server.script = [completion(GOOD, finish="length"), completion(GOOD, finish="length")]

    [answered] = ask(asker(server), question())

    assert (answered.value, outcomes(answered)) == (None, [("schema", "truncated", 1), ("schema", "truncated", 2)])
    assert server.requests[1].body["messages"][-1]["content"] == (
        "Your reply cannot be used. It was cut at the limit of 200 tokens: be shorter. "
        "Reply again, with one JSON object and nothing else.")


def test_items_that_cannot_be_used_are_counted_on_the_call(server: ScriptedOpenAI) -> None:
    """PC-013."""
    server.script = [completion('{"facts":["a",null,{"b":1}]}')]

    [answered] = ask(asker(server), question())

    assert (answered.value, answered.calls[0].figures) == (Facts(facts=["a"]), {"dropped": 2.0})


def test_servers_that_cannot_do_all_of_json_schema_serve_ours(server: ScriptedOpenAI) -> None:
    """PC-019: A refuses, B drops what it cannot turn into a grammar; our schemas hold nothing of it."""
    for weak in (server_a, server_b):
        server.answer = weak(keeping_to_the_schema)
        [answered] = ask(asker(server), question())
        assert outcomes(answered) == [("schema", "ok", 1)]


def test_a_schema_that_is_not_enforced_is_counted_and_given_up_after_three_times(server: ScriptedOpenAI) -> None:
    """PC-019."""
    server.answer = answering(lambda request: "Sure!" if request.form == "schema" else GOOD)
    forms = Forms()

    answers = ask(asker(server, forms=forms), *[question()] * 3)

    assert [outcomes(one) for one in answers] == [
        [("schema", "malformed", 1), ("schema", "malformed", 2)],
        [("schema", "malformed", 1), ("json", "ok", 2)], [("json", "ok", 1)]]
    [proved] = forms.all()
    assert (proved.form, proved.unenforced) == ("json", 3)
    assert proved.why == "The endpoint takes the form schema, and 3 replies in a row broke it."


@pytest.mark.parametrize(("reply", "requests"), [
    (error(500), 3), (error(503), 3), (Reply(200, b"<html>Welcome</html>"), 3), (Reply(200, {"choices": []}), 3),
    (error(401, "invalid_api_key"), 1), (error(403), 1), (error(404, "model_not_found"), 1),
    (error(400, "model_not_found"), 1), (error(429, "insufficient_quota"), 1), (error(429, retry_after="7200"), 1),
    (error(400), 3), (error(422), 3), (Reply(200, {"choices": []}, cut=True), 3),
])
def test_a_failing_endpoint_costs_three_requests_at_most(server: ScriptedOpenAI, reply: Reply, requests: int) -> None:
    """However many questions there are, at once or one after the other; the run goes on without the model."""
    server.answer = lambda request: reply
    model = asker(server)

    async def run() -> list[Answered[Any]]:
        answers = await asyncio.gather(*(model.ask(question(text=str(number))) for number in range(8)))
        answers += [await model.ask(question())]
        await model.close()
        return answers

    answers = asyncio.run(run())
    assert len(server.requests) == requests == sum(call.requests for one in answers for call in one.calls)
    assert [one.value for one in answers] == [None] * 9
    assert model.resting is not None
    assert answers[-1].fault == model.resting
    assert f"The model endpoint {model.host} (model {MODEL}) " in model.resting


def test_a_wrong_setting_is_named(server: ScriptedOpenAI) -> None:
    """PC-115: and nothing that the endpoint says is repeated."""
    reasons = []
    for status in (401, 404):
        server.answer = lambda request, status=status: Reply(  # type: ignore[misc]  # bound at once
            status, {"error": {"message": "private words of secret", "code": "private words"}})
        model = asker(server)
        ask(model, question())
        reasons.append((model.resting or "").removeprefix(f"The model endpoint {model.host} (model {MODEL}) "))

    assert reasons == [
        "does not accept the API key (HTTP 401). Set TRACE_GRAPH_LLM__API_KEY, or OPENAI_API_KEY, to a key of that "
        "endpoint.",
        "serves no such model, or no chat at this address (HTTP 404). Check the name in TRACE_GRAPH_MODEL, and the "
        "base URL (TRACE_GRAPH_LLM__BASE_URL or OPENAI_BASE_URL), which mostly ends in /v1."]
    assert {request.body["model"] for request in server.requests} == {MODEL}


def test_a_request_that_is_too_long_fails_alone(server: ScriptedOpenAI) -> None:
    """PC-106: the endpoint is well, so the next questions are asked."""
    def answer(request: Any) -> Reply:
        long = len(request.body["messages"][1]["content"]) > 1000
        return error(400, "context_length_exceeded") if long else completion(GOOD)

    server.answer = answer
    model = asker(server)

    answers = ask(model, question(), *[question(text="log " * 1000)] * 4, question())

    assert [one.value is not None for one in answers] == [True, False, False, False, False, True]
    assert [outcomes(one) for one in answers[1:3]] == [[("schema", "refused", 1)]] * 2
    assert "summaries.tokens_a_call" in (answers[1].fault or "")


def test_after_a_failure_the_others_wait_to_see_whether_it_goes_on(server: ScriptedOpenAI) -> None:
    """Ten workers at once on an endpoint that recovers: all are served, and none gives up."""
    server.script = [error(503), error(500)]
    model = asker(server, concurrency=10)

    async def run() -> list[Answered[Any]]:
        answers = await asyncio.gather(*(model.ask(question(text=str(number))) for number in range(10)))
        await model.close()
        return list(answers)

    assert [one.value is not None for one in asyncio.run(run())] == [True] * 10
    assert len(server.requests) == 12


def test_a_crowd_finds_out_once_what_the_model_can_do(server: ScriptedOpenAI) -> None:
    server.answer = without_response_format(answering(lambda request: GOOD))
    model = asker(server, concurrency=10)

    async def run() -> list[Answered[Any]]:
        answers = await asyncio.gather(*(model.ask(question(text=str(number))) for number in range(10)))
        await model.close()
        return list(answers)

    assert [one.value is not None for one in asyncio.run(run())] == [True] * 10
    assert sorted(asked_forms(server)) == ["json"] + ["plain"] * 10 + ["schema"]


def test_no_more_requests_are_under_way_than_allowed(server: ScriptedOpenAI) -> None:
    under_way: list[int] = []
    most = [0]

    class Counting:
        model, host = "m", "h"

        async def send(self, sent: Any, **_: Any) -> Any:
            from trace_graph.llm.completions import Completion

            under_way.append(1)
            most[0] = max(most[0], len(under_way))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            under_way.pop()
            return Completion(GOOD, None, "stop", 1, 1)

        async def close(self) -> None:
            pass

    model = Asker(Counting(), clock=lambda: NOW, forms=Forms(), allowance=Allowance(Limits(), Spent(), NOW),
                  manners=Manners(concurrency=3))

    async def run() -> None:
        await asyncio.gather(*(model.ask(question()) for _ in range(20)))

    asyncio.run(run())
    assert most == [3]


@pytest.mark.parametrize(("limits", "used", "asked", "named"), [
    (Limits(calls_per_run=3), Spent(), 3, "3 calls_per_run"),
    (Limits(calls_per_day=5), Spent(calls=3), 2, "5 calls_per_day"),
    (Limits(tokens_per_run=200), Spent(), 2, "200 tokens_per_run"),
    (Limits(tokens_per_day=300), Spent(tokens=250), 1,
     "300 tokens_per_day"),
    (Limits(calls_per_run=0), Spent(), 0, "0 calls_per_run"),
])
def test_what_is_used_up_stops_the_model_and_is_named(
    server: ScriptedOpenAI, limits: Limits, used: Spent, asked: int, named: str
) -> None:
    model = asker(server, limits=limits, used=used)

    answers = ask(model, *[question()] * 4)

    assert [one.value is not None for one in answers] == [True] * asked + [False] * (4 - asked)
    assert len(server.requests) == asked
    number, setting = named.split()
    assert model.resting == answers[-1].fault == (
        f"The allowance of {number} {setting.replace('_per_', ' a ')} is used up (setting llm.{setting}).")


def test_a_new_day_begins_with_a_new_allowance() -> None:
    allowance = Allowance(Limits(calls_per_day=2, tokens_per_run=100), Spent(calls=1), NOW)
    allowance.take(1, 10, NOW)

    assert allowance.used_up(NOW) is not None
    assert allowance.used_up(NOW + timedelta(days=1)) is None
    allowance.take(1, 90, NOW + timedelta(days=1))
    assert "tokens a run" in (allowance.used_up(NOW + timedelta(days=1)) or "")


def test_the_whole_request_is_kept_where_that_is_wanted(server: ScriptedOpenAI) -> None:
    [answered] = ask(asker(server, keep_requests=True), question())

    assert json.loads(answered.calls[0].request or "")["messages"][1] == ["user", "Mira said: I play the cello."]


@pytest.mark.parametrize("form", ["schema", "plain"])
def test_the_answer_is_shown_while_it_arrives(server: ScriptedOpenAI, form: Any) -> None:
    text = 'She said "café" 🎻\nand left.'
    server.answer = answering(lambda request: f"<think>{{\"answer\": \"draft\"}}</think>{json.dumps({'answer': text})}")
    model = asker(server, forms=Forms([Proved(MODEL, server.url.split("/")[2], form, NOW, "known")]))
    shown: list[str] = []

    async def run() -> Answered[Any]:
        answered = await model.ask(question(Said), on_text=shown.append)
        await model.close()
        return answered

    answered = asyncio.run(run())
    assert answered.value == Said(answer=text)
    assert (len(shown) > 3, "".join(shown)) == (True, text)
    [call] = answered.calls
    assert (call.form, call.finish, call.tokens_in, call.tokens_out) == (form, "stop", 100, 12)


def test_a_stream_that_breaks_off_is_noticed_repeated_and_shown_once(server: ScriptedOpenAI) -> None:
    said = '{"answer":"She plays the cello."}'
    server.script = [stream(said[:20], cut=True, finish=None), stream(said[:20], finish=None), stream(said)]
    shown: list[str] = []
    model = asker(server)

    async def run() -> list[Answered[Any]]:
        first = await model.ask(question(Said), on_text=shown.append)
        server.answer = lambda request: stream(said[:20], finish=None)
        second = await model.ask(question(Said), on_text=lambda text: None)
        await model.close()
        return [first, second]

    first, second = asyncio.run(run())
    assert first.value == Said(answer="She plays the cello.")
    assert (first.calls[0].requests, "".join(shown)) == (3, "She plays")
    assert (second.value, second.calls[0].outcome, second.calls[0].reply) == (None, "failed", said[:20])
    assert "broke off its reply" in (model.resting or "")


def test_parameters_that_an_endpoint_names_as_unknown_are_left_out(server: ScriptedOpenAI) -> None:
    """PC-121: found out by asking, never from the model's name."""
    def answer(request: Any) -> Reply:
        for name in ("max_tokens", "temperature"):
            if name in request.body:
                return error(400, "unsupported_parameter", param=name)
        return completion(GOOD)

    server.answer = answer
    model = asker(server)

    first, second = ask(model, question(), question())

    assert (first.value, first.calls[0].requests, second.calls[0].requests) == (Facts(facts=["Mira plays cello"]), 3, 1)
    assert server.requests[-1].body["max_completion_tokens"] == 200


def test_a_reply_is_judged_beside_the_event_loop(server: ScriptedOpenAI) -> None:
    threads: list[int] = []

    def check(reply: Facts) -> str | None:
        threads.append(threading.get_ident())
        return None

    ask(asker(server), question(check=check))

    assert threads and threading.get_ident() not in threads


def test_what_is_kept_of_a_reply_and_told_of_a_fault_is_clipped_and_says_so(server: ScriptedOpenAI) -> None:
    long = json.dumps({"facts": ["a" * 90_000]})
    endless = completion("a" * 1_000_000, reasoning="b" * 1_000_000)
    server.script = [completion(long), completion(long), endless, endless]
    request = question(check=lambda reply: "wrong: " + reply.facts[0])

    faulty, malformed = ask(asker(server), request, question())

    assert [call.reply for call in faulty.calls] == [long, long]
    assert {len(call.fault or "") for call in faulty.calls} == {len(faulty.fault or "")} == {LONGEST_FAULT}
    assert (faulty.fault or "").endswith("a [clipped]")
    assert len(json.dumps(server.requests[1].body)) < len(json.dumps(server.requests[0].body)) + 7000
    for call in malformed.calls:
        assert (len(call.reply or ""), call.outcome) == (LONGEST, "malformed")
        assert (call.reply or "").endswith("a [clipped]")
    again = to_send(request, model=MODEL, form="schema", temperature=0.0, correction=correction_after(
        faulty.calls[0].outcome, faulty.calls[0].fault, faulty.calls[0].reply))
    assert again.hash == faulty.calls[1].request_hash
