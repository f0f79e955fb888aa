"""Stores of any size, made of LoCoMo's messages: copies of them with other external ids, in sessions of their own.

Each copy ends with its number, because equal messages are shown once: with 17 of each, an answer of 50 would read 850.
The vectors of copies are nearly identical, so a store twice as large is harder to search than one of new messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from trace_graph.models import MessageInput


def copied(messages: Sequence[MessageInput], size: int) -> Iterator[MessageInput]:
    """The first `size` of: the messages, then their copies, then further copies."""
    return islice((_copy(message, number) for number in count() for message in messages), size)


def write_lines(messages: Iterable[MessageInput], file: Path) -> None:
    """Write messages as JSON lines, as `import` reads them."""
    with file.open("w", encoding="utf-8") as stream:
        for message in messages:
            stream.write(message.model_dump_json(exclude_none=True) + "\n")


def _copy(message: MessageInput, number: int) -> MessageInput:
    return message.model_copy(update={
        "text": f"{message.text} ({number})" if number else message.text,
        "external_id": f"{number}:{message.external_id}", "session": f"{number}/{message.session}"})
