from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers import openai_chat
from trace_graph.ingest.importers.derived_sessions import LONGEST_BEGINNING, Names
from trace_graph.ingest.importers.lines import Item, Parsed, Rejected, Unit

HI = {"role": "user", "content": "Hi"}
HO = {"role": "assistant", "content": "Ho"}


def read(tmp_path: Path, text: str, name: str = "chat.json") -> list[Item]:
    (tmp_path / name).write_text(text)
    return list(openai_chat.read(tmp_path / name))


def shown(items: list[Item]) -> list[tuple[str, str, str]]:
    return [(item.place, item.message.session, item.message.text) for item in items if isinstance(item, Parsed)]


def one(tmp_path: Path, message: Mapping[str, object]) -> dict[str, object]:
    [item] = read(tmp_path, json.dumps([message]))
    assert isinstance(item, Parsed)
    return item.message.model_dump(exclude={"external_id", "session", "agent"}, exclude_none=True)


def named(*messages: Mapping[str, object], stem: str = "chat") -> str:
    """The session that begins with these messages."""
    return Names(stem).session(list(messages))


@pytest.mark.parametrize(("text", "expected"), [
    (json.dumps([HI, HO]), [("item 1", named(HI), "Hi"), ("item 2", named(HI), "Ho")]),
    (json.dumps([HI, HO], indent=2), [("item 1", named(HI), "Hi"), ("item 2", named(HI), "Ho")]),
    (json.dumps({"messages": [HI, HO]}), [("item 1", named(HI), "Hi"), ("item 2", named(HI), "Ho")]),
    (json.dumps({"messages": [HI], "id": "c-9"}, indent=1), [("item 1", "c-9", "Hi")]),
    (json.dumps({"messages": [HI], "thread_id": 4}), [("item 1", "4", "Hi")]),
    (json.dumps([{"messages": [HI]}, {"messages": [HO]}]), [
        ("item 1", named(HI), "Hi"), ("item 2", named(HO), "Ho")]),
    (json.dumps([[HI, HO], [HO]]), [
        ("item 1", named(HI), "Hi"), ("item 2", named(HI), "Ho"), ("item 3", named(HO), "Ho")]),
    (json.dumps([[HI], [HI, HO]]), [
        ("item 1", named(HI), "Hi"), ("item 2", named(HI) + "/2", "Hi"), ("item 3", named(HI) + "/2", "Ho")]),
    (f"[\n{json.dumps(HI)}\n]", [("item 1", named(HI), "Hi")]),
    (f"{json.dumps([HI, HO])}\n\n{json.dumps({'messages': [HO]})}\n", [
        ("line 1, item 1", named(HI), "Hi"), ("line 1, item 2", named(HI), "Ho"), ("line 3, item 1", named(HO), "Ho")]),
    (f"{json.dumps(HI)}\n{json.dumps(HO)}", [("line 1", named(HI), "Hi"), ("line 2", named(HI), "Ho")]),
    (f"{json.dumps(HO)}\n{json.dumps(HI)}\n{json.dumps(HI)}", [
        ("line 1", named(HO, HI), "Ho"), ("line 2", named(HO, HI), "Hi"), ("line 3", named(HO, HI), "Hi")]),
    ("[]", []),
])
def test_each_shape_gives_its_messages_and_sessions(
    tmp_path: Path, text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert shown(read(tmp_path, text)) == expected


def test_a_file_of_one_line_names_its_session_as_it_will_when_it_grows(tmp_path: Path) -> None:
    line = json.dumps({"messages": [HI]}) + "\n"

    alone, grown = read(tmp_path, line, "c.jsonl"), read(tmp_path, line + line, "c.jsonl")

    assert shown(alone) == [("line 1, item 1", named(HI, stem="c"), "Hi")]
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

    assert shown(items) == [("item 1", named(HI), "Hi"), ("item 8", named(HI), "Ho")]
    assert items[1:7] == [
        Rejected(2, "the message is not a JSON object.", Unit.ITEM),
        Rejected(3, "role is not there.", Unit.ITEM),
        Rejected(
            4, "role: input should be 'user', 'assistant', 'system', 'tool', 'developer' or 'function'.", Unit.ITEM),
        Rejected(5, "content is neither text nor a list of parts.", Unit.ITEM),
        Rejected(6, "created_at is no time in seconds since 1970.", Unit.ITEM),
        Rejected(7, "timestamp is neither text nor a number of seconds.", Unit.ITEM),
    ]


@pytest.mark.parametrize("text", ["3", '{"a": 1}', '"text"'])
def test_what_is_no_chat_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^chat\.json is no OpenAI chat"):
        read(tmp_path, text)


def test_a_plain_message_keeps_nothing_twice(tmp_path: Path) -> None:
    assert one(tmp_path, {**HI, "name": "Mira", "tool_calls": None}) == {"text": "Hi", "role": "user", "author": "Mira"}


def test_an_empty_name_is_none(tmp_path: Path) -> None:
    assert one(tmp_path, {**HI, "name": ""}) == {"text": "Hi", "role": "user"}


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


def known(items: list[Item]) -> list[tuple[str, str | None]]:
    return [(item.message.session, item.message.external_id) for item in items if isinstance(item, Parsed)]


SYSTEM = {"role": "system", "content": "Be kind."}


@pytest.mark.parametrize("as_lines", [False, True])
@pytest.mark.parametrize("chat", [[HI, HO, HI, HO], [SYSTEM, HI, HO, HO], [HO] * 15])
def test_a_grown_conversation_keeps_the_ids_of_its_beginning(
    tmp_path: Path, chat: list[dict[str, str]], as_lines: bool
) -> None:
    """From the message on that ends the beginning; also in another folder."""
    complete = min(len(chat), 1 + [*chat, HI].index(HI), LONGEST_BEGINNING)
    (tmp_path / "moved").mkdir()
    write = (lambda some: "\n".join(map(json.dumps, some))) if as_lines else json.dumps
    parts = [known(read(tmp_path, write(chat[:length]), "c.jsonl" if as_lines else "c.json"))
             for length in range(complete, len(chat) + 1)]
    moved = known(read(tmp_path / "moved", write(chat), "c.jsonl" if as_lines else "c.json"))

    assert moved == parts[-1]
    for part in parts:
        assert part == moved[:len(part)]
    assert len({id for _, id in moved}) == len(chat)
    assert len({session for session, _ in moved}) == 1


def test_two_chats_of_one_name_are_two_conversations_and_share_no_reply(tmp_path: Path) -> None:
    other = {"role": "user", "content": "Good morning"}
    one, two = (known(read(tmp_path, json.dumps([SYSTEM, first, HO, HO]))) for first in (HI, other))

    assert {id for _, id in one}.isdisjoint({id for _, id in two})
    assert {session for session, _ in one}.isdisjoint({session for session, _ in two})


def test_a_chat_keeps_its_ids_when_others_are_put_before_it_or_a_bad_reply_is_mended(tmp_path: Path) -> None:
    alone = known(read(tmp_path, json.dumps([[HI, {"role": "assistant", "content": 3}, HO]])))
    mended = known(read(tmp_path, json.dumps([[SYSTEM, HO], [HI, {"role": "assistant", "content": "Hm"}, HO]])))

    assert [mended[2], mended[4]] == alone


def test_the_beginning_without_a_user_ends_after_ten_messages(tmp_path: Path) -> None:
    replies = [{"role": "assistant", "content": str(number)} for number in range(LONGEST_BEGINNING + 5)]

    assert {session for session, _ in known(read(tmp_path, json.dumps(replies)))} == {
        named(*replies[:LONGEST_BEGINNING])}


def test_samples_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no samples"):
        next(openai_chat.read(tmp_path / "x", ["a"]))
