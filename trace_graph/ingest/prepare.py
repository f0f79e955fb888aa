"""A message as it was given becomes a message as it is stored; everything but its place and the clock. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from trace_graph.embed.protocol import Vector
from trace_graph.errors import InvalidInput
from trace_graph.models import MessageInput, NewId
from trace_graph.text import rules
from trace_graph.text.passages import passages
from trace_graph.text.terms import terms
from trace_graph.text.times import parse_time
from trace_graph.text.tokens import count_tokens


@dataclass(frozen=True)
class PreparedPassage:
    """A part of a long message."""

    id: str
    start: int
    end: int
    """In characters."""
    terms: tuple[str, ...]
    spoken: str
    """The text whose vector stands for it: speaker and words."""
    vector: Vector | None = None


@dataclass(frozen=True)
class Prepared:
    """A message that has passed every rule."""

    id: str
    session: str
    role: str
    author: str
    agent: str | None
    text: str
    content: str | None
    occurred_at: datetime
    occurred_offset: int
    """Minutes east of UTC in which its time was given."""
    external_id: str | None
    tokens: int
    terms: tuple[str, ...]
    """Without the space's key in front."""
    passages: tuple[PreparedPassage, ...]
    vector: Vector | None = None

    @property
    def spoken(self) -> str:
        """The text whose vector stands for the message. Source: the measured recipe, speaker + ": " + text."""
        return f"{self.author}: {self.text}"

    @property
    def without_vector(self) -> int:
        """How many of its texts, itself and its passages, have no vector."""
        return sum(one is None for one in (self.vector, *(part.vector for part in self.passages)))

    @property
    def occurred_day(self) -> int:
        """Days since 1970-01-01 on the clock of the place where it was said: what a date in a question is met by."""
        return int((self.occurred_at.timestamp() + self.occurred_offset * 60) // 86400)

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) of text and content."""
        return hashlib.sha256(f"{self.text}\0{self.content or ''}".encode()).hexdigest()


def message_of(fields: Mapping[str, Any]) -> MessageInput:
    """The message of these fields. Raises: InvalidInput naming the field whose type is wrong."""
    try:
        return MessageInput(**fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"The field {name} of a message cannot be used: {first['msg']}.") from error


def check(message: MessageInput) -> None:
    """Try one message against every rule, before anything is opened for it.

    Raises: InvalidInput naming the rule it breaks.
    """
    if not isinstance(message, MessageInput):
        raise InvalidInput("What is added is a list of MessageInput.", fix="Wrap each message: MessageInput(text=...).")
    rules.check_content(message.content)
    rules.check_text(message.text or rules.content_text(message.content))
    rules.author_name(message.role if message.author is None else message.author)
    rules.session_name(message.session)
    if message.agent is not None:
        rules.author_name(message.agent)
    if message.external_id is not None:
        rules.external_id(message.external_id)
    if message.at is not None:
        parse_time(message.at, "UTC")


def prepare(message: MessageInput, *, zone: str, now: datetime, new_id: NewId) -> Prepared:
    """Check one message against the rules and read it.

    Raises: InvalidInput naming the rule it breaks.
    """
    content = rules.check_content(message.content)
    text = rules.check_text(message.text or rules.content_text(message.content))
    author = rules.author_name(message.role if message.author is None else message.author)
    moment = parse_time(message.at if message.at is not None else now, zone)
    spans = passages(text)
    return Prepared(
        id=new_id(), session=rules.session_name(message.session), role=message.role, author=author,
        agent=None if message.agent is None else rules.author_name(message.agent), text=text, content=content,
        occurred_at=moment.instant, occurred_offset=moment.offset_minutes,
        external_id=None if message.external_id is None else rules.external_id(message.external_id),
        tokens=count_tokens(text), terms=tuple(terms(text)),
        passages=tuple(
            PreparedPassage(
                new_id(), span.start, span.end, tuple(terms(text[span.start:span.end])),
                f"{author}: {text[span.start:span.end]}")
            for span in spans))


def spoken_texts(messages: list[Prepared]) -> list[str]:
    """Every text of these messages that needs a vector, in the order that `with_vectors` takes them."""
    return [text for message in messages for text in (message.spoken, *(part.spoken for part in message.passages))]


def with_vectors(messages: list[Prepared], vectors: list[Vector | None]) -> list[Prepared]:
    """The messages with the vectors of their `spoken_texts`."""
    remaining = iter(vectors)
    return [
        replace(
            message, vector=next(remaining),
            passages=tuple(replace(part, vector=next(remaining)) for part in message.passages))
        for message in messages
    ]


def as_list(vector: Vector | None) -> list[float] | None:
    """A vector as the driver takes it."""
    return None if vector is None else vector.tolist()


def message_properties(message: Prepared, *, space: str, key: str, seq: int, clock: dict[str, Any]) -> dict[str, Any]:
    """The Message node."""
    return {
        "id": message.id, "space": space, "session": message.session, "seq": seq,
        "place_key": place_key(space, message.session, seq), "role": message.role, "author": message.author,
        "agent": message.agent, "text": message.text, "content": message.content, "occurred_at": message.occurred_at,
        "occurred_offset": message.occurred_offset, "occurred_day": message.occurred_day,
        "external_id": message.external_id,
        "external_key": external_key(space, message.external_id), "content_hash": message.content_hash,
        "tokens": message.tokens, "terms": _prefixed(message.terms, key), "embedding": as_list(message.vector),
        "waiting": True, "waiting_in": space, **clock,
    }


def passage_properties(part: PreparedPassage, message: Prepared, *, space: str, key: str) -> dict[str, Any]:
    """The Passage node."""
    return {
        "id": part.id, "space": space, "message": message.id, "start": part.start, "end": part.end,
        "terms": _prefixed(part.terms, key), "embedding": as_list(part.vector),
    }


def place_key(space: str, session: str, seq: int) -> str:
    """Unique for a place in a session; hashed, since a session's name may be long."""
    digest = hashlib.sha256(session.encode()).hexdigest()[:32]
    return f"{space}/{digest}/{seq}"


def session_key(space: str, session: str) -> str:
    """Unique for a session of a space."""
    return f"{space}/{hashlib.sha256(session.encode()).hexdigest()[:32]}"


def external_key(space: str, external_id: str | None) -> str | None:
    """Unique for an external id in a space; null where there is none, which no unique key minds."""
    return None if external_id is None else f"{space}/{external_id}"


def _prefixed(terms: tuple[str, ...], key: str) -> str:
    return " ".join(f"{key}_{term}" for term in terms)
