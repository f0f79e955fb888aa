"""Each recall is kept with how it came about, is explained by it, and gives the same when it is run again."""

from __future__ import annotations

import json
import logging
import secrets
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.looking import events, id_of, opened
from tests.store.prepared import Graph
from tests.store.talk import SUBJECTS, conversation
from trace_graph.access.scopes import open_scope
from trace_graph.config import RecallSettings, Settings
from trace_graph.errors import NotFound, StoreFailed
from trace_graph.memory import Memory
from trace_graph.models import MessageInput, RecallResult, ReplayReport
from trace_graph.retrieve.comparing import TOLERANCE
from trace_graph.retrieve.explaining import read_recall
from trace_graph.retrieve.tracing import KeptRecall
from trace_graph.store.connection import Store
from trace_graph.store.spaces import find_spaces
from trace_graph.text.times import utc_now

QUESTION = "Which berth does the Petrel have?"

KEPT = """
MATCH (s:Space {name: $name}) MATCH (r:Recall {space: s.id})
OPTIONAL MATCH (r)-[u:USED]->(m:Message)
WITH r, u, m ORDER BY u.rank
WITH r, collect([m.id, u.rank, u.score, u.tokens]) AS used
RETURN properties(r) AS recall, used ORDER BY r.id
"""


# How recalls are kept is the same everywhere; what is asked of the past differs by the engine's vector list.
on_one_engine = pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)
on_two_engines = pytest.mark.parametrize("engine_address", ["arcadedb", "neo4j-2026"], indirect=True)


async def asked(settings: Settings, space: str | list[str], question: str = QUESTION, **more: Any) -> RecallResult:
    """A recall through a memory of its own, which is closed: what was to be kept is kept."""
    async with opened(settings, actor="tester") as memory:
        return await memory.recall(question, space=space, **more)


def figures(result: RecallResult) -> list[tuple[Any, ...]]:
    """What a replay compares, and where the items lay."""
    return [(item.rank, item.id, item.score, item.part, item.tokens, item.topic_path) for item in result.items]


def near(result: RecallResult) -> list[tuple[Any, ...]]:
    """The same, equal to figures whose scores are as near as a replay asks for."""
    return [
        (rank, id, pytest.approx(score, abs=TOLERANCE), *rest) for rank, id, score, *rest in figures(result)
    ]


@pytest.fixture
def talk(memory: Memory, run: Run, space: str) -> str:
    """A space with the boat and the bread, filed."""

    async def make() -> None:
        await memory.add_many(conversation(("boat", "bread")), space=space)
        await memory.organize(space=space)

    run(make())
    return space


def test_a_recall_is_kept_with_what_it_used_and_takes_no_change_of_its_space(
    settings: Settings, graph: Graph, run: Run, talk: str
) -> None:
    async def ask() -> tuple[Any, ...]:
        before = await events(graph, talk)
        result = await asked(settings, talk, limit=3)
        return before, await events(graph, talk), result, await graph.rows(KEPT, name=talk)

    before, after, result, rows = run(ask())

    [row] = rows
    kept = row["recall"]
    assert after == before
    assert row["used"] == [[item.id, item.rank, item.score, item.tokens] for item in result.items]
    assert {name: kept[name] for name in ("id", "query", "actor", "door", "change_seq", "change_seqs")} == {
        "id": result.recall_id,
        "query": QUESTION,
        "actor": "tester",
        "door": "library",
        "change_seq": before[-1]["change_seq"],
        "change_seqs": [before[-1]["change_seq"]],
    }
    assert kept["spaces"] == [kept["space"]]
    parameters, trace = json.loads(kept["parameters"]), json.loads(kept["trace"])
    assert (parameters["budget"], parameters["limit"], parameters["embedder"][1]) == (None, 3, 256)
    assert (trace["found"], trace["dropped"], len(trace["candidates"])) == (16, {"limit": 13}, 16)


@on_one_engine
def test_no_text_of_a_message_is_copied_into_what_is_kept(
    settings: Settings, graph: Graph, run: Run, talk: str
) -> None:
    async def ask() -> str:
        await asked(settings, talk, limit=3)
        [row] = await graph.rows(KEPT, name=talk)
        return str(row["recall"]["trace"]) + str(row["recall"]["parameters"])

    kept = run(ask()).casefold()

    said = {word.strip(".,?").casefold() for subject in ("boat", "bread") for text in SUBJECTS[subject]
            for word in text.split() if len(word) > 4}
    assert {word for word in said if word in kept} == {"berth", "petrel"}  # which stand in the question


