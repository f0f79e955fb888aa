"""Commands with a model behind HTTP, whole: recorded and replayed, rebuilt and compared, failing, killed in between.

What is decided is the same on every engine, so one of them is enough.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bench.interleaved import interleaved
from bench.kill_engines import environment
from tests.engines.releases import EngineAddress
from tests.scripted_chat import completion
from tests.scripted_openai import Reply, Request, ScriptedOpenAI, error, scripted_openai
from tests.sensible_chat import blocks, sensible
from tests.store.conftest import Run
from tests.store.exported import exported, records, remove
from tests.store.prepared import Graph, settings_of
from tests.store.talk import conversation
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.llm_settings import LlmSettings
from trace_graph.maintain.canonical import canonical_content
from trace_graph.memory import Memory
from trace_graph.models import MessageInput
from trace_graph.organize.lease import LENGTH
from trace_graph.text.times import utc_now

pytestmark = pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)

QUOTED = re.compile(r'"(?:Mira|Tomas|Ilse): (.*)"$', re.MULTILINE)


@pytest.fixture
def server(settings: Settings) -> Iterator[ScriptedOpenAI]:
    """The scripted server, once the engine has its schema: the memories that ask it open the engine by themselves."""
    with scripted_openai() as scripted:
        scripted.answer = sensible
        yield scripted


def asking(address: EngineAddress, server: ScriptedOpenAI, **llm: Any) -> Memory:
    """A memory that asks the scripted server."""
    settings = settings_of(address).model_copy(update={
        "model": "scripted", "llm": LlmSettings(base_url=server.url, **llm)})
    return Memory(settings=settings, embedder=StaticEmbedder.shipped(), actor="tester")


def messages(count: int) -> list[MessageInput]:
    return [MessageInput(text=one.text, author=one.author, session=one.session, at=one.at, external_id=f"m{number}")
            for number, one in enumerate(interleaved(11, count))]


def test_a_replay_without_a_model_gives_an_equal_export(
    engine_address: EngineAddress, memory: Memory, graph: Graph, server: ScriptedOpenAI, run: Run, space: str,
    tmp_path: Path,
) -> None:
    cassette = tmp_path / "run.jsonl"

    async def go() -> tuple[bytes, bytes, int, int, bytes]:
        async with asking(engine_address, server) as model:
            await model.add_many(conversation(), space=space)
            before = await exported(model, space)
            report = await model.organize(space=space, record=cassette)
            first = await exported(model, space)
        asked = len(server.requests)
        await remove(graph, space)
        restored = tmp_path / "before.jsonl"
        restored.write_bytes(before)
        await memory.import_file(restored)
        await memory.organize(space=space, replay=cassette)
        second = await exported(memory, space)
        again = f"{space}-again"
        await memory.add_many(conversation(), space=again)
        await memory.organize(space=again, replay=cassette)
        return first, second, report.model_calls, asked, await exported(memory, again)

    first, second, calls, asked, again = run(go())

    assert asked == len(server.requests) == calls > 2
    assert records(first, "ModelCall") and records(first, "MADE")
    assert second == first
    # The root is called by its space.
    assert canonical_content(again.replace(b"-again", b"").splitlines()) == canonical_content(first.splitlines())


class Knowing:
    """Knows what each message is about; files by tasks, or with the other prompt by subjects."""

    def __init__(self, count: int) -> None:
        self.about = {one.text: (one.task, one.subject) for one in interleaved(11, count)}

    def __call__(self, request: Request) -> Reply:
        system, user = (one["content"] for one in request.body["messages"][:2])
        if not system.startswith("You file parts"):
            return sensible(request)
        topics, _, rest = user.partition("\nSegments:\n")
        finer = system.startswith("You file parts of conversations, by subject")
        held = {label: self._subjects(text, finer=finer) for label, text in blocks(topics, "T").items()}
        picks = [self._pick(label, text, held, finer=finer) for label, text in blocks(rest, "S").items()]
        return completion(json.dumps({"picks": picks}))

    def _subjects(self, text: str, *, finer: bool) -> Counter[str]:
        return Counter(self.about[said][finer] for said in QUOTED.findall(text) if said in self.about)

    def _pick(self, label: str, text: str, held: Mapping[str, Counter[str]], *, finer: bool) -> dict[str, str]:
        offered = re.findall(r"\b(?:T\d+|NEW-[A-Z])", text.partition("\n")[0])
        own = self._subjects(text, finer=finer)
        main = max(sorted(own), key=own.__getitem__, default="small talk")
        right = [one for one in offered if held.get(one) and held[one][main] * 2 > held[one].total()]
        new = next(one for one in offered if one.startswith("NEW"))
        return {"segment": label, "title": main,
                "choice": max(right, key=lambda one: held[one][main]) if right else new}


def test_a_tree_built_again_with_another_prompt_is_compared_message_by_message(
    engine_address: EngineAddress, server: ScriptedOpenAI, run: Run, space: str, tmp_path: Path,
) -> None:
    count = 300
    server.answer = Knowing(count)
    (tmp_path / "route-2.md").write_text("You file parts of conversations, by subject.", encoding="utf-8")

    async def go() -> tuple[Any, ...]:
        other = f"{space}-other"
        async with asking(engine_address, server) as first, asking(engine_address, server, prompts=tmp_path) as second:
            await first.add_many(messages(count), space=space)
            await first.organize(space=space)
            report = await second.rebuild(space=space, into=other)
            again = await second.rebuild(space=space, into=other)
            found = await second.diff(space=space, other=other)
            calls = await second.calls(other, purpose="route")
            shown = await second.call(calls[0].id)
            elsewhere = await first.call(calls[0].id)
            itself = await first.diff(space=space, other=space)
            return report, again, found, shown, elsewhere, itself

    report, again, found, shown, elsewhere, itself = run(go())

    assert (report.copied, report.organized.filed, again.copied, again.organized.filed) == (count, count, 0, 0)
    assert (found.compared, found.only_old, found.only_new) == (count, 0, 0)

    assert found.moves and found.summaries and 0 < found.agreement < 1
    assert (report.unchanged, again.unchanged) == (False, True)
    assert all(move.was != move.now for move in found.moves)
    assert (shown.prompt_version, shown.rebuilt.outcome) == (2, "equal")
    assert elsewhere.rebuilt.outcome == "unknown"
    assert itself.equal


def test_an_endpoint_that_fails_costs_three_requests_and_the_tree_is_that_of_no_model(
    engine_address: EngineAddress, memory: Memory, server: ScriptedOpenAI, run: Run, space: str,
) -> None:
    server.answer = lambda request: error(500)

    async def go() -> tuple[Any, ...]:
        async with asking(engine_address, server) as model:
            await model.add_many(conversation(), space=space)
            report = await model.organize(space=space)
            asked = len(server.requests)
            # Longer than the pauses between tries: nothing is asked any more.
            health = await model.doctor(space=space)
        await memory.rebuild(space=space, into=f"{space}-plain", use_model=False)
        return report, asked, health, await memory.diff(space=space, other=f"{space}-plain")

    report, asked, health, found = run(go())

    assert 1 <= asked <= 3
    assert report.waiting == 0 and report.model_unused
    assert health.ok
    assert (found.moves, [one for one in found.summaries if one.title != f"{space}-plain"]) == ([], [])


def test_killed_between_two_calls_a_second_run_goes_on_and_pays_nothing_twice(
    engine_address: EngineAddress, server: ScriptedOpenAI, run: Run, space: str, memory: Memory,
) -> None:
    """`kill -9` while the second batch's call is under way: what the first one's made stands, its calls are kept."""
    reached, go_on = threading.Event(), threading.Event()
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.body["messages"][1]["content"])
        if len(asked) == 3:
            reached.set()
            go_on.wait()
        return sensible(request)

    server.answer = answer
    settings: Settings = settings_of(engine_address)

    async def fill() -> None:
        await memory.add_many(messages(400), space=space)

    run(fill())
    variables = environment(settings) | {
        "TRACE_GRAPH_MODEL": "scripted", "TRACE_GRAPH_LLM__BASE_URL": server.url, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen(
        [sys.executable, "-m", "trace_graph.cli", "organize", "--space", space], env=variables,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert reached.wait(60)
    finally:
        process.kill()
        process.wait()
        go_on.set()

    async def finish() -> tuple[Any, ...]:
        waiting = (await memory.stats(space=space)).waiting
        before = len(await memory.calls(space, purpose="route", limit=100))
        later = utc_now() + LENGTH + timedelta(seconds=1)
        async with Memory(
            settings=settings.model_copy(update={"model": "scripted", "llm": LlmSettings(base_url=server.url)}),
            embedder=StaticEmbedder.shipped(), clock=lambda: later,
        ) as model:
            report = await model.organize(space=space)
            return waiting, before, report, await model.calls(space, limit=100), await model.doctor(space=space)

    waiting, before, report, calls, health = run(finish())

    assert 0 < waiting < 400 and report.filed == waiting and report.waiting == 0
    assert 0 < before < 3
    # The call under way at the kill is lost with its batch, and asked again; no other one is.
    assert len(asked) == len(calls) + (3 - before)
    assert len(set(asked)) >= len(asked) - (3 - before)
    assert health.ok, health
