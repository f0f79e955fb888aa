"""What an importer yields: a message, or why an item of the file is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pydantic import ValidationError

from trace_graph.models import MessageInput


class Unit(StrEnum):
    """What an item's `line` counts."""

    LINE = "line"
    """The lines of a file of lines."""
    ITEM = "item"
    """The messages of a file that is one JSON document, whose lines say nothing."""


class Place(NamedTuple):
    """Where an item stands in its file."""

    line: int
    """The line of a file of lines, or the item's place in the file, from 1."""
    unit: Unit = Unit.LINE
    item: int | None = None
    """Its place in the list that stands on its line, from 1."""


@dataclass(frozen=True)
class Parsed:
    """An item of the file that is a message; its text, names and time are checked when it is written."""

    line: int
    """The line of a file of lines, or the item's place in the file, from 1."""
    message: MessageInput
    unit: Unit = Unit.LINE
    item: int | None = None
    """Its place in the list that stands on its line, from 1."""

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return _place(self.line, self.unit, self.item)


@dataclass(frozen=True)
class Rejected:
    """An item of the file that is no message."""

    line: int
    """The line of a file of lines, or the item's place in the file, from 1."""
    reason: str
    """One sentence; never holds the item's text."""
    unit: Unit = Unit.LINE
    item: int | None = None
    """Its place in the list that stands on its line, from 1."""

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return _place(self.line, self.unit, self.item)


def _place(line: int, unit: Unit, item: int | None) -> str:
    return f"{unit} {line}" if item is None else f"{unit} {line}, item {item}"


Item = Parsed | Rejected


class BadItem(Exception):
    """Why one item is no message; importers turn it into `Rejected`, it never leaves them."""


def message_of(fields: Mapping[str, object]) -> MessageInput:
    """The message of these fields, in the types that JSON has: no number is read as a time.

    Raises: BadItem naming the first field that does not fit.
    """
    try:
        return MessageInput.model_validate(fields, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        field, wrong = fault["loc"][0], fault["msg"]
        if field == "at":
            raise BadItem("at is not text in ISO 8601.") from error
        raise BadItem(f"{field}: {wrong[:1].lower()}{wrong[1:]}.") from error


def object_of(value: object, name: str) -> Mapping[str, object]:
    """The value as a JSON object. Raises: BadItem."""
    if not isinstance(value, dict):
        raise BadItem(f"{name} is not a JSON object.")
    return value


def text_of(record: Mapping[str, object], field: str) -> str:
    """The text in this field. Raises: BadItem."""
    value = record.get(field)
    if not isinstance(value, str):
        raise BadItem(f"{field} is not there." if value is None else f"{field} is not text.")
    return value
