"""Importing files: every format, once, and what is wrong with an item is told by its line."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engines.releases import EngineAddress
from tests.store.conftest import Run
from tests.store.exported import exported
from tests.store.prepared import Graph
from trace_graph.errors import InvalidInput, NotFound
from trace_graph.memory import Memory
from trace_graph.models import ImportReport, MessageInput, RejectedLine
from trace_graph.store.connection import Store

DATA = Path(__file__).parents[2] / os.environ.get("TRACE_GRAPH_TEST_DATA", "../shared/data")

JSONL = "\n".join(
    json.dumps(line)
    for line in (
        {
            "text": "Mira bought a boat.",
            "author": "Mira",
            "session": "a",
            "at": "2024-05-01T10:00:00Z",
            "external_id": "1",
        },
        {"text": "What is she called?", "author": "Tomas", "session": "a", "at": "2024-05-01T10:01:00Z"},
        {"text": "Petrel.", "author": "Mira", "session": "b", "at": "2024-05-02T10:00:00Z"},
    )
)

OPENAI = json.dumps(
    {
        "messages": [
            {"role": "system", "content": "You are a harbour master."},
            {"role": "user", "content": [{"type": "text", "text": "May I moor here?"}]},
            {"role": "assistant", "content": "Berth 12 is free."},
        ]
    }
)

LOCOMO = json.dumps(
    [
        {
            "sample_id": "conv-1",
            "qa": [],
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Ben",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello Ben."},
                    {"speaker": "Ben", "dia_id": "D1:2", "text": "Hello Ann."},
                ],
                "session_2_date_time": "2:10 pm on 9 May, 2023",
                "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sold the van."}],
            },
        }
    ]
)

LONGMEMEVAL = json.dumps(
    [
        {
            "question_id": "q1",
            "question_type": "single-session-user",
            "question": "Which boat?",
            "answer": "Petrel",
            "question_date": "2023/05/30 (Tue) 23:40",
            "haystack_dates": ["2023/05/20 (Sat) 02:21"],
            "haystack_session_ids": ["answer_1"],
            "answer_session_ids": ["answer_1"],
            "haystack_sessions": [
                [
                    {"role": "user", "content": "My boat is the Petrel.", "has_answer": True},
                    {"role": "assistant", "content": "A fine name."},
                ]
            ],
        }
    ]
)

BEAM = json.dumps(
    [
        {
            "batch_number": 1,
            "turns": [
                [
                    {
                        "role": "user",
                        "id": 1,
                        "time_anchor": "March-15-2024",
                        "index": "1,1",
                        "question_type": "main_question",
                        "content": "I am planning a garden.",
                    },
                    {"role": "assistant", "id": 2, "content": "What will you grow?"},
                ]
            ],
        }
    ]
)

FILES: dict[str, tuple[str, str, tuple[int, int], set[str]]] = {
    "jsonl": ("messages.jsonl", JSONL, (3, 2), {"Mira bought a boat.", "What is she called?", "Petrel."}),
    "openai": ("chat.json", OPENAI, (3, 1), {"You are a harbour master.", "May I moor here?", "Berth 12 is free."}),
    "locomo": ("locomo.json", LOCOMO, (3, 2), {"Hello Ben.", "Hello Ann.", "I sold the van."}),
    "longmemeval": ("questions.json", LONGMEMEVAL, (2, 1), {"My boat is the Petrel.", "A fine name."}),
    "beam": ("beam.json", BEAM, (2, 1), {"I am planning a garden.", "What will you grow?"}),
}
"""By format: a file's name and text, its messages and sessions, and what was said in it."""


def told(report: ImportReport) -> tuple[int, int, int, list[RejectedLine]]:
    return report.messages, report.duplicates, report.sessions, report.rejected


async def texts(graph: Graph, name: str) -> list[str]:
    rows = await graph.rows(
        "MATCH (s:Space {name: $name}) MATCH (m:Message {space: s.id}) RETURN m.text AS text ORDER BY m.session, m.seq",
        name=name,
    )
    return [row["text"] for row in rows]


