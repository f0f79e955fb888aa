"""How JSON lines are read: one message a line, with the fields of `MessageInput`.

A line is a JSON object with `text` (or `content`: a string, or OpenAI's list of parts, whose text then is the text)
and, as wanted, `role`, `author`, `session`, `at`, `external_id`, `agent`. There are no other names: an unknown field is
refused by name, so that a time under another name is not silently replaced by now.

A line without `external_id` gets one made from what it holds (`jsonl:...`), so that a second import adds nothing; where
it has no `at` either, the file's name is part of it, because two files may both hold "yes".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers.derived_ids import DerivedIds
from trace_graph.ingest.importers.lines import BadItem, Item, Parsed, Rejected, message_of, object_of
from trace_graph.ingest.importers.reading import (
    BadJson,
    Line,
    Source,
    opened,
    parse_line,
    read_lines,
    source_name,
)
from trace_graph.models import MessageInput
from trace_graph.text.rules import content_text

FIELDS = tuple(MessageInput.model_fields)

_OUR_NAME = {
    "timestamp": "at", "created_at": "at", "time": "at", "date": "at", "occurred_at": "at",
    "message": "text", "body": "text", "name": "author", "speaker": "author", "user": "author",
    "id": "external_id", "message_id": "external_id", "session_id": "session", "conversation_id": "session",
    "thread_id": "session",
}


def read(source: Source, samples: Sequence[str] | None = None) -> Iterator[Item]:
    """The messages of a file of JSON lines, one line in memory at a time; a bad line does not stop the others.

    Raises: InvalidInput where `samples` are asked for, or the source cannot be read; NotFound where there is none.
    """
    if samples:
        raise InvalidInput(
            "JSON lines have no samples to pick from.", fix="Leave out --sample; sessions keep conversations apart."
        )
    name, ids = source_name(source), DerivedIds("jsonl")
    with opened(source) as stream:
        for line in read_lines(stream):
            yield _item(line, name, ids)


def _item(line: Line, name: str, ids: DerivedIds) -> Item:
    try:
        return Parsed(line.number, _message(parse_line(line), name, ids))
    except (BadItem, BadJson) as error:
        return Rejected(line.number, str(error))


def _message(value: object, name: str, ids: DerivedIds) -> MessageInput:
    record = object_of(value, "the line")
    for field in record:
        if field not in FIELDS:
            raise BadItem(_unknown(field))
    given = {field: value for field, value in record.items() if value is not None}
    if "text" not in given:
        given = _with_text(given)
    if "external_id" not in given:
        given["external_id"] = ids.of("" if "at" in given else name, given)
    return message_of(given)


def _with_text(record: dict[str, object]) -> dict[str, object]:
    content = record.get("content")
    if content is None:
        raise BadItem("text is not there.")
    if isinstance(content, str):
        return {field: value for field, value in record.items() if field != "content"} | {"text": content}
    if not isinstance(content, list):
        raise BadItem("content is neither text nor a list of parts, and there is no text beside it.")
    return {**record, "text": content_text(content)}


def _unknown(field: str) -> str:
    if field in ("tool_calls", "tool_call_id", "function_call"):
        return f"unknown field {field}: OpenAI chat messages are read by --format openai."
    ours = _OUR_NAME.get(field)
    shown = repr(field[:40])
    return f"unknown field {shown}: it is called {ours} here." if ours else f"unknown field {shown}."
