"""What a reply says: read strictly, then without what models leak, then repaired, and always validated.

The words of a fault go back to the model and are kept: they hold no text of a reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError

from trace_graph.llm.cleaning import REFUSED, clean
from trace_graph.llm.reading_json import LONGEST, Unclear, find_all, read_whole
from trace_graph.llm.repairing import repair
from trace_graph.llm.reply_types import Dropped
from trace_graph.llm.stripping import NoReply, inside_fence, strip
from trace_graph.llm.values import Reply

SCHEMA_KEYS = frozenset({"$schema", "$defs", "properties"})
"""Keys of a JSON schema; none of them is a field of a reply."""

MOST_FAULTS = 5
"""Faults of one reply that are named to the model. Guess."""


@dataclass(frozen=True)
class Parsed(Generic[Reply]):
    """What came of reading a reply."""

    value: Reply | None
    fault: str | None = None
    """Why there is no value, in words for the model."""
    exact: bool = False
    """It was the JSON asked for from end to end: nothing around it, nothing repaired."""
    repaired: bool = False
    dropped: int = 0
    """Items of its lists that could not be used."""


def parse(text: str, reply: type[Reply]) -> Parsed[Reply]:
    """Read one reply.

    The last object that validates and is not empty counts; several different ones are a fault, as are NaN, a key with
    two values, a JSON schema instead of data, and an object with none of the reply's fields.
    """
    if len(text) > LONGEST:
        return Parsed(None, "It is too long.")
    try:
        written = read_whole(text)
        if isinstance(written, str):  # JSON within a JSON text
            return _found(written, reply)
        whole = _validated(written, reply)
        if whole.value is not None:
            return Parsed(whole.value, exact=True, dropped=whole.dropped)
        return whole
    except Unclear as error:
        return Parsed(None, f"It cannot be read as JSON: {error}.")
    except ValueError:
        return _found(text, reply)


def _found(text: str, reply: type[Reply]) -> Parsed[Reply]:
    try:
        rest = strip(text)
        objects = [_validated(one.value, reply) for one in find_all(rest)]
        if any(one.value is not None for one in objects):
            return _chosen(objects)
        repaired = _repaired(rest, reply)
        return repaired if repaired.value is not None or not objects else objects[-1]
    except NoReply as error:
        return Parsed(None, f"There is no answer in it: {error}.")
    except ValueError as error:
        return Parsed(None, f"It cannot be read as JSON: {error}.")


def _repaired(text: str, reply: type[Reply]) -> Parsed[Reply]:
    parsed = _validated(repair(inside_fence(text)), reply)
    return Parsed(parsed.value, parsed.fault, repaired=True, dropped=parsed.dropped)


def _chosen(objects: list[Parsed[Reply]]) -> Parsed[Reply]:
    """The last object that validates and is not empty; an empty one only where there is no other."""
    usable = [one for one in objects if one.value is not None]
    full = [one for one in usable if not _empty(one.value)]
    if any(one.value != full[0].value for one in full):
        return Parsed(None, "It holds several different answers.")
    return (full or usable)[-1]


def _empty(value: Any) -> bool:
    """Whether nothing is said in it: no text, number, true or item anywhere."""
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if isinstance(value, Mapping):
        return all(_empty(one) for one in value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) == 0 or all(_empty(one) for one in value)
    return value is None or value is False or value == ""


def _validated(value: Any, reply: type[Reply]) -> Parsed[Reply]:
    value = clean(_in_object(value, reply))
    if value is REFUSED:
        return Parsed(None, "A text in it is nothing but a control marker.")
    if not isinstance(value, dict):
        return Parsed(None, "It is not a JSON object.")
    if _is_schema(value):
        return Parsed(None, "It is the JSON schema; the data it describes are asked for.")
    if not _fields_of(reply) & value.keys():
        return Parsed(None, f"It has none of the fields {', '.join(sorted(_fields_of(reply)))}.")
    dropped = Dropped()
    try:
        return Parsed(reply.model_validate(value, context=dropped), dropped=dropped.items)
    except ValidationError as error:
        return Parsed(None, _in_words(error), dropped=dropped.items)


def _in_object(value: Any, reply: type[Reply]) -> Any:
    """A bare list stands for the object around it where the reply has one field only."""
    fields = _fields_of(reply)
    return {next(iter(fields)): value} if isinstance(value, list) and len(fields) == 1 else value


def _is_schema(value: Mapping[str, Any]) -> bool:
    """Also one level down: `{"name": ..., "schema": {...}}` (PC-011 of the public cases)."""
    inner = [value, *(one for one in value.values() if isinstance(one, dict))]
    return any(SCHEMA_KEYS & one.keys() and (one.get("type") == "object" or "$schema" in one) for one in inner)


def _fields_of(reply: type[Reply]) -> frozenset[str]:
    return frozenset(field.alias or name for name, field in reply.model_fields.items())


def _in_words(error: ValidationError) -> str:
    """Where and why, without what stood there."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    words = [f"{_place(fault['loc'])}: {fault['msg']}" for fault in faults[:MOST_FAULTS]]
    return f"It does not have the fields asked for ({'; '.join(words)})."


def _place(loc: tuple[int | str, ...]) -> str:
    """Names of fields are ours; a key of a mapping may be the model's, so only what looks like a field is named."""
    return ".".join(str(part) if isinstance(part, int) or part.isidentifier() else "?" for part in loc) or "it"