def test_a_load_ends_with_the_graph_of_the_vector_index_outside_of_any_questions_deadline(
    memory: Memory, store: Store, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ArcadeDB builds it when first asked: 15 s after 20,000 messages. A file that brings nothing new asks for none."""
    asked: list[str] = []
    read = Store.read_unhurried

    async def noting(self: Store, name: str, **more: Any) -> Any:
        asked.append(name)
        return await read(self, name, **more)

    monkeypatch.setattr(Store, "read_unhurried", noting)
    chunk = memory.settings.write_chunk

    async def load() -> list[int]:
        counts = []
        for work in (
            memory.import_file(io.BytesIO(JSONL.encode()), space=space, format="jsonl"),
            memory.import_file(io.BytesIO(b'{"text": " "}'), space=space, format="jsonl"),
            memory.add_many([MessageInput(text=f"Loaf {number}.") for number in range(chunk)], space=space),
            memory.add_many([MessageInput(text="One more.")], space=space),
            restored(memory, space),
        ):
            await work
            counts.append(len(asked))
        return counts

    async def restored(memory: Memory, space: str) -> None:
        await memory.import_file(io.BytesIO(await exported(memory, space)), space=space)

    expected = [1, 1, 2, 2, 3] if store.engine.kind == "arcadedb" else [0] * 5
    assert run(load()) == expected


@pytest.mark.parametrize("format", sorted(FILES))
def test_a_file_is_recognised_and_its_second_import_adds_nothing(
    memory: Memory, graph: Graph, run: Run, space: str, tmp_path: Path, format: str
) -> None:
    name, text, (messages, sessions), said = FILES[format]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    async def twice() -> tuple[ImportReport, ImportReport, list[str]]:
        return (
            await memory.import_file(path, space=space),
            await memory.import_file(str(path), space=space, format=format),
            await texts(graph, space),
        )

    first, second, found = run(twice())

    assert told(first) == (messages, 0, sessions, [])
    assert told(second) == (0, messages, sessions, [])
    assert sorted(found) == sorted(said)


def test_bad_lines_are_told_by_number_and_reason_and_stop_only_themselves(
    memory: Memory, graph: Graph, run: Run, space: str, tmp_path: Path
) -> None:
    """PC-124, PC-022."""
    path = tmp_path / "mixed.jsonl"
    path.write_text(
        "\n".join(
            [
                '{"text": "First."}',
                "not json",
                '{"text": "  "}',
                '{"text": "x", "timestamp": "2024-01-01"}',
                '{"text": "Late.", "at": "2024-02-30T10:00:00Z"}',
                '{"text": "Last."}',
            ]
        ),
        encoding="utf-8",
    )

    async def load() -> tuple[ImportReport, list[str]]:
        return await memory.import_file(path, space=space), await texts(graph, space)

    report, found = run(load())

    assert (report.messages, [line.line for line in report.rejected], found) == (2, [2, 3, 4, 5], ["First.", "Last."])
    assert [line.reason for line in report.rejected] == [
        "not JSON: Expecting value (line 1, column 1).",
        "A message's text is blank: without white space and invisible characters nothing is left of it.",
        "unknown field 'timestamp': it is called at here.",
        "The time names a date or an hour that does not exist.",
    ]


def test_strict_stores_nothing_of_a_file_with_a_bad_line(
    memory: Memory, run: Run, space: str, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"text": "Good."}\n{"text": ""}\n', encoding="utf-8")

    async def load() -> str:
        with pytest.raises(InvalidInput) as refused:
            await memory.import_file(path, space=space, strict=True)
        with pytest.raises(NotFound):
            await memory.stats(space=space)
        return refused.value.message

    assert run(load()).startswith("Line 2: A message's text is blank")


def test_strict_stores_a_file_without_a_bad_line(memory: Memory, run: Run, space: str, tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_text(JSONL, encoding="utf-8")

    assert told(run(memory.import_file(path, space=space, strict=True))) == (3, 0, 2, [])


def test_what_cannot_be_imported_is_said_and_no_space_comes_of_it(
    memory: Memory, run: Run, space: str, tmp_path: Path
) -> None:
    """PC-127."""
    sample, unclear = tmp_path / "locomo.json", tmp_path / "notes.txt"
    sample.write_text(LOCOMO, encoding="utf-8")
    unclear.write_text("Just some notes.", encoding="utf-8")

    async def load() -> list[str]:
        said = []
        for path, more, error in (
            (tmp_path / "nowhere.jsonl", {}, NotFound),
            (sample, {"samples": ["conv-9"]}, NotFound),
            (unclear, {}, InvalidInput),
            (sample, {"format": "parquet"}, InvalidInput),
        ):
            with pytest.raises(error) as refused:
                await memory.import_file(path, space=space, **more)
            said.append(refused.value.message)
        with pytest.raises(NotFound):
            await memory.stats(space=space)
        return said

    said = run(load())

    assert said[0] == f"There is no file {tmp_path / 'nowhere.jsonl'}."
    assert "conv-9" in said[1]
    assert said[2] == "The format of notes.txt cannot be told from what it holds."
    assert said[3] == "There is no format 'parquet'."


def test_a_stream_is_imported_and_a_byte_that_is_no_utf_8_is_never_stored(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """PC-128: with BOM, CRLF, and one line in another encoding."""
    stream = io.BytesIO(
        b"\xef\xbb\xbf" + '{"text": "café"}\r\n'.encode() + b'{"text": "caf\xe9"}\r\n{"text": "last"}\r\n'
    )

    async def load() -> tuple[ImportReport, list[str]]:
        return await memory.import_file(stream, space=space, format="jsonl"), await texts(graph, space)

    report, found = run(load())

    assert found == ["café", "last"]
    assert report.rejected == [RejectedLine(line=2, place="line 2", reason="byte 35 (0xe9) is not UTF-8.")]


def words(count: int) -> str:
    return " ".join(f"note{number % 997} about plank{number % 89}" for number in range(count))


LONG = f"{words(23_500)} Mira's locker is 4417. {words(23_500)}\nThe tail says that the Petrel sails to Bergen."
UNSPACED = "x" * 1_000_000 + "。花生过敏"


@pytest.mark.parametrize(
    ("text", "questions"),
    [(LONG, ["Which locker is Mira's?", "Where does the Petrel sail?"]), (UNSPACED, ["花生过敏"])],
    ids=["words", "one line without spaces"],
)
def test_the_middle_and_the_tail_of_a_message_of_a_megabyte_are_found(
    memory: Memory, graph: Graph, run: Run, engine_address: EngineAddress, space: str, text: str, questions: list[str]
) -> None:
    """PC-106, PC-155: it comes back byte for byte, and is shown by the passage that answers."""
    if engine_address.kind != "arcadedb":
        pytest.skip("Passages are made before any engine sees them; one engine is enough for three thousand of them.")
    answers = {"Which locker is Mira's?": "4417", "Where does the Petrel sail?": "Bergen", "花生过敏": "花生过敏"}

    async def ask() -> tuple[list[str], list[str]]:
        await memory.add("The weather is fine.", space=space)
        await memory.add(text, space=space, external_id="long")
        shown = []
        for question in questions:
            items = (await memory.recall(question, space=space)).items
            shown += [item.text for item in items if item.external_id == "long"]
        return shown, await texts(graph, space)

    shown, stored = run(ask())

    assert len(text.encode()) >= 1_000_000
    assert stored[1].encode() == text.encode()
    assert [answers[question] in part for question, part in zip(questions, shown, strict=True)] == [True] * len(
        questions
    )
    assert max(len(part) for part in shown) < 5_000


@pytest.mark.skipif(not DATA.is_dir(), reason="no benchmark files: set TRACE_GRAPH_TEST_DATA to their folder")
def test_locomo_is_5882_messages_in_272_sessions_on_the_engine_itself(
    memory: Memory, run: Run, engine_address: EngineAddress, space: str
) -> None:
    if engine_address.kind != "arcadedb":
        pytest.skip("Takes minutes on three engines; the small files above run on each.")
    seen: list[int] = []
    progress: Callable[[int, int | None], Any] = lambda done, total: seen.append(done)  # noqa: E731

    async def load() -> tuple[ImportReport, dict[str, int]]:
        report = await memory.import_file(DATA / "locomo/locomo10.json", space=space, progress=progress)
        stats = await memory.stats(space=space)
        return report, {"messages": stats.messages, "sessions": stats.sessions, "waiting": stats.waiting}

    report, counted = run(load())

    assert told(report) == (5882, 0, 272, [])
    assert counted == {"messages": 5882, "sessions": 272, "waiting": 5882}
    assert seen[-1] == 5882


def test_the_report_says_what_was_known_with_another_text_and_whether_the_space_is_new(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    def lines(*texts: str) -> io.BytesIO:
        return io.BytesIO("\n".join(
            json.dumps({"text": text, "external_id": f"d{number}"}) for number, text in enumerate(texts)).encode())

    async def work() -> list[tuple[bool, int, int, int]]:
        reports = [
            await memory.import_file(lines("One.", "Two."), space=space, format="jsonl"),
            await memory.import_file(lines("One.", "Another two."), space=space, format="jsonl")]
        return [(one.space_created, one.messages, one.duplicates, one.differing) for one in reports]

    assert run(work()) == [(True, 2, 0, 0), (False, 0, 2, 1)]
    assert run(texts(graph, space)) == ["One.", "Two."]


@pytest.mark.parametrize("text", [b"", b"\n\n", b"{}\n"], ids=["empty", "blank", "no message"])
def test_a_file_without_a_message_creates_no_space(memory: Memory, run: Run, space: str, text: bytes) -> None:
    report = run(memory.import_file(io.BytesIO(text), space=space, format="jsonl"))

    assert (report.messages, report.space_created) == (0, False)
    with pytest.raises(NotFound):
        run(memory.stats(space=space))


def test_two_chats_of_one_name_are_two_sessions_and_a_grown_one_adds_its_end(
    memory: Memory, graph: Graph, run: Run, space: str, tmp_path: Path
) -> None:
    """Both are called chat.json and both hold the reply "Yes."."""
    berth = [{"role": "user", "content": "Is berth 12 free?"}, {"role": "assistant", "content": "Yes."}]
    paint = [{"role": "user", "content": "Is the hull dry?"}, {"role": "assistant", "content": "Yes."}]

    async def work() -> list[tuple[int, int, int, list[RejectedLine]]]:
        done = []
        for folder, chat in (("monday", berth), ("tuesday", paint), ("monday", [*berth, *paint])):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "chat.json").write_text(json.dumps(chat))
            done.append(told(await memory.import_file(tmp_path / folder / "chat.json", space=space)))
        return done

    assert run(work()) == [(2, 0, 1, []), (2, 0, 1, []), (2, 2, 1, [])]
    assert sorted(run(texts(graph, space))) == sorted(
        message["content"] for message in [*berth, *paint, *paint])
