"""How OpenAI chat messages are read: a list of them, `{"messages": [...]}`, a list of either, or one of these a line.

A conversation's session is its own id (`session`, `session_id`, `conversation_id`, `thread_id` or `id` beside
`messages`); without one it is named by its file and its beginning (`chat/1f0c52b7a9de`), by the rule of
`derived_sessions`. Messages that stand alone on their lines are one conversation.

Text parts become the text, `name` the author, `created_at` or `timestamp` (ISO 8601, or seconds since 1970) the time.
What a message holds besides, and the parts as they came, is kept in `content`. Ids are made from what a message holds
and from its session (`openai:...`), so that a second import adds nothing, and one of a chat that has grown its end.
Of messages that stand in a list, the place in it is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers.derived_ids import DerivedIds
from trace_graph.ingest.importers.derived_sessions import Conversation, Names, Said
from trace_graph.ingest.importers.lines import (
    BadItem,
    Item,
    Parsed,
    Place,
    Rejected,
    Unit,
    message_of,
    object_of,
    text_of,
)
from trace_graph.ingest.importers.reading import (
    BadJson,
    Line,
    Source,
    opened,
    parse_line,
    read_document,
    read_lines,
    source_name,
)
from trace_graph.models import MessageInput
from trace_graph.text.rules import content_text

MESSAGE_FIELDS = frozenset({
    "role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations",
})
"""Of a message in the chat format."""

_SESSION_FIELDS = ("session", "session_id", "conversation_id", "thread_id", "id")
_TIME_FIELDS = ("created_at", "timestamp")
LINES_SUFFIXES = (".jsonl", ".ndjson")
"""Endings of the name of a file of lines, even where it holds one line alone."""


class _Chat(NamedTuple):
    """One conversation of the file."""

    id: str | None
    """Its own."""
    messages: Sequence[object]


def read(source: Source, samples: Sequence[str] | None = None) -> Iterator[Item]:
    """The messages of the conversations. `line` is the line of a file of lines, else the message's place in the file.

    A stream must be seekable.
    Raises: InvalidInput where `samples` are asked for or the file holds no chat; NotFound where there is none.
    """
    if samples:
        raise InvalidInput(
            "OpenAI chats have no samples to pick from.", fix="Leave out --sample; sessions keep chats apart."
        )
    name, ids = Path(source_name(source)), DerivedIds("openai")
    with opened(source) as stream:
        start = stream.tell()
        is_lines = name.suffix.lower() in LINES_SUFFIXES or _holds_lines(stream)
        stream.seek(start)
        if is_lines:
            yield from _line_items(stream, Names(name.stem), ids)
            return
        document = read_document(source if isinstance(source, Path) else stream)
    yield from _document_items(document, name, ids)


def is_message(value: object) -> bool:
    """Whether this is a message of the chat format."""
    return isinstance(value, dict) and "role" in value and not value.keys().isdisjoint(("content", "tool_calls"))


def is_conversation(value: object) -> bool:
    """Whether this is an object with a list of messages."""
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def _holds_lines(stream: BinaryIO) -> bool:
    """Whether the first line is a JSON value with more to follow, or is broken and the second one a conversation."""
    first, second = itertools.islice(itertools.chain(read_lines(stream), (None, None)), 2)
    if first is None or second is None or (first.content or b"").strip() == b"[":
        return False
    return _value(first) is not None or isinstance(_value(second), list) or is_conversation(_value(second))


def _value(line: Line) -> object:
    try:
        return parse_line(line)
    except BadJson:
        return None


def _line_items(stream: BinaryIO, names: Names, ids: DerivedIds) -> Iterator[Item]:
    alone = Conversation(names)
    for line in read_lines(stream):
        try:
            value = parse_line(line)
            chats = _chats(value)
        except (BadItem, BadJson) as error:
            yield Rejected(line.number, str(error))
            continue
        if isinstance(value, dict) and not is_conversation(value):
            yield from _items(alone.add(Place(line.number, Unit.LINE), value), ids)
        else:
            places = (Place(line.number, Unit.LINE, item) for item in itertools.count(1))
            yield from _chat_items(chats, places, names, ids)
    yield from _items(alone.end(), ids)


def _document_items(document: object, name: Path, ids: DerivedIds) -> Iterator[Item]:
    try:
        chats = _chats(document)
    except BadItem as error:
        raise InvalidInput(
            f"{name} is no OpenAI chat: {error}", fix='Give a list of messages, or {"messages": [...]}.'
        ) from error
    yield from _chat_items(chats, (Place(item, Unit.ITEM) for item in itertools.count(1)), Names(name.stem), ids)


def _chat_items(chats: Sequence[_Chat], places: Iterator[Place], names: Names, ids: DerivedIds) -> Iterator[Item]:
    for chat in chats:
        conversation = Conversation(names)
        for message, place in zip(chat.messages, places, strict=False):
            if chat.id is None:
                yield from _items(conversation.add(place, message), ids)
            else:
                yield _item(Said(place, message, chat.id), ids)
        yield from _items(conversation.end(), ids)


def _chats(value: object) -> Sequence[_Chat]:
    """The conversations in one JSON value; a message alone is one."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return [_Chat(_session_of(value), value["messages"])]
    if isinstance(value, dict) and "role" in value:
        return [_Chat(None, [value])]
    if not isinstance(value, list):
        raise BadItem("neither a message with a role nor a list of messages.")
    if not value or not (isinstance(value[0], list) or (isinstance(value[0], dict) and "messages" in value[0])):
        return [_Chat(None, value)]
    return [found for each in value for found in _chats(each)]


