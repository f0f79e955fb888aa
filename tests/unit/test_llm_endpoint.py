"""One chat request: when it is tried again, how long is waited, and what ends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.scripted_chat import completion
from tests.scripted_openai import Reply, ScriptedOpenAI, error, scripted_openai
from tests.unit.test_llm_asking import GOOD, question
from trace_graph.llm.completions import Completion, read
from trace_graph.llm.endpoint import NoReply, OpenAIEndpoint
from trace_graph.llm.sending import to_send
from trace_graph.llm.values import OnText

SENT = to_send(question(), model="m", form="schema", temperature=0.0)


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as scripted:
        scripted.answer = lambda request: completion(GOOD)
        yield scripted


class Waits:
    """Stands in for sleeping: remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def send(
    server: ScriptedOpenAI, *, times: int = 1, most_failures: int = 3, on_text: OnText | None = None, **options: Any
) -> list[Completion | NoReply]:
    """Send the same request so many times at once."""
    async def run() -> list[Completion | NoReply]:
        endpoint = OpenAIEndpoint("m", server.url, "secret", **{
            "timeout_seconds": 20, "deadline_seconds": 60, "sleep": Waits(), **options})
        answers = await asyncio.gather(*(
            endpoint.send(SENT, most_failures=most_failures, on_text=on_text) for _ in range(times)))
        await endpoint.close()
        return list(answers)

    return asyncio.run(run())


def test_hints_to_wait_are_followed_up_to_a_limit(server: ScriptedOpenAI) -> None:
    """PC-119: being told to wait is no failure of the endpoint."""
    waits = Waits()
    server.script = [
        error(429, retry_after="3"), error(429, retry_after="-1"), error(429, retry_after="NaN"), error(429),
        error(503)]

    [answer] = send(server, sleep=waits, most_failures=2)

    assert isinstance(answer, Completion)
    assert (answer.content, answer.requests, len(server.requests)) == (GOOD, 6, 6)
    asked, *own = waits.seconds
    assert 3 <= asked <= 3.75
    for waited, full in zip(own, (1, 2, 4, 8), strict=True):
        assert 0.75 * full <= waited <= full


@pytest.mark.parametrize("reply", [
    error(429, retry_after="90"), error(429, retry_after="7200"), error(429, "insufficient_quota"),
    error(503, retry_after="7200"),
])
def test_a_longer_wait_or_a_spent_quota_ends_it_at_once(server: ScriptedOpenAI, reply: Reply) -> None:
    """PC-119: the work is parked, not blocked."""
    server.answer = lambda request: reply
    waits = Waits()

    [answer] = send(server, sleep=waits)

    assert isinstance(answer, NoReply)
    assert (answer.why, answer.requests, waits.seconds) == ("later", 1, [])


def test_workers_do_not_try_again_in_step(server: ScriptedOpenAI) -> None:
    """PC-119."""
    waits = Waits()
    server.script = [error(429, retry_after="3")] * 10

    answers = send(server, times=10, sleep=waits)

    assert all(isinstance(one, Completion) for one in answers)
    assert len(set(waits.seconds)) == 10


def test_a_server_that_always_says_later_is_given_up_at_the_deadline(server: ScriptedOpenAI) -> None:
    server.answer = lambda request: error(429, retry_after="20")

    [answer] = send(server, deadline_seconds=10)

    assert isinstance(answer, NoReply)
    assert (answer.why, answer.failures) == ("later", 0)
    assert "asks to wait 20 s" in answer.reason


def test_an_endpoint_that_hangs_is_given_up_and_one_hang_is_repeated(server: ScriptedOpenAI) -> None:
    """PC-113."""
    server.script = [Reply(hang=True)]
    [once] = send(server, timeout_seconds=0.3)
    server.answer = lambda request: Reply(hang=True)
    [always] = send(server, deadline_seconds=0.3)

    assert isinstance(once, Completion)
    assert once.requests == 2
    assert isinstance(always, NoReply)
    assert (always.why, always.failures) == ("failed", 1)
    assert "did not answer within 0.3 s" in always.reason


def test_an_endpoint_that_is_not_there_fails_after_as_many_tries_as_it_may() -> None:
    with scripted_openai() as gone:
        pass

    [one], [three] = send(gone, most_failures=1), send(gone)

    assert isinstance(one, NoReply) and isinstance(three, NoReply)
    assert (one.requests, three.requests, three.why) == (1, 3, "failed")
    assert three.reason.endswith("does not answer. Check the base URL, and that the server runs.")


