"""How a LoCoMo file is read: a list of samples, each a conversation of two people in dated sessions.

External ids are the sample and the `dia_id` (`conv-26:D3:7`). An image's caption is part of its turn's text, in square
brackets. Sessions are named `conv-26/session_3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeGuard

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
from trace_graph.ingest.importers.source_times import locomo_time, turn_time
from trace_graph.models import MessageInput

# Not session_N_date_time: one conversation dates more sessions than it has.
_SESSION = re.compile(r"session_(\d+)", re.ASCII)


def read(source: Source, samples: Sequence[str] | None = None) -> Iterator[Item]:
    """The turns of the samples; an item's `line` is the turn's place in the file.

    Raises: NotFound for an unknown sample, InvalidInput where the file is not LoCoMo's.
    """
    all_samples = locomo_samples(source)
    wanted = check_samples(samples, list(all_samples))
    place = 0
    for sample, record in all_samples.items():
        conversation = object_of(record["conversation"], "the conversation")
        for session, turns in sessions_of(conversation):
            if sample in wanted:
                yield from _session_items(sample, session, turns, conversation, place)
            place += len(turns)


def locomo_samples(source: Source) -> dict[str, Mapping[str, object]]:
    """The samples of the file with all they hold, by `sample_id`, in its order.

    Raises: InvalidInput where it is not LoCoMo's.
    """
    document = read_document(source)
    records: dict[str, Mapping[str, object]] = {}
    for record in document if isinstance(document, list) else [document]:
        if not is_sample(record) or record["sample_id"] in records:
            raise InvalidInput(
                f"{source_name(source)} is not LoCoMo: sample {len(records) + 1} has no sample_id of its own, or no "
                "conversation.", fix="Give the file locomo10.json as it was published, or another --format.",
            )
        records[record["sample_id"]] = record
    return records


def is_sample(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether this is a sample with its conversation."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("sample_id"), str)
        and isinstance(value.get("conversation"), dict)
    )


def sessions_of(conversation: Mapping[str, object]) -> Iterator[tuple[str, list[object]]]:
    """The sessions that hold turns, by number: their name in the file and their turns."""
    found = [match for match in map(_SESSION.fullmatch, conversation) if match]
    for match in sorted(found, key=lambda match: int(match[1])):
        turns = conversation[match.string]
        if isinstance(turns, list):
            yield match.string, turns


def _session_items(
    sample: str, session: str, turns: Sequence[object], conversation: Mapping[str, object], place: int
) -> Iterator[Item]:
    for index, turn in enumerate(turns):
        line = place + index + 1
        try:
            start = locomo_time(text_of(conversation, f"{session}_date_time"))
            yield Parsed(line, _message(sample, session, object_of(turn, "the turn"), start, index), Unit.ITEM)
        except BadItem as error:
            yield Rejected(line, f"{sample}, {session}, turn {index + 1}: {error}", Unit.ITEM)


def _message(
    sample: str, session: str, turn: Mapping[str, object], start: datetime, index: int
) -> MessageInput:
    text, caption = text_of(turn, "text"), turn.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        text = f"{text} [{caption}]" if text.strip() else f"[{caption}]"
    return message_of({
        "text": text, "author": text_of(turn, "speaker"), "session": f"{sample}/{session}",
        "at": turn_time(start, index), "external_id": f"{sample}:{text_of(turn, 'dia_id')}",
    })
