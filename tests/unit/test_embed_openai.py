from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.scripted_openai import (
    DIMENSION,
    Reply,
    Request,
    ScriptedOpenAI,
    embeddings,
    error,
    scripted_openai,
    vector_of,
)
from trace_graph.embed import openai as module
from trace_graph.embed.openai import PLAIN, OpenAIEmbedder
from trace_graph.embed.protocol import Embedded
from trace_graph.embed.vectors import NO_VECTOR, NOT_TEXT, unit
from trace_graph.errors import ConfigError, EmbeddingFailed

REFUSED = "the endpoint refused it (HTTP 400, invalid_input)"


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as scripted:
        yield scripted


class Waits:
    """Stands in for sleeping: remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def embed(server: ScriptedOpenAI, texts: Sequence[str], **options: Any) -> Embedded:
    """Embed once with a fresh embedder; waits take no time unless `sleep` is given."""
    async def run() -> Embedded:
        embedder = OpenAIEmbedder("org/my-embed", server.url, "secret", **{"sleep": Waits(), **options})
        try:
            vectors = await embedder.embed(texts)
        finally:
            await embedder.close()
        assert isinstance(vectors, Embedded)
        return vectors

    return asyncio.run(run())


def assert_vectors(vectors: Sequence[np.ndarray[Any, Any] | None], texts: Sequence[str | None]) -> None:
    """Each vector is that of the text in its place; None stands for no vector."""
    expected = [None if text is None else unit(vector_of(text)) for text in texts]
    got = [None if vector is None else vector.round(5).tolist() for vector in vectors]
    assert got == [None if vector is None else vector.round(5).tolist() for vector in expected]


def refusing(is_bad: Callable[[str], bool], status: int = 400) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        if any(is_bad(text) for text in request.texts):
            return error(status, "invalid_input")
        return embeddings(request.texts)

    return answer


def test_vectors_keep_the_places_of_their_texts_whatever_the_order_of_the_reply(server: ScriptedOpenAI) -> None:
    vectors = embed(server, ["one", "two words", "three more words"])

    assert_vectors(vectors, ["one", "two words", "three more words"])
    assert {vector.dtype.name for vector in vectors if vector is not None} == {"float32"}
    [request] = server.requests
    assert (request.path, request.headers["authorization"]) == ("/v1/embeddings", "Bearer secret")
    assert request.body == {
        "model": "org/my-embed", "input": ["one", "two words", "three more words"], "encoding_format": "float",
    }


def test_blank_texts_are_never_sent(server: ScriptedOpenAI) -> None:
    """PC-152."""
    vectors = embed(server, ["a", "", "\n\n", " ", "b", "half \udfff"])

    assert_vectors(vectors, ["a", None, None, None, "b", None])
    assert [request.texts for request in server.requests] == [["a", "b"]]
    assert vectors.refused == {5: NOT_TEXT}


def test_nothing_but_blank_texts_needs_no_endpoint(server: ScriptedOpenAI) -> None:
    assert embed(server, ["", "\n"]) == [None, None]
    assert embed(server, []) == []
    assert server.requests == []


def test_requests_stay_within_the_limits_of_texts_and_of_characters(
    server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "TEXTS_A_REQUEST", 3)
    monkeypatch.setattr(module, "CHARACTERS_A_REQUEST", 10)

    embed(server, ["a", "b", "c", "d", "a text of its own", "12345", "12345", "6"])

    assert [request.texts for request in server.requests] == [
        ["a", "b", "c"], ["d"], ["a text of its own"], ["12345", "12345"], ["6"],
    ]


def test_one_refused_text_does_not_fail_the_others(server: ScriptedOpenAI) -> None:
    """PC-154."""
    texts = [f"fact number {number}" for number in range(10)]
    server.answer = refusing(lambda text: text == texts[4])

    vectors = embed(server, texts)

    assert_vectors(vectors, [None if place == 4 else text for place, text in enumerate(texts)])
    assert vectors.refused == {4: REFUSED}
    assert len(server.requests) == 11


@pytest.mark.parametrize("place", range(5))
def test_a_text_refused_once_gets_its_vector(server: ScriptedOpenAI, place: int) -> None:
    texts = ["one", "two", "three", "four", "five"]
    refusals = iter([True])
    alone: Callable[[Request], Reply] = lambda request: (  # noqa: E731
        error(400) if request.texts == [texts[place]] and next(refusals, False)
        else refusing(lambda text: text == texts[(place + 1) % 5])(request)
    )
    server.answer = alone

    vectors = embed(server, texts)

    assert [at for at, vector in enumerate(vectors) if vector is None] == [(place + 1) % 5]


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_text_that_is_too_long_for_the_endpoint_is_embedded_in_parts(server: ScriptedOpenAI, status: int) -> None:
    """PC-155."""
    long = "apple " * 300 + "pear " * 300
    server.answer = refusing(lambda text: len(text) > 1200, status)

    vectors = embed(server, ["short", long])

    assert (vectors.refused, vectors.split) == ({}, 1)
    assert_vectors(vectors[:1], ["short"])
    assert vectors[1] is not None
    assert vectors[1] @ unit(vector_of(long)) > 0.99


def test_a_long_text_of_which_a_part_is_refused_has_no_vector(server: ScriptedOpenAI) -> None:
    server.answer = refusing(lambda text: "forbidden" in text)

    vectors = embed(server, ["short", "fine words " * 200 + "forbidden"])

    assert_vectors(vectors, ["short", None])
    assert (vectors.refused, vectors.split) == ({1: REFUSED}, 0)


def test_an_endpoint_that_refuses_every_text_has_failed(server: ScriptedOpenAI) -> None:
    """No text is blamed for a wrong model."""
    server.answer = lambda request: error(400, "model_not_found")

    with pytest.raises(EmbeddingFailed) as caught:
        embed(server, [f"text {number}" for number in range(100)])

    assert caught.value.message == (
        "The embedder openai:org/my-embed answers whatever text with HTTP 400, model_not_found."
    )
    assert len(server.requests) == 2
    assert server.requests[1].texts == [PLAIN]


@pytest.mark.parametrize("number", [0.0, float("nan"), float("inf"), 1e-30, 1e30, None])
def test_a_vector_without_a_direction_is_none_and_the_others_stay(server: ScriptedOpenAI, number: float | None) -> None:
    """PC-151; NaN also comes as null."""
    server.answer = lambda request: embeddings(
        request.texts, lambda text: [number] * DIMENSION if text == "..." else vector_of(text)  # type: ignore[list-item]
    )

    vectors = embed(server, ["first", "...", "last"])
    alone = embed(server, ["..."])

    assert_vectors(vectors, ["first", None, "last"])
    assert vectors.refused == {1: NO_VECTOR}
    assert (list(alone), alone.refused) == ([None], {0: NO_VECTOR})


@pytest.mark.parametrize("number", [0.0, float("nan")])
def test_an_endpoint_that_gives_any_text_a_useless_vector_has_failed(server: ScriptedOpenAI, number: float) -> None:
    server.answer = lambda request: embeddings(request.texts, lambda text: [number] * DIMENSION)

    with pytest.raises(EmbeddingFailed, match="answers whatever text with vectors that are zero or not finite"):
        embed(server, ["a", "b"])


def test_replies_that_do_not_fit_the_request_are_refused_whole(server: ScriptedOpenAI) -> None:
    two = embeddings(["a", "b"]).body["data"]
    replies: list[Any] = [
        {"data": two[:1]}, {"data": [*two, *two]}, {"data": [two[0], two[0]]},
        {"data": [{**two[0], "index": 2}, two[1]]}, {"data": [{**two[0], "embedding": [1.0]}, two[1]]},
        {"data": []}, {"data": None}, {"data": [{"embedding": [1.0]}] * 2},
        {"data": [{"index": 0, "embedding": "AAAA"}] * 2},
        {"data": [{"index": index, "embedding": []} for index in (0, 1)]},
        {"data": [{"index": index, "embedding": 1.0} for index in (0, 1)]},
        {"error": "no"}, [], "text", b"<html>Welcome</html>", b"", b"{bad",
    ]
    messages = set()
    for body in replies:
        server.script = [Reply(200, body)]
        with pytest.raises(EmbeddingFailed) as caught:
            embed(server, ["a", "b"])
        messages.add(caught.value.message.rpartition("(model org/my-embed) ")[2])

    assert messages == {
        "answered 2 texts with 1 embeddings, or numbered them wrongly.",
        "answered 2 texts with 4 embeddings, or numbered them wrongly.",
        "answered 2 texts with 2 embeddings, or numbered them wrongly.",
        "answered 2 texts with 0 embeddings, or numbered them wrongly.",
        "answered with embeddings of different lengths.",
        "did not answer with a list of embeddings.",
    }


def test_the_dimension_is_probed_and_may_not_change(server: ScriptedOpenAI) -> None:
    async def run() -> None:
        embedder = OpenAIEmbedder("text-embedding-clone", server.url, "secret")
        with pytest.raises(EmbeddingFailed, match="not known before the first text"):
            _ = embedder.dimension
        await embedder.embed(["one"])
        assert (embedder.name, embedder.dimension) == ("openai:text-embedding-clone", DIMENSION)
        server.answer = lambda request: embeddings(request.texts, lambda text: [1.0, 2.0])
        with pytest.raises(EmbeddingFailed, match=f"gave vectors of {DIMENSION} numbers, and now of 2"):
            await embedder.embed(["two"])
        await embedder.close()
        await embedder.close()

    asyncio.run(run())


def test_hints_to_wait_are_followed_and_busy_endpoints_tried_again(server: ScriptedOpenAI) -> None:
    waits = Waits()
    server.script = [error(429, "rate_limit_exceeded", retry_after="3"), error(503), error(502, retry_after="-1")]

    vectors = embed(server, ["one"], sleep=waits)

    assert_vectors(vectors, ["one"])
    asked, second, third = waits.seconds
    assert 3 <= asked <= 3.75
    assert 0.75 <= second <= 1
    assert 1.5 <= third <= 2


@pytest.mark.parametrize("reply", [
    error(429, "rate_limit_exceeded", retry_after="7200"), error(429, "insufficient_quota"),
    error(401, "invalid_api_key"), error(403), error(404, "model_not_found"), error(501), error(418),
])
def test_what_waiting_does_not_mend_fails_at_once(server: ScriptedOpenAI, reply: Reply) -> None:
    server.answer = lambda request: reply

    with pytest.raises(EmbeddingFailed):
        embed(server, ["one"])

    assert len(server.requests) == 1


def test_failures_say_what_to_do_and_never_the_text_or_the_key(server: ScriptedOpenAI) -> None:
    host = server.url.removeprefix("http://").removesuffix("/v1")
    replies = [
        error(429, "rate_limit_exceeded", retry_after="7200"), error(401, "invalid_api_key"), error(404),
        Reply(418, {"error": {"message": "private words", "code": "private words"}}), Reply(501, b"private words"),
    ]
    caught: list[tuple[str, str]] = []
    for reply in replies:
        server.script = [reply]
        with pytest.raises(EmbeddingFailed) as failure:
            embed(server, ["private words"])
        caught.append((failure.value.message, failure.value.fix))

    start = f"The embedding endpoint {host} (model org/my-embed)"
    again = "Try again later, or see the endpoint's log."
    assert caught == [
        (f"{start} answered HTTP 429, rate_limit_exceeded, and asks to wait 7200 s.", again),
        (
            f"{start} does not accept the API key (HTTP 401, invalid_api_key).",
            "Set TRACE_GRAPH_EMBEDDER_API_KEY, or OPENAI_API_KEY, to a key of that endpoint.",
        ),
        (
            f"{start} serves no such model, or no embeddings at this address (HTTP 404).",
            "Check the name in TRACE_GRAPH_EMBEDDER, and the base URL, which mostly ends in /v1.",
        ),
        (f"{start} answered HTTP 418.", again),
        (f"{start} answered HTTP 501.", again),
    ]


def test_a_server_error_is_tried_three_times(server: ScriptedOpenAI) -> None:
    server.script = [error(500), error(500)]

    assert_vectors(embed(server, ["one"]), ["one"])
    assert len(server.requests) == 3


def test_an_endpoint_that_hangs_fails_at_the_deadline(server: ScriptedOpenAI) -> None:
    server.answer = lambda request: Reply(hang=True)

    with pytest.raises(EmbeddingFailed, match=r"did not answer within 0\.2 s"):
        embed(server, ["one"], deadline_seconds=0.2)


def test_one_try_that_hangs_is_given_up_and_repeated(server: ScriptedOpenAI) -> None:
    server.script = [Reply(hang=True)]

    assert_vectors(embed(server, ["one"], timeout_seconds=0.2), ["one"])
    assert len(server.requests) == 2


def test_an_endpoint_that_is_not_there_fails_after_three_tries() -> None:
    with scripted_openai() as gone:
        pass
    waits = Waits()

    with pytest.raises(EmbeddingFailed, match="does not answer"):
        embed(gone, ["one"], sleep=waits)

    assert len(waits.seconds) == 2


def test_a_busy_endpoint_is_not_asked_beyond_the_deadline(server: ScriptedOpenAI) -> None:
    server.answer = lambda request: error(429, "rate_limit_exceeded", retry_after="20")

    with pytest.raises(EmbeddingFailed, match="asks to wait 20 s"):
        embed(server, ["one"], deadline_seconds=10)

    assert len(server.requests) == 1


def test_the_environment_of_other_tools_does_not_leak_in(
    server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PC-122: neither their address nor their key nor their headers."""
    with scripted_openai() as trap:
        for name, value in {
            "OPENAI_BASE_URL": trap.url, "OPENAI_API_KEY": "leaked", "OPENAI_ORG_ID": "leaked",
            "OPENAI_PROJECT_ID": "leaked", "OPENAI_ADMIN_KEY": "leaked",
            "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer leaked\nX-Other: leaked",
        }.items():
            monkeypatch.setenv(name, value)

        async def without_a_key() -> None:
            embedder = OpenAIEmbedder("my-embed", server.url)
            await embedder.embed(["one"])
            await embedder.close()

        embed(server, ["one"])
        asyncio.run(without_a_key())

    assert trap.requests == []
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer secret", "Bearer no-key"]
    assert [request for request in server.requests if "leaked" in str(request.headers)] == []


