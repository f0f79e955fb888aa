"""The shipped benchmark on a small conversation: deterministic, resumable, and blind to what gives answers away."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.talk import SUBJECTS, conversation
from trace_graph.bench.datasets import Selection
from trace_graph.bench.run_folder import PROGRESS
from trace_graph.bench.running import Order, run_benchmark
from trace_graph.config import Settings
from trace_graph.errors import Refused
from trace_graph.memory import Memory
from trace_graph.models import MessageInput

OF_THE_MOMENT = {"circumstances", "timings"}
QUESTIONS = [
    {"id": f"{subject}?", "question": lines[1], "category": "said", "evidence": [f"{subject}:1", f"{subject}:2"]}
    for subject, lines in SUBJECTS.items()]


# The run of a benchmark is the same on every engine: one is enough, and it is the one that `bench` starts by itself.
on_one_engine = pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)


class BrokenOff(Exception):
    """The run ends here."""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    file = tmp_path / "talk.json"
    messages = [
        {**message.model_dump(mode="json", include={"session", "role", "author", "text", "at", "external_id"})}
        for message in conversation()]
    file.write_text(json.dumps({"messages": messages, "questions": QUESTIONS}), encoding="utf-8")
    return file


@pytest.fixture
def order(sample: Path, tmp_path: Path, settings: Settings, space: str) -> Order:
    return Order(Selection("sample", sample), tmp_path / "out", database=settings, run=space)


def quietly(*_: object) -> None:
    """No progress is shown."""


def written(order: Order) -> dict[str, Any]:
    """What results.json says, without what depends on the moment."""
    read = json.loads((order.out / "results.json").read_text(encoding="utf-8"))
    return {name: value for name, value in read.items() if name not in OF_THE_MOMENT}


@on_one_engine
def test_two_runs_give_equal_results(order: Order, tmp_path: Path, run: Run, space: str) -> None:
    other = replace(order, out=tmp_path / "other", run=f"{space}-other")

    run(run_benchmark(order, quietly))
    run(run_benchmark(other, quietly))

    assert written(other) == written(order)
    assert sorted(file.name for file in order.out.iterdir() if not file.name.startswith(".")) == [
        "plot.png", "results.json", "table.md"]


@on_one_engine
def test_the_results_hold_every_system_and_what_is_stored(order: Order, run: Run) -> None:
    results = run(run_benchmark(order, quietly))
    said = sum(len(message.text.split()) for message in conversation())

    assert list(results.figures["all"]["all"]) == ["trace-graph", "bm25", "vectors", "rrf", "last"]
    assert results.figures["all"]["all"]["trace-graph"]["T4000"] == 1.0
    assert results.full_context_tokens == pytest.approx(1.33 * said, abs=0.1)
    assert results.stored_tokens.messages >= 1.33 * said
    assert 0 < results.stored_tokens.current_summaries <= results.stored_tokens.summaries
    assert (results.stored_tokens.facts, results.stored_tokens.calls, results.model_calls) == (0, 0, 0)
    assert results.answers == "not measured"
    assert results.timings.import_seconds > 0


@on_one_engine
def test_a_run_that_was_broken_off_goes_on_and_ends_like_one_that_was_not(
    order: Order, tmp_path: Path, run: Run
) -> None:
    undisturbed = replace(order, out=tmp_path / "undisturbed")
    stages: list[tuple[str, int]] = []

    def stop(doing: str, done: int, total: int | None) -> None:
        if (doing, done) == ("sample: asking", 3):
            raise BrokenOff

    with pytest.raises(BrokenOff):
        run(run_benchmark(order, stop))
    with (order.out / PROGRESS).open("a", encoding="utf-8") as file:
        file.write('{"result":{"id":"cut o')
    run(run_benchmark(order, lambda doing, done, total: stages.append((doing, done))))
    run(run_benchmark(undisturbed, quietly))

    assert stages == [
        ("reading", 0), ("connecting", 0), *(("sample: asking", done) for done in (3, 4, 5)), ("summing up", 0)]
    assert written(order) == written(undisturbed)


@on_one_engine
def test_another_run_does_not_go_on_where_one_was_broken_off(order: Order, run: Run) -> None:
    def stop(doing: str, done: int, total: int | None) -> None:
        if done == 2:
            raise BrokenOff

    with pytest.raises(BrokenOff):
        run(run_benchmark(order, stop))
    fewer = replace(order, systems=("trace-graph", "bm25"))
    with pytest.raises(Refused) as refused:
        run(run_benchmark(fewer, quietly))
    results = run(run_benchmark(replace(fewer, restart=True), quietly))

    assert refused.value.message == f"{order.out} holds a run that was broken off, with another systems."
    assert results.systems == ["trace-graph", "bm25"]


@on_one_engine
def test_a_space_that_holds_something_else_is_not_measured(
    order: Order, memory: Memory, run: Run, space: str
) -> None:
    run(run_benchmark(order, quietly))
    used = next(one.name for one in run(memory.spaces()) if one.name.startswith(f"{space}-sample-"))
    run(memory.add("One more.", space=used))

    with pytest.raises(Refused) as refused:
        run(run_benchmark(order, quietly))

    assert refused.value.message == f"The space {used} holds 49 messages, the data 48."


def test_recall_is_blind_to_ids_and_session_names(memory: Memory, run: Run, space: str) -> None:
    """The same talk under names that say which messages answer, and under names that say nothing."""
    def renamed(message: MessageInput, place: int) -> MessageInput:
        gold = str(message.external_id).endswith((":1", ":2"))
        return message.model_copy(update={
            "session": f"answer_{message.session}" if "boat" in message.session else f"{message.session} x",
            "external_id": f"{'answer' if gold else 'other'}-{place}"})

    async def rankings(messages: list[MessageInput], name: str) -> list[list[str]]:
        await memory.add_many(messages, space=name)
        await memory.organize(space=name)
        return [
            [item.text for item in (await memory.recall(str(one["question"]), space=name, limit=48)).items]
            for one in QUESTIONS]

    plain = run(rankings(conversation(), f"{space}-plain"))
    telling = run(rankings([renamed(*pair[::-1]) for pair in enumerate(conversation())], f"{space}-telling"))

    assert telling == plain
    assert len(plain[0]) == 48


def test_a_small_context_is_the_beginning_of_a_large_one(memory: Memory, run: Run, space: str) -> None:
    """What lets the benchmark ask once for all budgets."""
    async def contexts(question: str) -> list[list[str]]:
        return [
            [item.id for item in (await memory.recall(question, space=space, budget=budget)).items]
            for budget in (40, 100, 200, 4000)]

    run(memory.add_many(conversation(), space=space))

    for one in QUESTIONS:
        *small, large = run(contexts(str(one["question"])))
        assert [ids == large[: len(ids)] and 0 < len(ids) < len(large) for ids in small] == [True] * 3