@on_one_engine
def test_the_explanation_that_is_given_at_once_is_the_one_that_is_read_later(
    settings: Settings, memory: Memory, run: Run, talk: str
) -> None:
    async def ask() -> tuple[Any, Any]:
        result = await asked(settings, talk, budget=40, explain=True)
        return result, await memory.explain(result.recall_id)

    result, later = run(ask())

    assert result.explanation == later
    assert (later.budget, later.terms, later.names, later.found) == (40, ["berth", "petrel"], [], 16)
    assert later.change_seqs.keys() == {talk}
    assert sum(later.dropped.values()) == 16 - len(result.items) > 0
    shown = [one for one in later.candidates if one.rank is not None]
    assert [(one.id, one.rank, one.score, one.tokens, one.text) for one in shown] == [
        (item.id, item.rank, item.score, item.tokens, item.text) for item in result.items]
    assert {one.dropped for one in later.candidates if one.rank is None} == {"budget"}
    for one in later.candidates:
        assert sum(one.signals.values()) == pytest.approx(one.score, abs=1e-5)
        assert one.topic_path


@on_one_engine
def test_nothing_is_written_before_the_answer_is_there(
    settings: Settings, run: Run, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    write = Store.write

    async def noting(self: Store, work: Any, operation: str, **more: Any) -> Any:
        written.append(operation)
        return await write(self, work, operation, **more)

    async def ask() -> list[str]:
        async with opened(settings) as memory:
            monkeypatch.setattr(Store, "write", noting)
            await memory.recall(QUESTION, space=talk)
            return list(written)

    before = run(ask())

    assert ("keep_recalls" in before, "keep_recalls" in written) == (False, True)


@on_one_engine
@pytest.mark.parametrize("kept", [0, 2])
def test_the_latest_recalls_are_kept_as_many_as_the_setting_says(
    settings: Settings, graph: Graph, run: Run, talk: str, kept: int
) -> None:
    few = settings.model_copy(update={"recalls_kept": kept})

    async def ask() -> tuple[list[str], list[str]]:
        made = [(await asked(few, talk, limit=1)).recall_id for _ in range(4)]
        return made, [row["recall"]["id"] for row in await graph.rows(KEPT, name=talk)]

    made, there = run(ask())

    assert there == made[len(made) - kept:]


@on_one_engine
def test_a_recall_that_cannot_be_kept_is_answered_and_warned_of(
    settings: Settings, run: Run, talk: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def failing(self: Store, work: Any, operation: str, **more: Any) -> Any:
        raise StoreFailed("No space on the disk.")

    monkeypatch.setattr(Store, "write", failing)

    result = run(asked(settings, talk, limit=1))

    assert len(result.items) == 1
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, "recalls were not kept")]


@on_one_engine
def test_an_unknown_recall_and_one_of_a_space_that_may_not_be_read_look_the_same(
    settings: Settings, store: Store, memory: Memory, run: Run, talk: str
) -> None:
    """Also where only one of two spaces may be read."""
    other = f"{talk}-other"

    async def ask() -> tuple[KeptRecall, RecallResult]:
        await memory.add_many(conversation(("music",)), space=other)
        result = await asked(settings, [talk, other], "Where is the concert?")
        both = open_scope([talk, other], await find_spaces(store, [talk, other]))
        return await read_recall(store, both, result.recall_id), result

    kept, result = run(ask())

    assert len(kept.spaces) == 2
    for name, id in ((talk, result.recall_id), (other, result.recall_id), (talk, "no such id")):
        with pytest.raises(NotFound) as refused:
            run(read_recall(store, open_scope([name], run(find_spaces(store, [name]))), id))
        assert refused.value.message == f"There is no recall {id!r}."
    for verb in (memory.explain, memory.replay):
        with pytest.raises(NotFound):
            run(verb("no such id"))


@on_two_engines
def test_a_replay_is_equal_also_after_more_was_said_and_filed(
    settings: Settings, memory: Memory, run: Run, talk: str
) -> None:
    more = [MessageInput(text=f"The Petrel lay at berth {n}.", author="Ines", session="later") for n in range(300)]

    async def ask() -> list[ReplayReport]:
        results = [
            await asked(settings, talk, limit=5),
            await asked(settings, talk, budget=60),
            await asked(settings, talk, "What did Ines say of the harbour on 5 March 2024?", limit=5),
            await asked(settings, [talk, f"{talk}-b"] if await memory.create_space(f"{talk}-b") else talk, limit=5),
        ]
        before = [await memory.replay(result.recall_id) for result in results]
        await memory.add_many(more, space=talk)
        await memory.organize(space=talk)
        return [*before, *[await memory.replay(result.recall_id) for result in results]]

    reports = run(ask())

    assert [(report.equal, report.differences, report.changes) for report in reports] == [(True, [], [])] * 8
    assert [report.items for report in reports[:4]] == [report.items for report in reports[4:]]
    assert min(report.items for report in reports) > 2