@pytest.mark.parametrize("body", [
    b"", b"null", b"[]", b"{}", b'{"choices":null}', b'{"choices":[]}', b'{"choices":[3]}',
    b'{"choices":[{"message":"text"}]}',
])
def test_an_answer_that_is_no_chat_completion_is_a_failure(server: ScriptedOpenAI, body: bytes) -> None:
    server.script = [Reply(200, body)]

    [answer] = send(server, most_failures=1)

    assert isinstance(answer, NoReply)
    assert "did not answer with a chat completion" in answer.reason


def test_a_completion_is_read_whatever_is_missing_or_added() -> None:
    """PC-008."""
    assert read(b'{"choices":[{}]}') == Completion(None, None, None, None, None)
    assert read(b'{"choices":[{"message":{"content":null,"reasoning":null}}],"usage":{"completion_tokens":180}}') == (
        Completion(None, None, None, None, 180))
    assert read(b'{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}],"reasoning_content":"r"},'
                b'"finish_reason":"stop"}],"usage":{"prompt_tokens":"7","completion_tokens":-1}}') == (
        Completion("ab", "r", "stop", None, None))


@pytest.mark.parametrize("count", [
    "1e400", "18446744073709551616", "-1", "true", "7.0", '"7"', "null", "[]", "1" * 400,
])
def test_a_count_of_tokens_that_cannot_be_is_none(count: str) -> None:
    usage = f'{{"prompt_tokens":{count},"completion_tokens":{count}}}'
    completion = read(f'{{"choices":[{{"message":{{"content":"a"}}}}],"usage":{usage}}}'.encode())

    assert (completion.content, completion.tokens_in, completion.tokens_out) == ("a", None, None)


def test_what_cannot_be_encoded_or_kept_never_comes_in() -> None:
    body = {"choices": [{"finish_reason": "st\0op\ud800", "message": {
        "content": [{"text": "a\ud800\0"}, {"text": "\udc00b"}], "reasoning": "\udfff\0"}}]}

    completion = read(json.dumps(body).encode())

    assert (completion.content, completion.reasoning, completion.finish) == ("a\ufffd\ufffdb", "\ufffd", "stop\ufffd")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("on_text", [None, print])
def test_no_text_goes_to_a_host_that_nobody_configured(
    server: ScriptedOpenAI, status: int, on_text: OnText | None
) -> None:
    with scripted_openai() as elsewhere:
        location = f"{elsewhere.url}/chat/completions"
        server.answer = lambda request: Reply(status, {"moved": True}, {"location": location})
        [answer] = send(server, on_text=on_text)

    assert elsewhere.requests == []
    assert isinstance(answer, NoReply)
    assert (answer.why, answer.requests) == ("setting", 1)
    assert f"HTTP {status}" in answer.reason and "Set the base URL" in answer.reason
    assert elsewhere.url.split("/")[2] not in answer.reason


@pytest.mark.parametrize("odd", [["a"], {"a": 1}, 7, True, None, "insufficient_quota"], ids=json.dumps)
@pytest.mark.parametrize("status", [400, 401, 418, 500])
def test_the_body_of_an_error_may_hold_anything(server: ScriptedOpenAI, odd: Any, status: int) -> None:
    for body in ({"error": {"code": odd, "type": odd, "param": odd, "message": odd}},
                 {"error": {"type": odd}}, {"error": odd}, odd):
        server.script = [Reply(status, body)] * 9
        [answer] = send(server)
        assert isinstance(answer, NoReply)
        assert f"HTTP {status}" in answer.reason


def test_a_request_that_the_deadline_cuts_counts_as_a_failure(server: ScriptedOpenAI) -> None:
    """So that the breaker opens after three requests that hang, and not after four."""
    server.script = [error(500), Reply(hang=True)]

    [answer] = send(server, deadline_seconds=1.0)

    assert isinstance(answer, NoReply)
    assert (answer.why, answer.requests, answer.failures) == ("failed", 2, 2)


@pytest.mark.parametrize("hint", [{}, {"retry_after": "0"}, {"retry_after_ms": "10"}, {"retry_after": "soon"}])
def test_a_server_that_is_busy_and_does_not_say_for_how_long_is_asked_six_times(
    server: ScriptedOpenAI, hint: dict[str, str]
) -> None:
    server.answer = lambda request: error(429, **hint)
    waits = Waits()

    [answer] = send(server, sleep=waits)

    assert isinstance(answer, NoReply)
    assert (answer.why, answer.requests, answer.failures) == ("later", 6, 0)
    assert sum(waits.seconds) < 16
