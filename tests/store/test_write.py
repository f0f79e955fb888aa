"""Writing: word for word, in order, once, and accounted for in the ledger."""

from __future__ import annotations

import asyncio
import gc
import json
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any

import neo4j
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tried
from hypothesis import strategies as st

from tests.engines.releases import EngineAddress
from tests.store.conftest import Run
from tests.store.looking import events, id_of, opened, stored
from tests.store.prepared import Graph
from tests.store.talk import EVERYTHING
from trace_graph.config import Settings
from trace_graph.errors import EngineTimeout, EngineUnavailable, InvalidInput, NotFound
from trace_graph.memory import Memory
from trace_graph.models import MessageInput, Receipt
from trace_graph.store.connection import Transaction


def test_text_and_content_come_back_byte_for_byte(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    """PC-023, PC-025, PC-098: special tokens, reserved words and control characters are ordinary text."""
    texts = [
        EVERYTHING,
        "The file ends with <|endoftext|> and the template uses <|im_start|>user and [INST].",
        '{"attributes": 1, "id": "x", "labels": [], "embedding": [0], "created_at": "now", "namespace": "n"}',
        "\u0085 \u2028 \r lone CR \x1b[31mred",
        "x" * 50_000,
        "  spaces around  \n\n",
    ]
    content = [
        {"type": "text", "text": EVERYTHING},
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}},
    ]
    given = [MessageInput(text=text) for text in texts] + [MessageInput(text="parts", content=content)]

    async def write() -> list[dict[str, Any]]:
        await memory.add_many(given, space=space)
        return await stored(graph, space)

    found = run(write())

    assert [message["text"].encode() for message in found] == [text.encode() for text in [*texts, "parts"]]
    assert found[-1]["content"] == (
        '[{"type":"text","text":' + dumps(EVERYTHING) + "},"
        '{"type":"image_url","image_url":{"url":"https://e.org/a.png"}}]'
    )
    assert [message.get("content") for message in found[:-1]] == [None] * len(texts)


