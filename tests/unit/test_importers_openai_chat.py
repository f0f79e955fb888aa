from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers import openai_chat
from trace_graph.ingest.importers.lines import Item, Parsed, Rejected

HI = {"role": "user", "content": "Hi"}
HO = {"role": "assistant", "content": "Ho"}


def read(tmp_path: Path, text: str, name: str = "chat.json") -> list[Item]:
    (tmp_path / name).write_text(text)
    return list(openai_chat.read(tmp_path / name))


def shown(items: list[Item]) -> list[tuple[int, str, str]]:
    return [(item.line, item.message.session, item.message.text) for item in items if isinstance(item, Parsed)]


def one(tmp_path: Path, message: Mapping[str, object]) -> dict[str, object]:
    [item] = read(tmp_path, json.dumps([message]))
    assert isinstance(item, Parsed)
    return item.message.model_dump(exclude={"external_id", "session", "agent"}, exclude_none=True)


@pytest.mark.parametrize(("text", "expected"), [
    (json.dumps([HI, HO]), [(1, "chat", "Hi"), (2, "chat", "Ho")]),
    (json.dumps([HI, HO], indent=2), [(1, "chat", "Hi"), (2, "chat", "Ho")]),
    (json.dumps({"messages": [HI, HO]}), [(1, "chat", "Hi"), (2, "chat", "Ho")]),
    (json.dumps({"messages": [HI], "id": "c-9"}, indent=1), [(1, "c-9", "Hi")]),
    (json.dumps({"messages": [HI], "thread_id": 4}), [(1, "4", "Hi")]),
    (json.dumps([{"messages": [HI]}, {"messages": [HO]}]), [(1, "chat/1", "Hi"), (2, "chat/2", "Ho")]),
    (json.dumps([[HI, HO], [HO]]), [(1, "chat/1", "Hi"), (2, "chat/1", "Ho"), (3, "chat/2", "Ho")]),
    (f"[\n{json.dumps(HI)}\n]", [(1, "chat", "Hi")]),
    (f"{json.dumps([HI, HO])}\n\n{json.dumps({'messages': [HO]})}\n",
     [(1, "chat/1", "Hi"), (1, "chat/1", "Ho"), (3, "chat/3", "Ho")]),
    (f"{json.dumps(HI)}\n{json.dumps(HO)}", [(1, "chat", "Hi"), (2, "chat", "Ho")]),
    ("[]", []),
])
def test_each_shape_gives_its_messages_and_sessions(
    tmp_path: Path, text: str, expected: list[tuple[int, str, str]]
) -> None:
    assert shown(read(tmp_path, text)) == expected


def test_a_file_of_one_line_names_its_session_as_it_will_when_it_grows(tmp_path: Path) -> None:
    line = json.dumps({"messages": [HI]}) + "\n"

    alone, grown = read(tmp_path, line, "c.jsonl"), read(tmp_path, line + line, "c.jsonl")

    assert shown(alone) == [(1, "c/1", "Hi")]
    assert grown[0] == alone[0]


@pytest.mark.parametrize("bad_first", [True, False])
def test_a_bad_line_does_not_stop_the_others(tmp_path: Path, bad_first: bool) -> None:
    good = json.dumps([HI])
    lines = ["{broken", good] if bad_first else [good, "{broken"]

    items = read(tmp_path, "\n".join(lines))

    bad = Rejected(
        1 if bad_first else 2, "not JSON: Expecting property name enclosed in double quotes (line 1, column 2)."
    )
    assert [item for item in items if isinstance(item, Rejected)] == [bad]
    assert len(items) == 2


def test_a_bad_message_does_not_stop_the_others(tmp_path: Path) -> None:
    items = read(tmp_path, json.dumps([
        HI, "text", {"content": "x"}, {"role": "king", "content": "x"}, {"role": "user", "content": 3},
        {"role": "user", "content": "x", "created_at": 10**20}, {"role": "user", "content": "x", "timestamp": []}, HO,
    ]))

    assert shown(items) == [(1, "chat", "Hi"), (8, "chat", "Ho")]
    assert items[1:7] == [
        Rejected(2, "the message is not a JSON object."),
        Rejected(3, "role is not there."),
        Rejected(4, "role: input should be 'user', 'assistant', 'system', 'tool', 'developer' or 'function'."),
        Rejected(5, "content is neither text nor a list of parts."),
        Rejected(6, "created_at is no time in seconds since 1970."),
        Rejected(7, "timestamp is neither text nor a number of seconds."),
    ]


@pytest.mark.parametrize("text", ["3", '{"a": 1}', '"text"'])
def test_what_is_no_chat_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^chat\.json is no OpenAI chat"):
        read(tmp_path, text)


def test_a_plain_message_keeps_nothing_twice(tmp_path: Path) -> None:
    assert one(tmp_path, {**HI, "name": "Mira", "tool_calls": None}) == {"text": "Hi", "role": "user", "author": "Mira"}


def test_parts_become_text_in_order_and_are_kept_as_they_came(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "My boat is called Petrel."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "hologram", "data": "?"},
        {"type": "text", "text": "It is blue."},
    ]

    assert one(tmp_path, {"role": "user", "content": parts}) == {
        "text": "My boat is called Petrel.\n[image: image/png]\n[unsupported part: hologram]\nIt is blue.",
        "role": "user", "content": parts,
    }


def test_a_message_that_only_calls_tools_says_which_and_keeps_the_calls(tmp_path: Path) -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}},
        {"id": "c2", "type": "custom", "custom": {"name": "shell", "input": "ls"}},
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}

    assert one(tmp_path, message) == {
        "text": "[tool call: weather]\n[tool call: shell]", "role": "assistant",
        "content": {"content": None, "tool_calls": calls},
    }


def test_a_tools_answer_keeps_the_call_it_answers(tmp_path: Path) -> None:
    assert one(tmp_path, {"role": "tool", "content": "12 °C", "tool_call_id": "c1"}) == {
        "text": "12 °C", "role": "tool", "content": {"content": "12 °C", "tool_call_id": "c1"},
    }


@pytest.mark.parametrize(("more", "text"), [
    ({"function_call": {"name": "f", "arguments": "{}"}}, "[tool call: f]"),
    ({"refusal": "I will not."}, "I will not."),
    ({"audio": {"id": "a", "transcript": "Spoken."}}, "Spoken."),
    ({}, ""),
])
def test_what_stands_for_the_text_where_there_is_none(tmp_path: Path, more: dict[str, object], text: str) -> None:
    assert one(tmp_path, {"role": "assistant", "content": None, **more})["text"] == text


@pytest.mark.parametrize(("field", "value", "at"), [
    ("created_at", 1714557600, datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ("timestamp", 1714557600.5, datetime(2024, 5, 1, 10, 0, 0, 500_000, tzinfo=UTC)),
    ("timestamp", "2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
])
def test_a_message_with_a_time_keeps_it(tmp_path: Path, field: str, value: object, at: object) -> None:
    assert one(tmp_path, {**HI, field: value}) == {"text": "Hi", "role": "user", "at": at}


def test_a_grown_conversation_keeps_the_ids_of_its_beginning(tmp_path: Path) -> None:
    before, after = (
        [item.message.external_id for item in read(tmp_path, json.dumps(chat)) if isinstance(item, Parsed)]
        for chat in ([HI, HO], [HI, HO, HI])
    )

    assert after[:2] == before
    assert len(set(after)) == 3


def test_samples_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no samples"):
        next(openai_chat.read(tmp_path / "x", ["a"]))