def test_one_embedder_serves_several_callers_at_once(server: ScriptedOpenAI) -> None:
    async def run() -> None:
        embedder = OpenAIEmbedder("my-embed", server.url, "secret")
        texts = [["one", "two"], ["three"], ["four", "five", "six"]]
        for text, vectors in zip(texts, await asyncio.gather(*map(embedder.embed, texts)), strict=True):
            assert_vectors(vectors, text)
        await embedder.close()

    asyncio.run(run())


def test_openai_itself_needs_a_key_and_an_address_needs_its_scheme() -> None:
    with pytest.raises(ConfigError, match="needs an API key"):
        OpenAIEmbedder("text-embedding-3-small")
    with pytest.raises(ConfigError, match="must begin with http"):
        OpenAIEmbedder("my-embed", "localhost:11434/v1")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_text_goes_to_a_host_that_nobody_configured(server: ScriptedOpenAI, status: int) -> None:
    with scripted_openai() as elsewhere:
        server.answer = lambda request: Reply(status, None, {"location": f"{elsewhere.url}/embeddings"})
        with pytest.raises(EmbeddingFailed, match=f"HTTP {status}"):
            embed(server, ["one"])

    assert elsewhere.requests == []
    assert len(server.requests) == 1


def test_the_body_of_an_error_may_hold_anything(server: ScriptedOpenAI) -> None:
    for odd in (["a"], {"a": 1}, 7, True):
        server.script = [Reply(418, {"error": {"type": odd}})]
        with pytest.raises(EmbeddingFailed, match="HTTP 418"):
            embed(server, ["one"])