@on_two_engines
def test_where_the_index_brings_other_candidates_what_was_scored_then_is_scored_again(
    settings: Settings, memory: Memory, run: Run, space: str
) -> None:
    """Lists of 20 of 120 messages are cut by scores that count the words of later messages too."""
    short = settings.model_copy(update={"recall": RecallSettings(candidates=20, window=1)})
    nouns = ("pier", "rope", "gull", "anchor", "sail")

    def said(first: int, last: int) -> list[MessageInput]:
        return [
            MessageInput(text=f"The Petrel and {nouns[n % 5]} {nouns[n % 3]} {'are at the harbour ' * (n % 7)}{n}.")
            for n in range(first, last)]

    async def ask() -> ReplayReport:
        await memory.add_many(said(0, 120), space=space)
        result = await asked(short, space, "Is the Petrel at the pier, or is the gull?", limit=10)
        await memory.add_many(said(120, 400), space=space)
        async with opened(short) as again:
            return await again.replay(result.recall_id)

    report = run(ask())

    assert (report.equal, report.items, report.differences) == (True, 10, [])
    assert {change.kind for change in report.changes} <= {"index"}


@on_one_engine
def test_a_replay_takes_the_settings_of_then_and_names_what_they_are_now(
    settings: Settings, run: Run, talk: str
) -> None:
    other = settings.model_copy(update={"recall": RecallSettings(vector_weight=0.5, window=1)})

    async def ask() -> ReplayReport:
        result = await asked(settings, talk, limit=5)
        async with opened(other) as memory:
            return await memory.replay(result.recall_id)

    report = run(ask())

    assert (report.equal, report.items) == (True, 5)
    assert [(change.name, change.then, change.now, change.replayed) for change in report.changes] == [
        ("recall.vector_weight", 2.0, 0.5, True),
        ("recall.window", 2, 1, True),
    ]


@on_one_engine
def test_a_replay_counts_its_tokens_and_says_so_where_the_counter_is_another(
    settings: Settings, run: Run, talk: str
) -> None:
    async def ask() -> ReplayReport:
        result = await asked(settings, talk, limit=1)
        async with opened(settings, count=len) as memory:
            return await memory.replay(result.recall_id)

    report = run(ask())

    assert (report.equal, [(one.kind, one.why) for one in report.differences]) == (
        False, [("tokens", "The tokens are counted in another way.")])


@on_two_engines
def test_an_erased_message_is_named_and_the_explanation_keeps_its_figures(
    settings: Settings, memory: Memory, graph: Graph, run: Run, talk: str
) -> None:
    async def ask() -> tuple[Any, ...]:
        result = await asked(settings, talk, limit=3)
        await graph.rows("MATCH (m:Message {id: $id}) DETACH DELETE m", id=result.items[0].id)
        return result, await memory.replay(result.recall_id), await memory.explain(result.recall_id)

    result, report, explanation = run(ask())

    assert report.equal is False
    assert (report.differences[0].kind, report.differences[0].id, report.differences[0].why) == (
        "missing", result.items[0].id, "The message was erased, or may not be read any more.")
    first = explanation.candidates[0]
    assert (first.id, first.rank, first.text, first.score) == (result.items[0].id, 1, None, result.items[0].score)


LONG = "The gulls sat on the pier of Bergen all day and shouted at the ferry, and nobody fed them. "


