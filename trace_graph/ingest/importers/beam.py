"""How BEAM chats are read: one `chat.json`, a chat's folder, or a folder of numbered chats.

A chat is a list of batches, each dated by the time anchor of one of its messages; a batch is a session
(`beam-3/batch_2`). External ids are `chat:message`: the folder's name (`-` for a stream) and the message's own number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers.lines import (
    BadItem,
    Item,
    Parsed,
    Rejected,
    Unit,
    message_of,
    object_of,
    text_of,
)
from trace_graph.ingest.importers.reading import Source, read_document, source_name
from trace_graph.ingest.importers.sampling import check_samples
from trace_graph.ingest.importers.source_times import beam_time, turn_time
from trace_graph.models import MessageInput

CHAT_FILE = "chat.json"


def read(source: Source, samples: Sequence[str] | None = None) -> Iterator[Item]:
    """The messages of the chats; an item's `line` is the message's place among all that are read.

    Raises: NotFound for an unknown sample (a chat's number), InvalidInput where this is no chat of BEAM.
    """
    chats: Mapping[str, Source] = (
        beam_chats(source) if isinstance(source, Path) else {source_name(source): source}
    )
    wanted = check_samples(samples, list(chats))
    place = 0
    for chat, file in chats.items():
        if chat not in wanted:
            continue
        for number, batch in enumerate(_batches(file), start=1):
            messages = batch_messages(batch)
            yield from _batch_items(chat, number, messages, place)
            place += len(messages)


def beam_chats(path: Path) -> dict[str, Path]:
    """The files of the chats by name, numbers in their order.

    Raises: InvalidInput where a folder holds none.
    """
    if not path.is_dir():
        return {path.resolve().parent.name if path.name == CHAT_FILE else path.stem: path}
    if (path / CHAT_FILE).is_file():
        return {path.resolve().name: path / CHAT_FILE}
    chats = [folder for folder in path.iterdir() if (folder / CHAT_FILE).is_file()]
    if not chats:
        raise InvalidInput(
            f"The folder {path} holds no BEAM chat.",
            fix=f"Name a {CHAT_FILE}, or the folder whose numbered folders each hold one (100K).",
        )
    return {folder.name: folder / CHAT_FILE for folder in sorted(chats, key=_order)}


def batch_messages(batch: object) -> list[object]:
    """The messages of a batch in order; its turns are lists of them."""
    turns = batch.get("turns") if isinstance(batch, dict) else None
    if not isinstance(turns, list):
        return [None]
    return [message for turn in turns for message in (turn if isinstance(turn, list) else [turn])]


def is_batch(value: object) -> bool:
    """Whether this is a batch of a BEAM chat."""
    return isinstance(value, dict) and isinstance(value.get("turns"), list)


def _order(folder: Path) -> tuple[int, int, str]:
    return (0, int(folder.name), "") if folder.name.isdecimal() else (1, 0, folder.name)


def _batches(file: Source) -> list[object]:
    document = read_document(file)
    if not isinstance(document, list) or not any(map(is_batch, document)):
        raise InvalidInput(
            f"{source_name(file)} is no chat of BEAM: it is not a list of batches with turns.",
            fix="Give a chat.json as it was published, or another --format.",
        )
    return document


def _batch_items(chat: str, number: int, messages: Sequence[object], place: int) -> Iterator[Item]:
    anchor = next((m["time_anchor"] for m in messages if isinstance(m, dict) and m.get("time_anchor")), None)
    for index, value in enumerate(messages):
        line = place + index + 1
        try:
            if not isinstance(anchor, str):
                raise BadItem("no message of its batch has a time anchor.")
            message = object_of(value, "the message")
            yield Parsed(line, _message(chat, number, message, beam_time(anchor), index), Unit.ITEM)
        except BadItem as error:
            yield Rejected(line, f"chat {chat}, batch {number}, message {index + 1}: {error}", Unit.ITEM)


def _message(
    chat: str, number: int, message: Mapping[str, object], start: datetime, index: int
) -> MessageInput:
    own_id = message.get("id")
    if not isinstance(own_id, int) or isinstance(own_id, bool):
        raise BadItem("its id is no number.")
    return message_of({
        "text": text_of(message, "content"), "role": text_of(message, "role"), "session": f"beam-{chat}/batch_{number}",
        "at": turn_time(start, index), "external_id": f"{chat}:{own_id}",
    })
