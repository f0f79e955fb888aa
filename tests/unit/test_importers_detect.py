from __future__ import annotations

import io
import json
from pathlib import Path
from typing import BinaryIO

import pytest

from trace_graph.errors import InvalidInput, NotFound
from trace_graph.ingest.importers import detect as detection
from trace_graph.ingest.importers.detect import FORMATS, detect, read_file
from trace_graph.ingest.importers.lines import Item, Parsed, Rejected

MESSAGE = {"role": "user", "content": "Hi"}
LOCOMO = {
    "qa": [{"question": "?" * 300}],
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]
    },
    "sample_id": "c-1",
}
OFFICIAL = {
    "question_id": "q", "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["s"],
    "haystack_sessions": [[MESSAGE]],
}
EVIDENCE = {"question_id": "q", "evidence_sessions": [{"date": "2023/05/20 (Sat) 02:21", "turns": [MESSAGE]}]}
WRAPPED = {"data": [
    {"id": "w", "questions": [], "conversation": [{**MESSAGE, "date": "2023/05/20 (Sat) 02:21"}]}
]}
BEAM = [{"batch_number": 1, "turns": [[{**MESSAGE, "id": 0, "time_anchor": "March-15-2024"}]]}]

CASES = [
    ("jsonl", '{"text": "Hi"}\n{"text": "Ho"}'),
    ("jsonl", '{"text": "Hi", "role": "user", "session": "s"}'),
    ("jsonl", '{"role": "user", "content": "Hi", "session": "s"}'),
    ("jsonl", '\n\n{"text": broken\n{"text": "Hi"}'),
    ("openai", json.dumps([MESSAGE])),
    ("openai", json.dumps([MESSAGE], indent=4)),
    ("openai", json.dumps({"messages": [MESSAGE]}, indent=4)),
    ("openai", json.dumps([{"messages": [MESSAGE]}])),
    ("openai", json.dumps([[MESSAGE]])),
    ("openai", json.dumps(MESSAGE) + "\n" + json.dumps(MESSAGE)),
    ("openai", json.dumps([{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}])),
    ("openai", "[broken\n" + json.dumps({"messages": [MESSAGE]})),
    *[("locomo", json.dumps([LOCOMO, LOCOMO | {"sample_id": "c-2"}], indent=indent)) for indent in (None, 1)],
    *[("longmemeval", json.dumps(shape, indent=indent))
      for shape in ([OFFICIAL], [EVIDENCE], WRAPPED) for indent in (None, 1)],
    *[("beam", json.dumps(BEAM, indent=indent)) for indent in (None, 1)],
]


class Pipe(io.BytesIO):
    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        raise AssertionError("a pipe cannot seek")


@pytest.mark.parametrize("head", [40, 1 << 20])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(("format", "text"), CASES)
def test_the_format_is_told_from_the_content_however_little_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, text: str, encoding: str, head: int
) -> None:
    monkeypatch.setattr(detection, "HEAD_BYTES", head)
    file = tmp_path / "data.txt"
    file.write_text(text, encoding=encoding)

    assert detect(file) == format
    stream = io.BytesIO(file.read_bytes())
    assert detect(stream) == format
    assert stream.tell() == 0


@pytest.mark.parametrize(("format", "text"), CASES)
def test_what_is_told_is_read_alike_from_a_file_and_a_pipe(tmp_path: Path, format: str, text: str) -> None:
    file = tmp_path / "-"
    file.write_text(text)
    pipe: BinaryIO = Pipe(text.encode())

    found = list(read_file(file))

    assert any(isinstance(item, Parsed) for item in found)
    assert _without_chat(read_file(pipe)) == _without_chat(found)
    assert _without_chat(read_file(Pipe(text.encode()), format)) == _without_chat(found)


def _without_chat(items: object) -> list[object]:
    return [
        (item.line, item.reason) if isinstance(item, Rejected) else (item.line, item.message.text, item.message.session)
        for item in items  # type: ignore[attr-defined]
    ]


def test_a_folder_is_beams_or_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no BEAM chat"):
        detect(tmp_path)

    (tmp_path / "3").mkdir()
    (tmp_path / "3" / "chat.json").write_text(json.dumps(BEAM))
    assert detect(tmp_path) == "beam"


@pytest.mark.parametrize("text", [
    "hello", "{}", "[]", '{"a": 1}', '{"a": 1}\n{"a": 2}\n{"a', "[x", "[[[1]]]", "[" * 100_000, '{"data": 3}',
])
def test_what_is_none_of_them_is_refused_with_the_list(tmp_path: Path, text: str) -> None:
    file = tmp_path / "data.json"
    file.write_text(text)

    with pytest.raises(InvalidInput, match=r"^The format of data\.json cannot be told") as caught:
        detect(file)

    assert caught.value.fix == "Name it with --format, one of: jsonl, openai, locomo, longmemeval, beam."


@pytest.mark.parametrize(("text", "said"), [
    ("", "data.json: it is empty."),
    (" \n", "data.json: it is empty."),
    ('{"messages": [{"role": "user", "content": "Hi"}, {"ro',
     "data.json: it breaks off in the middle (line 1, column 51): the end is missing."),
    ('[{"sample_id": "a",\n"conversation": {', "data.json: it breaks off in the middle (line 2, column 18): the end "
     "is missing."),
])
def test_a_file_that_is_empty_or_cut_off_says_so(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "data.json"
    file.write_text(text)

    with pytest.raises(InvalidInput) as caught:
        detect(file)

    assert caught.value.message == said


def test_a_file_of_lines_by_name_is_read_as_such_so_that_its_bad_lines_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_bytes(b'{"colour": 1}\ncaf\xe9\n')

    assert list(read_file(file)) == [
        Rejected(1, "unknown field 'colour'."), Rejected(2, "byte 17 (0xe9) is not UTF-8."),
    ]


def test_a_format_by_name_is_not_second_guessed(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text(json.dumps(LOCOMO))

    with pytest.raises(InvalidInput, match="is no OpenAI chat"):
        next(read_file(file, "openai"))


def test_an_unknown_format_or_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="There is no format 'csv'"):
        next(read_file(tmp_path, "csv"))
    for format in ("auto", "jsonl", "openai", "locomo", "longmemeval", "beam"):
        with pytest.raises(NotFound, match="There is no file"):
            next(read_file(tmp_path / "none", format))


def test_no_samples_means_all(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text('{"text": "Hi", "external_id": "1"}')

    found: list[Item] = list(read_file(file, "jsonl", []))

    assert len(found) == 1


def test_the_formats_are_those_of_the_command() -> None:
    assert list(FORMATS) == ["jsonl", "openai", "locomo", "longmemeval", "beam"]
