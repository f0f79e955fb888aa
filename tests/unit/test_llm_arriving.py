"""What an endpoint sends, whole or as a stream: nothing of it is taken for granted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.scripted_chat import answering, completion, stream
from tests.scripted_openai import Reply, ScriptedOpenAI, scripted_openai
from tests.unit.test_llm_asking import GOOD, Said, ask, asker, question
from trace_graph.llm import arriving
from trace_graph.llm.arriving import MOST_BYTES, Unreadable
from trace_graph.llm.completions import Completion, collect, read
from trace_graph.llm.values import Answered


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as scripted:
        scripted.answer = answering(lambda request: GOOD)
        yield scripted


def collected(body: bytes, size: int = 7) -> Completion | None:
    """What comes of a streamed answer that arrives in chunks of this size; None where it cannot be read."""
    async def chunks() -> AsyncIterator[bytes]:
        for place in range(0, len(body), size):
            yield body[place:place + size]

    try:
        return asyncio.run(collect(chunks(), [], lambda text: None))
    except Unreadable:
        return None


def streamed(*events: object, done: bool = True) -> bytes:
    lines = [json.dumps(event) for event in events] + (["[DONE]"] if done else [])
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def delta(content: object, finish: object = None) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": content}, "finish_reason": finish}]}


def asked_aloud(server: ScriptedOpenAI) -> tuple[Answered[Any], str]:
    """One question whose answer is shown while it arrives, and what was shown."""
    shown: list[str] = []

    async def run() -> Answered[Any]:
        model = asker(server)
        answered = await model.ask(question(Said), on_text=shown.append)
        await model.close()
        return answered

    return asyncio.run(run()), "".join(shown)


ODD = [
    {"choices": "abc"}, {"choices": {"a": 1}}, {"choices": 5}, {"choices": [{"delta": "x"}]},
    {"choices": [{"delta": [1]}]}, {"choices": [None]}, {"choices": [[]]}, [], None, 5, "text",
    {"error": {"message": 1}},
]


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_an_odd_chunk_is_a_failure_of_the_endpoint(server: ScriptedOpenAI, odd: object) -> None:
    body = streamed(delta("a"), odd, delta("b", "stop"))
    server.answer = lambda request: Reply(200, body, {"content-type": "text/event-stream"})

    answered, _ = asked_aloud(server)

    assert [(call.outcome, call.requests) for call in answered.calls] == [("failed", 3)]
    assert "model endpoint" in (answered.fault or "")


def test_a_chunk_that_is_nested_too_deeply_is_a_failure_of_the_endpoint() -> None:
    body = b'data: {"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n\n"
    assert collected(body, 1000) is None
    with pytest.raises(Unreadable):
        read(b"[" * 100_000)


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(
        some.sampled_from(
            ["choices", "delta", "message", "content", "text", "finish_reason", "usage", "prompt_tokens"]),
        inner, max_size=4), max_leaves=12)


@given(some.lists(JSON, max_size=4), some.booleans(), some.integers(1, 50))
def test_no_stream_whatever_raises(chunks: list[Any], done: bool, size: int) -> None:
    collected(streamed(*chunks, done=done), size)


@given(some.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_body_whatever_raises(body: bytes) -> None:
    collected(body)
    collected(b"data: " + body)
    try:
        answer = read(body)
    except Unreadable:
        return
    f"{answer.content}{answer.reasoning}{answer.finish}".encode()


@given(some.integers(1, 40), some.sampled_from(["\n", "\r\n"]))
def test_events_are_read_however_they_are_cut_and_whatever_stands_between_them(size: int, end: str) -> None:
    lines = [": hello", "", "event: message", f"data:{json.dumps(delta('Mira  '))}", "id: 3", "", "data: ", "",
             'data: {"choices": [],', f'data: "usage": {json.dumps({"prompt_tokens": 3})}}}', "",
             f"data: {json.dumps(delta('sails', 'stop'))}"]

    assert collected(end.join(lines).encode(), size) == Completion("Mira  sails", None, "stop", 3, None)


def test_an_answer_is_read_up_to_a_stated_number_of_bytes(server: ScriptedOpenAI) -> None:
    long = "a" * (MOST_BYTES + 1)
    for reply in (completion(long), stream(long, piece=100_000)):
        server.script = [reply] * 3
        answered, _ = asked_aloud(server)
        [call] = answered.calls
        assert (answered.value, call.outcome) == (None, "failed")
        assert "sent more than 4,000,000 bytes" in (answered.fault or "")
    server.script = [completion(long)] * 3
    [whole] = ask(asker(server), question())
    assert "sent more than 4,000,000 bytes" in (whole.fault or "")


def test_what_exceeds_the_limit_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "MOST_BYTES", 1000)
    taken: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            taken.append(100)
            yield b"data: 1" + b" " * 93

    with pytest.raises(Unreadable):
        asyncio.run(collect(endless(), [], lambda text: None))
    assert sum(taken) == 1100


def test_a_server_that_does_not_stream_is_shown_when_its_reply_has_come(server: ScriptedOpenAI) -> None:
    server.answer = lambda request: completion('{"answer":"She plays the cello."}')

    answered, shown = asked_aloud(server)

    assert (answered.value, shown) == (Said(answer="She plays the cello."), "She plays the cello.")
    assert [call.tokens_in for call in answered.calls] == [100]


@pytest.mark.parametrize(("pieces", "done", "taken"), [
    (['{"answer":', '"a"}'], True, True), (['{"answer":', '"a"'], True, False), (['{"answer":', '"a"}'], False, False),
    ([], True, False), (["a"], True, False),
])
def test_a_stream_without_finish_reason_is_taken_where_it_is_seen_to_be_whole(
    pieces: list[str], done: bool, taken: bool
) -> None:
    completed = collected(streamed(*map(delta, pieces), done=done))

    assert completed == (Completion('{"answer":"a"}', None, None, None, None) if taken else None)