def test_known_at_gives_what_a_recall_gave_then_however_much_came_later(
    settings: Settings, memory: Memory, run: Run, space: str
) -> None:
    """Messages, neighbours, speakers, passages, topics and their titles; later ones crowd every list."""
    questions = [QUESTION, "What did Ines say about the gulls on the pier?", "rye bread", "harbour Petrel gulls ferry"]
    later = [
        MessageInput(text=f"The Petrel has berth {n} in the harbour, said Ines.", author="Ines", session="about boat")
        for n in range(500)]
    long = [
        MessageInput(text=" ".join(LONG + f"That was day {day} of {n}." for day in range(40)), author="Kai",
                     session=f"gulls {n}")
        for n in range(30)]

    async def ask() -> tuple[list[Any], list[Any]]:
        await memory.add_many([*conversation(("boat", "bread", "garden")), *long[:2]], space=space)
        await memory.organize(space=space)
        await memory.add("The mast of the Petrel was varnished.", space=space, author="Mira", session="about boat")
        then = [await memory.recall(question, space=space, limit=12) for question in questions]
        moment = utc_now()
        await memory.add_many([*later, *long[2:]], space=space)
        await memory.organize(space=space)
        now = [await memory.recall(question, space=space, limit=12, known_at=moment) for question in questions]
        return then, now

    then, now = run(ask())

    assert [figures(result) for result in now] == [near(result) for result in then]
    assert [[(topic.id, topic.path) for topic in result.topics] for result in now] == [
        [(topic.id, topic.path) for topic in result.topics] for result in then]
    assert {item.part is not None for result in then for item in result.items} == {True, False}


@on_two_engines
def test_a_space_smaller_then_than_large_from_is_read_as_a_small_one(
    settings: Settings, memory: Memory, run: Run, space: str
) -> None:
    tight = settings.model_copy(
        update={"recall": RecallSettings(large_from=30, candidates_large=3, expanded_large=2)})

    async def ask() -> tuple[list[Any], list[Any], list[Any]]:
        await memory.add_many(conversation(("boat", "bread", "garden")), space=space)
        async with opened(tight) as other:
            then = await other.recall(QUESTION, space=space)
            moment = utc_now()
            await memory.add_many(conversation(("music", "work")), space=space)
            known = await other.recall(QUESTION, space=space, known_at=moment)
            return near(then), figures(known), figures(await other.recall(QUESTION, space=space))

    then, known, now = run(ask())

    assert known == then
    assert len(now) < len(then) == 24


@on_two_engines
def test_before_a_space_was_there_nothing_was_known_and_in_the_future_all_is(
    settings: Settings, memory: Memory, run: Run, space: str
) -> None:
    before = utc_now()

    async def ask() -> tuple[RecallResult, RecallResult, RecallResult, ReplayReport]:
        await memory.add_many(conversation(("boat",)), space=space)
        nothing = await asked(settings, space, known_at=before)
        return (
            nothing,
            await memory.recall(QUESTION, space=space, known_at="2100-01-01"),
            await memory.recall(QUESTION, space=space),
            await memory.replay(nothing.recall_id),
        )

    nothing, future, now, report = run(ask())

    assert (nothing.items, nothing.topics, report.equal) == ([], [], True)
    assert figures(future) == near(now)


@on_one_engine
def test_an_export_and_the_doctor_do_not_mind_kept_recalls(
    settings: Settings, memory: Memory, run: Run, talk: str, tmp_path: Path
) -> None:
    async def ask() -> tuple[bytes, bytes, Any]:
        await memory.export(space=talk, out=tmp_path / "before")
        await asked(settings, talk)
        await memory.export(space=talk, out=tmp_path / "after")
        report = await memory.doctor(space=talk, deep=True)
        return (tmp_path / "before").read_bytes(), (tmp_path / "after").read_bytes(), report

    before, after, report = run(ask())

    assert after == before
    assert [problem for problem in report.problems if problem.space == talk] == []


@on_one_engine
def test_recalls_that_are_kept_at_once_by_many_are_all_there(
    settings: Settings, graph: Graph, run: Run, talk: str
) -> None:
    import asyncio

    async def ask() -> tuple[set[str], set[str]]:
        async with opened(settings) as one, opened(settings) as two:
            adds = [two.add(f"Line {number}", space=talk, session=secrets.token_hex(4)) for number in range(10)]
            recalls = [memory.recall(QUESTION, space=talk, limit=5) for memory in (one, two) for _ in range(10)]
            results = await asyncio.gather(*recalls, *adds)
        made = {result.recall_id for result in results if isinstance(result, RecallResult)}
        return made, {row["recall"]["id"] for row in await graph.rows(KEPT, name=talk)}

    made, there = run(ask())

    assert len(made) == 20
    assert there == made


@on_one_engine
def test_the_space_of_a_recall_is_the_first_it_was_put_to(
    settings: Settings, memory: Memory, graph: Graph, run: Run, talk: str
) -> None:
    other = f"{talk}-a"

    async def ask() -> tuple[list[str], list[str]]:
        await memory.create_space(other)
        await asked(settings, [talk, other])
        [row] = await graph.rows(KEPT, name=talk)
        return row["recall"]["spaces"], [await id_of(graph, talk), await id_of(graph, other)]

    spaces, expected = run(ask())

    assert spaces == expected
