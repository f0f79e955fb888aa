"""`trace-graph calls` and `trace-graph health`: what models were asked, in words and as JSON."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.command import Command
from tests.scripted_chat import completion
from tests.scripted_openai import error, scripted_openai
from tests.unit.made_calls import made_call
from trace_graph.config import Settings
from trace_graph.models import uuid7
from trace_graph.models.calls import ModelCall
from trace_graph.store.calls import keep_calls
from trace_graph.store.connection import Store
from trace_graph.store.spaces import find_spaces
from trace_graph.text.times import utc_now

PROBE = {"word": "harbour"}


async def kept(command: Command, calls: list[ModelCall]) -> list[str]:
    """Calls that belong to the space `garden`; their ids."""
    store = await Store.connect(Settings(uri=command.uri, heap_mb=512))
    try:
        [space] = await find_spaces(store, ["garden"])
        pairs = [(uuid7(), call) for call in calls]
        await keep_calls(store, space.id, pairs, now=utc_now())
        return [id for id, _ in pairs]
    finally:
        await store.close()


@pytest.fixture(scope="module")
def calls(garden: Command) -> list[str]:
    """A call of the probe's kind, whose request needs no text, and one that failed a second later."""
    now = utc_now()
    return asyncio.run(kept(garden, [
        made_call(purpose="probe", prompt="probe", inputs=PROBE, at=now),
        made_call(outcome="failed", reply=None, fault="It timed out.", requests=3, at=now + timedelta(seconds=1))]))


def test_calls_are_listed_the_latest_first(garden: Command, calls: list[str]) -> None:
    words = garden("calls", "list", "--space", "garden")
    failed = garden("calls", "list", "--space", "garden", "--outcome", "failed", "--json")

    assert words.code == 0, words.err
    assert [line.split()[0] for line in words.out.splitlines()[2:]] == calls[::-1]
    assert [(one["id"], one["requests"], one["fault"]) for one in failed.json] == [(calls[1], 3, "It timed out.")]


def test_a_call_is_shown_with_its_request_and_how_that_compares(garden: Command, calls: list[str]) -> None:
    shown = garden("calls", "show", calls[0])
    told = garden("calls", "show", calls[0], "--json")

    assert (shown.code, told.code) == (0, 0), shown.err
    assert (told.json["rebuilt"]["outcome"], told.json["inputs"], told.json["made"]) == ("differs", PROBE, [])
    assert "Request made again: differs." in shown.out
    assert "--- user ---\nharbour\n\n--- reply ---\n{\"topic\": \"T1\"}" in shown.out


def test_calls_are_counted_and_written_to_a_file(garden: Command, calls: list[str], tmp_path: Path) -> None:
    words = garden("calls", "stats", "--space", "garden")
    told = garden("calls", "stats", "--space", "garden", "--json")
    written = garden("calls", "export", "--space", "garden", "--out", str(tmp_path / "calls.jsonl"), "--json")

    assert (words.code, written.code) == (0, 0), words.err + written.err
    assert "2 calls, 4 HTTP requests, 800 tokens in, 40 out; 0.2500 calls of organising a message" in words.out
    assert [(one["purpose"], one["outcome"], one["calls"]) for one in told.json["groups"]] == [
        ("probe", "ok", 1), ("route", "failed", 1)]
    lines = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == calls
    assert written.json == {"space": "garden", "calls": 2, "bytes": sum(len(line) + 1 for line in lines)}


def test_what_is_not_there_is_not_found_and_what_no_call_is_is_refused(garden: Command, calls: list[str]) -> None:
    assert (garden("calls", "show", "none").code, garden("calls", "list", "--space", "none").code) == (3, 3)
    assert garden("calls", "list", "--space", "garden", "--purpose", "rout").code == 2


def test_health_without_a_model_asks_nothing(garden: Command) -> None:
    words, told = garden("health"), garden("health", "--json")
    probed = garden("health", "--probe")

    assert (words.code, told.code, probed.code) == (0, 0, 2), words.err
    assert (told.json["schema_version"], told.json["waiting"], told.json["model"]) == (4, [], None)
    assert "none is set; none is needed" in words.out
    assert "There is no model to be tried." in probed.err


def test_health_asks_the_model_only_where_it_is_told_to(garden: Command, calls: list[str]) -> None:
    with scripted_openai() as endpoint:
        endpoint.answer = lambda request: completion(json.dumps(PROBE))
        model = {
            "TRACE_GRAPH_MODEL": "small:1b", "OPENAI_BASE_URL": endpoint.url,
            "TRACE_GRAPH_LLM__CALLS_PER_DAY": "100"}
        before = garden("health", "--json", **model)
        asked = len(endpoint.requests)
        probed = garden("health", "--probe", "--json", **model)
        endpoint.answer = lambda request: error(500)
        failing = garden("health", "--probe", **model)

    assert (before.code, probed.code, failing.code) == (0, 0, 1), probed.err + failing.err
    assert [line for done in (probed, failing) for line in done.err.splitlines() if not line.startswith("using ")] == []
    assert asked == 0
    assert (before.json["model"]["form"], before.json["model"]["probe"]) == (None, None)
    after = probed.json["model"]
    assert (after["form"], after["calls_a_day"]) == ("schema", 100)
    assert after["calls_today"] == before.json["model"]["calls_today"] + 1
    assert after["probe"].startswith("answered (1 HTTP request")
    assert "no answer that can be used (3 HTTP requests" in failing.out


def test_health_tells_what_waits(garden: Command) -> None:
    added = garden("add", "It waits.", "--space", "waiting-room")
    told = garden("health", "--json")

    assert added.code == 0, added.err
    [waiting] = [one for one in told.json["waiting"] if one["space"] == "waiting-room"]
    assert waiting["waiting"] == 1
    assert 0 <= waiting["oldest_seconds"] < 600


def test_health_of_a_database_that_cannot_be_reached_is_4(nowhere: Command) -> None:
    assert nowhere("health", "--uri", "bolt://127.0.0.1:1", TRACE_GRAPH_DEADLINE_SECONDS="2").code == 4