def dumps(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def test_a_list_of_parts_is_stored_with_its_texts_in_order(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """PC-020."""
    parts = [
        {"type": "text", "text": "My boat is called Petrel."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "It is blue."},
    ]

    async def write() -> str:
        await memory.add("", space=space, content=parts)
        return str((await stored(graph, space))[0]["text"])

    text = run(write())

    assert text.index("My boat is called Petrel.") < text.index("image") < text.index("It is blue.")
    assert "AAAA" not in text


def test_a_batch_larger_than_a_server_takes_at_once_is_stored_whole(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """ArcadeDB drops the connection at 16 MiB in one message; these are 18."""
    large = [{"type": "text", "text": "x" * 1_000_000}]
    given = [MessageInput(text=f"Number {number}.", content=large) for number in range(18)]

    async def write() -> list[tuple[str, int]]:
        await memory.add_many(given, space=space)
        return [(message["text"], len(message["content"])) for message in await stored(graph, space)]

    assert run(write()) == [(message.text, len(json.dumps(large, separators=(",", ":")))) for message in given]


def test_seq_has_no_gaps_across_add_add_many_and_adds_at_once(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """PC-070: fifty adds at once on one object, and one event for each request."""

    async def write() -> tuple[list[Receipt], list[dict[str, Any]], list[dict[str, Any]]]:
        receipts = [await memory.add("First.", space=space, session="s")]
        receipts += await memory.add_many(
            [MessageInput(text=f"Second {number}.", session="s") for number in range(3)], space=space
        )
        receipts += await asyncio.gather(
            *(memory.add(f"Third {number}.", space=space, session="s") for number in range(50))
        )
        return receipts, await stored(graph, space), await events(graph, space)

    receipts, found, ledger = run(write())

    assert sorted(receipt.seq for receipt in receipts) == list(range(1, 55))
    assert {receipt.id: receipt.seq for receipt in receipts} == {message["id"]: message["seq"] for message in found}
    assert [event["seq"] for event in ledger] == list(range(1, 54))
    assert [event["action"] for event in ledger] == ["space.created", *["messages.added"] * 52]
    assert [event["change_seq"] for event in ledger] == list(range(1, 54))


def test_next_runs_through_each_session_in_order(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    given = [MessageInput(text=f"{session} {place}", session=session) for place in range(3) for session in ("a", "b")]

    async def write() -> list[dict[str, Any]]:
        for part in (given[:2], given[2:]):
            await memory.add_many(part, space=space)
        return await graph.rows(
            "MATCH (m:Message {space: $space})-[:NEXT]->(n:Message) RETURN m.text AS one, n.text AS next ORDER BY one",
            space=await id_of(graph, space),
        )

    assert run(write()) == [
        {"one": f"{session} {place}", "next": f"{session} {place + 1}"} for session in "ab" for place in range(2)
    ]


def test_an_external_id_is_stored_once_within_a_batch_across_calls_and_across_memories(
    memory: Memory, settings: Settings, graph: Graph, run: Run, space: str
) -> None:
    """PC-026, PC-068: repeats answer with the first result; equal text under two ids is two messages."""
    batch = [
        MessageInput(text="Mira sold the boat.", external_id="m1"),
        MessageInput(text="Other words.", external_id="m1"),
        MessageInput(text="Mira sold the boat.", external_id="m2"),
    ]

    async def write() -> tuple[list[list[Receipt]], list[dict[str, Any]]]:
        first = await memory.add_many(batch, space=space)
        again = await memory.add_many(batch, space=space)
        async with opened(settings) as other:
            at_once = await asyncio.gather(
                *(
                    one.add_many([*batch, MessageInput(text="New.", external_id="m3")], space=space)
                    for one in (memory, other, memory, other)
                )
            )
        return [first, again, *at_once], await stored(graph, space)

    answers, found = run(write())

    assert [(message["external_id"], message["text"], message["seq"]) for message in found] == [
        ("m1", "Mira sold the boat.", 1),
        ("m2", "Mira sold the boat.", 2),
        ("m3", "New.", 3),
    ]
    ids = [message["id"] for message in found]
    assert [receipt.id for receipt in answers[0]] == [ids[0], ids[0], ids[1]]
    assert [receipt.duplicate for receipt in answers[0]] == [False, True, False]
    assert [receipt.duplicate for receipt in answers[1]] == [True, True, True]
    assert [receipt.differs for receipt in answers[0]] == [False, True, False]
    assert [receipt.differs for receipt in answers[1]] == [False, True, False]
    assert [[receipt.space_created for receipt in answer] for answer in answers[:2]] == [[True] * 3, [False] * 3]
    for answer in answers[2:]:
        assert [receipt.id for receipt in answer] == [ids[0], ids[0], ids[1], ids[2]]
    assert sorted(answer[3].duplicate for answer in answers[2:]) == [False, True, True, True]


# Cancelled while it opens a connection, the driver (6.x) leaves the socket to the garbage collector, which warns.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cancelled_add_leaves_its_messages_whole_or_not_at_all(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """PC-071: and the repeat with the same ids repairs everything."""

    async def cancelled(number: int) -> None:
        batch = [MessageInput(text=f"Part {part}.", external_id=f"{number}:{part}") for part in range(3)]
        try:
            async with asyncio.timeout(0.002 * number):
                await memory.add_many(batch, space=space)
        except TimeoutError:
            pass

    async def write() -> tuple[list[str], list[str]]:
        await memory.create_space(space)
        for number in range(12):
            await cancelled(number)
        await memory.add("Last.", space=space)  # waits its turn behind what was cancelled
        halfway = [str(message.get("external_id")) for message in await stored(graph, space)]
        whole = [
            MessageInput(text=f"Part {part}.", external_id=f"{n}:{part}") for n in range(12) for part in range(3)
        ]
        await memory.add_many(whole, space=space)
        return halfway, [str(message.get("external_id")) for message in await stored(graph, space)]

    halfway, repaired = run(write())
    gc.collect()

    counts = [sum(id.startswith(f"{number}:") for id in halfway) for number in range(12)]
    assert set(counts) <= {0, 3}
    assert sorted(repaired) == sorted(["None", *(f"{n}:{part}" for n in range(12) for part in range(3))])


class AnswerLost:
    """The first commits are carried out, but their answer is lost."""

    def __init__(self, times: int, error: Callable[[], BaseException]) -> None:
        self.left, self._error = times, error
        self._commit = neo4j.AsyncTransaction.commit

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        outer = self

        async def commit(transaction: neo4j.AsyncTransaction) -> None:
            await outer._commit(transaction)
            if outer.left:
                outer.left -= 1
                raise outer._error()

        monkeypatch.setattr(neo4j.AsyncTransaction, "commit", commit)


@pytest.mark.parametrize(
    "error",
    [
        lambda: neo4j.exceptions.ServiceUnavailable("lost"),
        lambda: neo4j.exceptions.IncompleteCommit("lost"),
        lambda: neo4j.exceptions.SessionExpired("lost"),
    ],
    ids=["unavailable", "incomplete", "expired"],
)
def test_a_commit_whose_answer_was_lost_stores_nothing_twice(
    settings: Settings,
    graph: Graph,
    run: Run,
    space: str,
    monkeypatch: pytest.MonkeyPatch,
    error: Callable[[], BaseException],
) -> None:
    """PC-158: of creating the space, and of a batch that also holds a repeat and a known id."""
    batch = [
        MessageInput(text="No id."),
        MessageInput(text="Id.", external_id="a"),
        MessageInput(text="Id.", external_id="a"),
    ]

    async def write() -> tuple[list[Receipt], list[Receipt]]:
        async with opened(settings) as memory:
            await memory.create_space(space)
            monkeypatch.undo()
            await memory.add("Before.", space=space, external_id="before")
            AnswerLost(2, error).patch(monkeypatch)
            first = await memory.add_many([*batch, MessageInput(text="B.", external_id="before")], space=space)
            monkeypatch.undo()
            return first, await memory.add_many(batch[1:], space=space)

    lost = AnswerLost(1, error)
    run(warm(settings))
    lost.patch(monkeypatch)
    first, repeated = run(write())
    found = run(stored(graph, space))
    ledger = run(events(graph, space))

    assert lost.left == 0
    assert [message["text"] for message in found] == ["Before.", "No id.", "Id."]
    assert [(receipt.id, receipt.seq, receipt.duplicate) for receipt in first] == [
        (found[1]["id"], 2, False),
        (found[2]["id"], 3, False),
        (found[2]["id"], 3, True),
        (found[0]["id"], 1, True),
    ]
    assert [receipt.duplicate for receipt in repeated] == [True, True]
    assert [event["action"] for event in ledger] == ["space.created", "messages.added", "messages.added"]


async def warm(settings: Settings) -> None:
    """So that the first commit which is tampered with is the one that is meant."""
    async with opened(settings) as memory:
        await memory.spaces()


def test_invalid_input_anywhere_stores_nothing(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    """PC-022: not even the space comes into being."""
    good = MessageInput(text="Good.")

    async def write(bad: MessageInput) -> None:
        with pytest.raises(InvalidInput):
            await memory.add_many([good, bad, good], space=space)
        with pytest.raises(NotFound):
            await memory.stats(space=space)

    for bad in (
        MessageInput(text="   \n\t"),
        MessageInput(text="\u200b\u200d\ufeff"),
        MessageInput(text="a\x00b"),
        MessageInput(text="x", at="yesterday"),
        MessageInput(text="x", at=datetime(2024, 1, 1)),
        MessageInput(text="x", external_id=" "),
        MessageInput(text="x", external_id="y" * 513),
        MessageInput(text="x", session=""),
        MessageInput(text="x", author="a" * 257),
    ):
        run(write(bad))


def test_an_empty_batch_stores_nothing(memory: Memory, run: Run, space: str) -> None:
    async def write() -> list[Receipt]:
        receipts = await memory.add_many([], space=space)
        with pytest.raises(NotFound):
            await memory.stats(space=space)
        return receipts

    assert run(write()) == []


def test_times_keep_their_instant_to_the_microsecond_and_the_offset_they_came_with(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """PC-056, PC-067: on each engine the same, and the database itself sorts them so."""
    given = [
        ("2024-03-01T10:00:00Z", datetime(2024, 3, 1, 10, tzinfo=UTC), 0),
        ("2024-03-01T11:00:00+02:00", datetime(2024, 3, 1, 9, tzinfo=UTC), 120),
        ("2024-01-01T00:30:00-03:30", datetime(2024, 1, 1, 4, tzinfo=UTC), -210),
        ("1969-12-31T23:59:59.5Z", datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC), 0),
        ("2024-01-01T00:00:00.999999+05:45", datetime(2023, 12, 31, 18, 15, 0, 999_999, tzinfo=UTC), 345),
    ]

    async def write() -> tuple[list[Receipt], list[dict[str, Any]]]:
        receipts = await memory.add_many([MessageInput(text=at, at=at) for at, _, _ in given], space=space)
        rows = await graph.rows(
            "MATCH (m:Message {space: $space}) RETURN m.text AS at, m.occurred_at AS instant, "
            "m.occurred_offset AS offset ORDER BY m.occurred_at",
            space=await id_of(graph, space),
        )
        return receipts, rows

    receipts, rows = run(write())

    assert [receipt.occurred_at for receipt in receipts] == [instant for _, instant, _ in given]
    assert rows == [
        {"at": at, "instant": instant, "offset": offset}
        for at, instant, offset in sorted(given, key=lambda one: one[1])
    ]


def test_a_time_without_an_offset_is_read_in_the_zone_of_its_space(
    memory: Memory, settings: Settings, run: Run, space: str
) -> None:
    """PC-062, PC-064: also when another process has just set another zone."""

    async def write() -> list[datetime]:
        read = [(await memory.add("UTC.", space=space, at="2024-07-01T12:00:00")).occurred_at]
        async with opened(settings) as other:
            await other.set_space(space, time_zone="America/Santiago")
        read.append((await memory.add("Winter.", space=space, at="2024-07-01T12:00:00")).occurred_at)
        read.append((await memory.add("No midnight.", space=space, at="2024-09-08T00:00:00")).occurred_at)
        return read

    assert run(write()) == [
        datetime(2024, 7, 1, 12, tzinfo=UTC),
        datetime(2024, 7, 1, 16, tzinfo=UTC),
        datetime(2024, 9, 8, 4, tzinfo=UTC),
    ]


def test_whoever_passes_the_bookmark_of_a_receipt_reads_the_message(
    memory: Memory, settings: Settings, run: Run, space: str
) -> None:
    """PC-161."""

    async def write() -> tuple[int, str | None]:
        receipt = await memory.add("Petrel is moored.", space=space)
        assert settings.password is not None
        bookmarks = neo4j.Bookmarks.from_raw_values((receipt.bookmark or "").split(","))
        async with (
            neo4j.AsyncGraphDatabase.driver(
                settings.uri, auth=(settings.username, settings.password.get_secret_value())
            ) as driver,
            driver.session(database=settings.database, bookmarks=bookmarks) as session,
        ):
            result = await session.run("MATCH (m:Message {id: $id}) RETURN count(m) AS n", id=receipt.id)
            record = await result.single(strict=True)
            return record["n"], receipt.bookmark

    count, bookmark = run(write())

    assert count == 1
    assert bookmark


def test_spaces_at_once_never_mix(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    """PC-080: forty adds at once over eight spaces through one object."""
    names = [f"{space}-{number}" for number in range(8)]

    async def write() -> dict[str, list[str]]:
        await asyncio.gather(
            *(
                memory.add(f"This is said in {name}.", space=name, session=str(number))
                for number in range(5)
                for name in names
            )
        )
        return {name: [message["text"] for message in await stored(graph, name)] for name in names}

    assert run(write()) == {name: [f"This is said in {name}."] * 5 for name in names}


def test_two_processes_that_add_to_a_new_space_at_once_create_it_once(
    settings: Settings, graph: Graph, run: Run, space: str
) -> None:
    """PC-068, PC-073."""

    async def write() -> tuple[int, list[int]]:
        memories = [opened(settings) for _ in range(4)]
        await asyncio.gather(*(memory.add(f"Hello {number}.", space=space) for number, memory in enumerate(memories)))
        for memory in memories:
            await memory.close()
        rows = await graph.rows("MATCH (s:Space {name: $name}) RETURN count(s) AS n", name=space)
        return rows[0]["n"], [message["seq"] for message in await stored(graph, space)]

    assert run(write()) == (1, [1, 2, 3, 4])


def test_four_processes_that_add_to_one_space_at_once_lose_nothing(
    settings: Settings, graph: Graph, run: Run, space: str
) -> None:
    """PC-073, PC-074: each has a connection of its own, so no lock of one process can help."""

    async def write() -> list[int]:
        memories = [opened(settings) for _ in range(4)]
        await memories[0].create_space(space)
        await asyncio.gather(
            *(memory.add(f"Text {number}.", space=space) for number in range(6) for memory in memories)
        )
        for memory in memories:
            await memory.close()
        return [message["seq"] for message in await stored(graph, space)]

    assert run(write()) == list(range(1, 25))


def test_names_that_could_be_run_together_stay_apart(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    """PC-079, PC-082, PC-083: keys are joined from parts of which none can be taken for two."""
    pairs = [("a", "b/1"), ("a/b", "1"), ("a", "b"), ("a:b", "1"), ("or", "null"), ("AND", "undefined")]

    async def write() -> list[tuple[str, str]]:
        for session, external in pairs:
            await memory.add(f"{session} {external}", space=space, session=session, external_id=external + session)
        return [(message["session"], message["text"]) for message in await stored(graph, space)]

    assert sorted(run(write())) == sorted((session, f"{session} {external}") for session, external in pairs)


@pytest.mark.parametrize("faulty", ["before_adding", "lock_space"])
def test_a_read_that_fails_in_the_write_path_fails_the_write(
    settings: Settings, graph: Graph, run: Run, space: str, monkeypatch: pytest.MonkeyPatch, faulty: str
) -> None:
    """PC-167, PC-086: what cannot be looked up is never taken for absent; the retry works."""
    plain = Transaction.run
    failing = [True]

    async def broken(self: Transaction, name: str, **parameters: Any) -> Any:
        if name == faulty and failing:
            raise neo4j.exceptions.ClientError("read failed")
        return await plain(self, name, **parameters)

    async def write() -> tuple[list[str], bool]:
        async with opened(settings) as memory:
            await memory.add("One.", space=space, external_id="one")
            monkeypatch.setattr(Transaction, "run", broken)
            with pytest.raises(Exception, match="refused the operation"):
                await memory.add("One.", space=space, external_id="one")
            failing.clear()
            receipt = await memory.add("One.", space=space, external_id="one")
            return [message["text"] for message in await stored(graph, space)], receipt.duplicate

    assert run(write()) == (["One."], True)


def test_a_database_that_does_not_answer_is_said_so_in_time(settings: Settings, run: Run) -> None:
    """PC-157."""
    gone = Settings(uri="bolt://127.0.0.1:1", deadline_seconds=1)

    async def write() -> None:
        async with opened(gone) as memory:
            await memory.add("Lost.", space="s")

    with pytest.raises(EngineUnavailable) as refused:
        run(write())
    assert not isinstance(refused.value, EngineTimeout)


IDS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"]))
BATCH = st.lists(st.tuples(IDS, st.sampled_from(["s", "t"])), min_size=1, max_size=6)


@tried(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(BATCH, min_size=1, max_size=4), at_once=st.booleans())
def test_however_messages_are_grouped_each_is_stored_once_and_numbered_without_gaps(
    memory: Memory,
    graph: Graph,
    run: Run,
    engine_address: EngineAddress,
    batches: list[list[tuple[str | None, str]]],
    at_once: bool,
) -> None:
    if engine_address.kind != "arcadedb":
        pytest.skip("One engine is enough: nothing here depends on which.")
    name = f"property-{secrets.token_hex(6)}"
    number = count()
    given_batches = [
        [MessageInput(text=f"Text {next(number)}.", external_id=id, session=session) for id, session in batch]
        for batch in batches
    ]

    async def write() -> list[dict[str, Any]]:
        calls = [memory.add_many(batch, space=name) for batch in given_batches]
        if at_once:
            await asyncio.gather(*calls)
        else:
            for call in calls:
                await call
        return await stored(graph, name)

    found = run(write())

    everything = [message for batch in given_batches for message in batch]
    assert sum(message.get("external_id") is None for message in found) == sum(
        message.external_id is None for message in everything
    )
    assert sorted(message["external_id"] for message in found if message.get("external_id")) == sorted(
        {message.external_id for message in everything if message.external_id}
    )
    for session in {message["session"] for message in found}:
        places = [message["seq"] for message in found if message["session"] == session]
        assert places == list(range(1, len(places) + 1))
