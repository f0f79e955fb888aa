from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers import jsonl
from trace_graph.ingest.importers.lines import Item, Parsed, Rejected
from trace_graph.models import MessageInput


def items(*lines: object) -> list[Item]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return list(jsonl.read(io.BytesIO(text.encode())))


def ids(found: list[Item]) -> list[str | None]:
    return [item.message.external_id for item in found if isinstance(item, Parsed)]


def test_every_field_of_a_message_is_read() -> None:
    fields = {
        "text": "hi", "role": "assistant", "author": "Mira", "session": "s", "at": "2024-05-01T10:00:00Z",
        "external_id": "x1", "content": [{"type": "text", "text": "hi"}], "agent": "a7",
    }

    assert items(fields) == [Parsed(1, MessageInput(**fields))]


def test_a_bad_line_is_rejected_with_its_number_and_does_not_stop_the_others() -> None:
    found = items(
        {"text": "one", "external_id": "1"}, "", '{"text": ', [1], {"role": "user"}, {"text": 3},
        {"text": "x", "at": 5}, {"text": "x", "role": "king"}, {"text": "x", "colour": 1},
        {"text": "x", "timestamp": "2024-01-01"}, {"text": "x", "tool_calls": []}, {"content": {"a": 1}},
        {"text": "two", "external_id": "2"},
    )

    assert found == [
        Parsed(1, MessageInput(text="one", external_id="1")),
        Rejected(3, "it breaks off in the middle (line 1, column 10): the end is missing."),
        Rejected(4, "the line is not a JSON object."),
        Rejected(5, "text is not there."),
        Rejected(6, "text: input should be a valid string."),
        Rejected(7, "at is not text in ISO 8601."),
        Rejected(8, "role: input should be 'user', 'assistant', 'system', 'tool', 'developer' or 'function'."),
        Rejected(9, "unknown field 'colour'."),
        Rejected(10, "unknown field 'timestamp': it is called at here."),
        Rejected(11, "unknown field tool_calls: OpenAI chat messages are read by --format openai."),
        Rejected(12, "content is neither text nor a list of parts, and there is no text beside it."),
        Parsed(13, MessageInput(text="two", external_id="2")),
    ]


def test_a_line_in_another_encoding_is_rejected_with_its_byte_in_the_file() -> None:
    data = b'{"text":"a","external_id":"1"}\n{"text":"caf\xe9"}\n{"text":"b","external_id":"2"}\n'

    assert list(jsonl.read(io.BytesIO(data))) == [
        Parsed(1, MessageInput(text="a", external_id="1")),
        Rejected(2, f"byte {data.index(0xE9)} (0xe9) is not UTF-8."),
        Parsed(3, MessageInput(text="b", external_id="2")),
    ]


def test_a_lone_surrogate_is_left_for_the_write_path_to_name() -> None:
    [found] = items('{"text":"\\ud800"}')

    assert isinstance(found, Parsed)
    assert found.message.text == "\ud800"


def test_text_is_kept_to_the_letter() -> None:
    text = " \t«e\u0301» \u2028 \x1b[31m <|endoftext|> {{x}} \r\n"

    assert items({"text": text, "external_id": "1"}) == [Parsed(1, MessageInput(text=text, external_id="1"))]


def test_content_stands_in_for_text() -> None:
    parts = [
        {"type": "text", "text": "My boat is called Petrel."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "It is blue."},
    ]
    found = items({"content": "plain", "external_id": "1"}, {"content": parts, "text": None, "external_id": "2"})

    assert found == [
        Parsed(1, MessageInput(text="plain", external_id="1")),
        Parsed(2, MessageInput(
            text="My boat is called Petrel.\n[image: image/png]\nIt is blue.", content=parts, external_id="2"
        )),
    ]


def test_deep_nesting_is_rejected() -> None:
    deep = '{"text":"a","content":' + "[" * 100_000 + "]" * 100_000 + "}"

    assert items(deep) == [Rejected(1, "nested too deeply.")]


def test_a_second_reading_gives_the_same_ids_and_a_repeated_line_its_own() -> None:
    lines = [{"text": "yes"}, {"text": "yes"}, {"text": "no"}, {"text": "yes", "session": "b"}]

    first, second, grown = items(*lines), items(*lines), items({"text": "new"}, *lines)

    assert first == second
    assert len(set(ids(first))) == 4
    assert ids(grown)[1:] == ids(first)


def test_lines_without_a_time_are_told_apart_by_their_file_and_lines_with_one_are_not(tmp_path: Path) -> None:
    content = '{"text":"yes"}\n{"text":"yes","at":"2024-01-01T00:00:00Z"}\n'
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(content)

    a, b = (ids(list(jsonl.read(tmp_path / name))) for name in ("a.jsonl", "b.jsonl"))

    assert a[0] != b[0]
    assert a[1] == b[1]


def test_lines_are_read_as_they_are_asked_for() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return b'{"text":"a"}\n' * 10

    found: Iterator[Item] = jsonl.read(Endless())  # type: ignore[arg-type]

    assert [item.line for item in itertools.islice(found, 100)] == list(range(1, 101))


def test_samples_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no samples"):
        next(jsonl.read(io.BytesIO(b""), ["x"]))
