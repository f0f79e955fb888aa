from __future__ import annotations

import io
import json
from functools import partial
from pathlib import Path

import pytest

from trace_graph.bench.questions import Question, beam_questions
from trace_graph.errors import InvalidInput, NotFound
from trace_graph.ingest.importers import beam
from trace_graph.ingest.importers.lines import Parsed, Rejected, Unit
from trace_graph.models import MessageInput

parsed, rejected = partial(Parsed, unit=Unit.ITEM), partial(Rejected, unit=Unit.ITEM)
"""Items of a document, whose places are counted and not its lines."""

CHAT = [
    {"batch_number": 1, "time_anchor": None, "turns": [
        [{"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Plan? ->-> 1,1"},
         {"role": "assistant", "id": 1, "content": "So."}],
        [{"role": "user", "id": 2, "content": "Fine."}],
    ]},
    {"batch_number": 2, "turns": [[{"role": "user", "id": 3, "time_anchor": "May-05-2024", "content": "Next."}]]},
]


def messages(chat: str) -> list[MessageInput]:
    return [
        MessageInput(
            text="Plan? ->-> 1,1", session=f"beam-{chat}/batch_1", at="2024-03-15T00:00:00", external_id=f"{chat}:0"
        ),
        MessageInput(
            text="So.", role="assistant", session=f"beam-{chat}/batch_1", at="2024-03-15T00:00:01",
            external_id=f"{chat}:1",
        ),
        MessageInput(text="Fine.", session=f"beam-{chat}/batch_1", at="2024-03-15T00:00:02", external_id=f"{chat}:2"),
        MessageInput(text="Next.", session=f"beam-{chat}/batch_2", at="2024-05-05T00:00:00", external_id=f"{chat}:3"),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for chat in ("10", "9"):
        (tmp_path / "100K" / chat).mkdir(parents=True)
        (tmp_path / "100K" / chat / "chat.json").write_text(json.dumps(CHAT))
    return tmp_path / "100K"


def numbered(found: list[MessageInput]) -> list[Parsed]:
    return [parsed(line, message) for line, message in enumerate(found, start=1)]


def test_a_folder_of_chats_is_read_in_the_order_of_their_numbers(folder: Path) -> None:
    assert list(beam.read(folder)) == numbered([*messages("9"), *messages("10")])


def test_one_chat_is_read_from_its_folder_its_file_or_as_a_sample(folder: Path) -> None:
    expected = numbered(messages("10"))

    assert list(beam.read(folder, ["10"])) == expected
    assert list(beam.read(folder / "10")) == expected
    assert list(beam.read(folder / "10" / "chat.json")) == expected
    assert list(beam.read(io.BytesIO(json.dumps(CHAT).encode()))) == numbered(messages("-"))


def test_an_unknown_chat_is_refused(folder: Path) -> None:
    with pytest.raises(NotFound) as caught:
        next(beam.read(folder, ["11"]))

    assert caught.value.fix == "It has 9, 10."


def test_a_bad_message_does_not_stop_the_others(tmp_path: Path) -> None:
    chat = [
        3,
        {"turns": [[{"role": "user", "id": 1, "content": "undated"}]]},
        {"turns": [["x", {"role": "user", "content": "a"}, {"role": "user", "id": True, "content": "a"},
                    {"role": "user", "id": 4, "content": None}, CHAT[0]["turns"][0][0]]]},  # type: ignore[index]
        {"turns": [[{"role": "user", "id": 9, "content": "b", "time_anchor": "Mai-05-2024"}]]},
    ]
    (tmp_path / "7.json").write_text(json.dumps(chat))

    assert list(beam.read(tmp_path / "7.json")) == [
        rejected(1, "chat 7, batch 1, message 1: no message of its batch has a time anchor."),
        rejected(2, "chat 7, batch 2, message 1: no message of its batch has a time anchor."),
        rejected(3, "chat 7, batch 3, message 1: the message is not a JSON object."),
        rejected(4, "chat 7, batch 3, message 2: its id is no number."),
        rejected(5, "chat 7, batch 3, message 3: its id is no number."),
        rejected(6, "chat 7, batch 3, message 4: content is not there."),
        parsed(7, MessageInput(
            text="Plan? ->-> 1,1", session="beam-7/batch_3", at="2024-03-15T00:00:04", external_id="7:0"
        )),
        rejected(8, "chat 7, batch 4, message 1: the date 'Mai-05-2024' does not exist."),
    ]


@pytest.mark.parametrize("document", ["{}", "[]", "[1]", '[{"role": "user", "content": "x"}]'])
def test_another_file_is_refused(tmp_path: Path, document: str) -> None:
    (tmp_path / "chat.json").write_text(document)

    with pytest.raises(InvalidInput, match=r"^chat\.json is no chat of BEAM"):
        next(beam.read(tmp_path / "chat.json"))


def test_a_folder_without_chats_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no BEAM chat"):
        next(beam.read(tmp_path))


def test_questions_name_their_messages_whatever_the_shape_and_drop_unknown_ones(folder: Path) -> None:
    (folder / "9" / "probing_questions.json").write_text(json.dumps({
        "abstention": [{"question": "Why?"}],
        "event_ordering": [{"question": "Order?", "source_chat_ids": [[3, 1], [1, 99]]}],
        "knowledge_update": [{"question": "Now?", "source_chat_ids": {"original_info": [0], "updated_info": [2]}}],
    }))

    assert beam_questions(folder, ["9"]) == [
        Question("9:abstention:0", "Why?", "abstention", (), "9"),
        Question("9:event_ordering:0", "Order?", "event_ordering", ("9:3", "9:1"), "9"),
        Question("9:knowledge_update:0", "Now?", "knowledge_update", ("9:0", "9:2"), "9"),
    ]
    with pytest.raises(NotFound, match=r"There is no file .*10/probing_questions\.json"):
        beam_questions(folder, ["10"])
