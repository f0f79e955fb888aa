"""Which endpoint the settings mean, with which key, and what is refused before anything is sent."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_chat import completion
from tests.scripted_openai import scripted_openai
from tests.unit.test_llm_asking import GOOD, question
from trace_graph.config import Settings, load_settings
from trace_graph.errors import ConfigError
from trace_graph.llm.forms import Forms
from trace_graph.llm.opening import open_model
from trace_graph.memory.embedding import configured_embedder

NOW = datetime(2026, 5, 14, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting comes from whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith(("TRACE_GRAPH_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def refusal(**arguments: Any) -> tuple[str, str]:
    with pytest.raises(ConfigError) as refused:
        open_model(load_settings(**arguments), clock=lambda: NOW, forms=Forms())
    return refused.value.message, refused.value.fix


def keys(settings: Settings) -> list[tuple[str | None, str | None]]:
    reached = (settings.model_endpoint, settings.embedder_endpoint)
    return [(one.base_url, one.api_key.get_secret_value() if one.api_key else None) for one in reached]


def test_chat_and_embeddings_go_to_their_own_servers_and_a_third_one_learns_nothing(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """PC-122: neither address nor key nor headers of the environment of other tools."""
    with scripted_openai() as chat, scripted_openai() as embeddings, scripted_openai() as trap:
        chat.answer = lambda request: completion(GOOD)
        for name, value in {
            "OPENAI_BASE_URL": trap.url, "OPENAI_API_KEY": "leaked", "OPENAI_ORG_ID": "leaked",
            "OPENAI_PROJECT_ID": "leaked", "OPENAI_CUSTOM_HEADERS": "X-Other: leaked",
            "TRACE_GRAPH_MODEL": "my-model", "TRACE_GRAPH_LLM__BASE_URL": f" {chat.url}/ ",
            "TRACE_GRAPH_EMBEDDER": "openai:my-embed", "TRACE_GRAPH_EMBEDDER_BASE_URL": embeddings.url,
        }.items():
            monkeypatch.setenv(name, value)
        settings = load_settings()

        async def run() -> None:
            model = open_model(settings, clock=lambda: NOW, forms=Forms())
            answered = await model.ask(question())
            assert answered.value is not None
            await model.close()
            embedder = configured_embedder(settings)
            await embedder.embed(["one"])
            await embedder.close()

        asyncio.run(run())

    assert trap.requests == []
    assert [request.body["model"] for request in (*chat.requests, *embeddings.requests)] == ["my-model", "my-embed"]
    assert [one for one in (*chat.requests, *embeddings.requests) if "leaked" in str(one.headers)] == []


def test_a_key_is_sent_to_the_host_that_it_is_meant_for() -> None:
    """PC-122."""
    ours, theirs = "http://localhost:9001/v1", "http://localhost:9002/v1"
    read = [load_settings(openai_api_key="shared", **one) for one in (
        {}, {"openai_base_url": ours}, {"llm": {"base_url": ours}},
        {"openai_base_url": ours, "embedder_base_url": theirs},
        {"openai_base_url": ours, "llm": {"base_url": theirs, "api_key": "own"}}, {"llm": {"api_key": "own"}})]

    assert [keys(one) for one in read] == [
        [(None, "shared"), (None, "shared")], [(ours, "shared"), (ours, "shared")], [(ours, None), (None, "shared")],
        [(ours, "shared"), (theirs, None)], [(theirs, "own"), (ours, "shared")], [(None, "own"), (None, "shared")]]


def test_without_a_model_or_a_key_for_openai_nothing_is_opened() -> None:
    assert refusal() == (
        "No model is set.", "Set TRACE_GRAPH_MODEL to the name of a chat model, and OPENAI_BASE_URL to its endpoint, "
        "such as http://localhost:11434/v1.")
    assert refusal(model="gpt") == (
        "TRACE_GRAPH_MODEL=gpt at OpenAI needs an API key, and none is set.",
        "Set OPENAI_API_KEY, or OPENAI_BASE_URL where a server of your own is meant.")
    local = load_settings(model="gpt", openai_base_url="http://localhost:11434/v1")
    assert open_model(local, clock=lambda: NOW, forms=Forms()).host == "localhost:11434"


@pytest.mark.parametrize(("variable", "value", "said"), [
    ("LLM__BASE_URL", "localhost:11434", "must be a full URL such as http://localhost:11434/v1."),
    ("LLM__BASE_URL", '"http://x/v1"', "must be a full URL such as http://localhost:11434/v1."),
    ("LLM__BASE_URL", "/v1", "must be a full URL such as http://localhost:11434/v1."),
    ("LLM__API_KEY", '"hush-hush"', "must not be in quotes."),
    ("MODEL", "'gpt-oss'", "must not be in quotes."),
    ("LLM__TIMEOUT_SECONDS", "10s", "Input should be a valid number, unable to parse string as a number."),
    ("LLM__KEEP_REQUESTS", "perhaps", "Input should be a valid boolean, unable to interpret input."),
    ("LLM", "x", "must be JSON."),
])
def test_what_cannot_be_used_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    """PC-116: and no key is repeated."""
    monkeypatch.setenv(f"TRACE_GRAPH_{variable}", value)

    assert refusal()[0] == f"The setting TRACE_GRAPH_{variable} cannot be used: {said}"


def test_a_wrong_name_in_the_group_has_the_right_one_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACE_GRAPH_LLM__CALLS_A_DAY", "3")

    assert refusal()[1] == "Did you mean llm.calls_per_day?"


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_blank_settings_of_the_model_count_as_not_set(monkeypatch: pytest.MonkeyPatch, blank: str) -> None:
    """PC-116."""
    for name in ("MODEL", "LLM__BASE_URL", "LLM__API_KEY", "LLM__CONCURRENCY"):
        monkeypatch.setenv(f"TRACE_GRAPH_{name}", blank)

    settings = load_settings(llm=None)
    assert (settings.model, settings.llm) == (None, load_settings(model="m").llm)


@pytest.mark.parametrize(("written", "read"), [("true", True), ("TRUE", True), ("0", False), ("off", False)])
def test_true_and_false_are_read_in_all_their_forms(monkeypatch: pytest.MonkeyPatch, written: str, read: bool) -> None:
    """PC-116."""
    monkeypatch.setenv("TRACE_GRAPH_LLM__KEEP_REQUESTS", written)

    assert load_settings().llm.keep_requests is read


@pytest.mark.parametrize("name", ["my-chat", "org/Model-3-1B", "gpt-oss-20b-local", "text-embedding-clone", "o3 like"])
def test_any_name_of_a_model_is_taken_as_it_is(name: str) -> None:
    """PC-121."""
    settings = load_settings(model=f" {name} ", openai_base_url="http://localhost:1/v1/")

    assert open_model(settings, clock=lambda: NOW, forms=Forms()).name == name


def test_no_key_stands_in_what_is_shown() -> None:
    settings = load_settings(llm={"api_key": "hush-hush", "base_url": "http://localhost/v1"})

    assert "hush-hush" not in f"{settings!r} {settings} {settings.model_dump_json()} {settings.model_endpoint}"
