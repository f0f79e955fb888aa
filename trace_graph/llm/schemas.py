"""The JSON schema of a reply, as little of the language as every server understands.

Objects, arrays, strings, numbers, integers, booleans and enums. No `$ref`, `anyOf`, `format`, `pattern` or lengths: a
server that cannot turn one of them into a grammar refuses the request, or drops the schema without a word (PC-019 of
the public cases). Every field is required and no other one allowed, as OpenAI's strict mode wants it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

SIMPLE = ("string", "integer", "number", "boolean")


@cache
def schema_of(reply: type[BaseModel]) -> Mapping[str, Any]:
    """The portable schema of a reply.

    Raises: TypeError for a reply whose type cannot be written so; that is a fault of ours.
    """
    whole = reply.model_json_schema(mode="validation")
    return _portable(whole, whole.get("$defs", {}), ())


@cache
def shape_of(reply: type[BaseModel]) -> str:
    """The reply's shape in words, for a prompt: `{"choices": [{"segment": "text", "topic": "text"}]}`.

    An example of the shape and not its schema, which weak models send back as it is.
    """
    return json.dumps(_example(schema_of(reply)), ensure_ascii=False)


def _portable(part: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in part:
        name = str(part["$ref"]).rpartition("/")[2]
        if name in inside:
            raise TypeError(f"a reply must not hold itself: {name}")
        return _portable({**definitions[name], **{k: v for k, v in part.items() if k != "$ref"}}, definitions,
                         (*inside, name))
    choices = [one for one in part.get("anyOf", ()) if one.get("type") != "null"]
    if len(choices) == 1:
        return _portable({**choices[0], **_description(part)}, definitions, inside)
    if choices:
        raise TypeError(f"a reply's field must have one type: {part.get('title')}")
    return {**_typed(part, definitions, inside), **_description(part)}


def _typed(part: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    kind = part.get("type")
    if "enum" in part or "const" in part:
        return {"type": kind or "string", "enum": list(part.get("enum", [part.get("const")]))}
    if kind == "array":
        return {"type": "array", "items": _portable(part["items"], definitions, inside)}
    if kind == "object" and part.get("properties"):
        fields = {name: _portable(one, definitions, inside) for name, one in part["properties"].items()}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    if kind in SIMPLE:
        return {"type": kind}
    raise TypeError(f"a reply's field has no portable type: {part.get('title')} ({kind})")


def _description(part: Mapping[str, Any]) -> dict[str, Any]:
    """Of fields; that of a class is its docstring, which is written for us."""
    described = "description" in part and "properties" not in part
    return {"description": part["description"]} if described else {}


def _example(part: Mapping[str, Any]) -> Any:
    if "enum" in part:
        return " or ".join(str(one) for one in part["enum"])
    if part["type"] == "object":
        return {name: _example(one) for name, one in part["properties"].items()}
    if part["type"] == "array":
        return [_example(part["items"])]
    return {"string": "text", "integer": 0, "number": 0.0, "boolean": True}[part["type"]]