def _session_of(record: Mapping[str, object]) -> str | None:
    for field in _SESSION_FIELDS:
        value = record.get(field)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def _items(said: Iterable[Said], ids: DerivedIds) -> Iterator[Item]:
    return (_item(one, ids) for one in said)


def _item(said: Said, ids: DerivedIds) -> Item:
    line, unit, item = said.place
    try:
        record = object_of(said.value, "the message")
        return Parsed(line, _message(said.session, record, ids.of(said.session, record)), unit, item)
    except BadItem as error:
        return Rejected(line, str(error), unit, item)


def _message(session: str, record: Mapping[str, object], external_id: str) -> MessageInput:
    fields = {
        "text": _text(record), "role": text_of(record, "role"), "author": record.get("name") or None,
        "session": session, "at": _time(record), "external_id": external_id, "content": _content(record),
    }
    return message_of({field: value for field, value in fields.items() if value is not None})


def _text(record: Mapping[str, object]) -> str:
    """What was said; a message that only calls tools, or only refuses or speaks aloud, says so."""
    content = record.get("content")
    if content is not None and not isinstance(content, str | list):
        raise BadItem("content is neither text nor a list of parts.")
    text = content_text(content) if content else ""
    if text.strip():
        return text
    refusal, audio = record.get("refusal"), record.get("audio")
    if isinstance(refusal, str) and refusal:
        return refusal
    if isinstance(audio, dict) and isinstance(audio.get("transcript"), str):
        return str(audio["transcript"])
    return "\n".join(f"[tool call: {name}]" for name in _called(record)) or text


def _called(record: Mapping[str, object]) -> Iterator[str]:
    calls = record.get("tool_calls")
    functions = [
        call.get("function") or call.get("custom") for call in calls if isinstance(call, dict)
    ] if isinstance(calls, list) else []
    for function in [*functions, record.get("function_call")]:
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str):
            yield name


def _content(record: Mapping[str, object]) -> object:
    """What the text and the other fields do not hold: the list of parts, or all of it where there is more."""
    content = record.get("content")
    more = {
        field: value for field, value in record.items()
        if value is not None and field not in ("role", "name", "content", *_TIME_FIELDS)
    }
    if more:
        return {"content": content, **more}
    return content if isinstance(content, list) else None


def _time(record: Mapping[str, object]) -> datetime | str | None:
    for field in _TIME_FIELDS:
        value = record.get(field)
        if value is None:
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return datetime.fromtimestamp(value, UTC)
            except (ValueError, OverflowError, OSError) as error:
                raise BadItem(f"{field} is no time in seconds since 1970.") from error
        raise BadItem(f"{field} is neither text nor a number of seconds.")
    return None
