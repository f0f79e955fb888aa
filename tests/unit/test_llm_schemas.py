"""The schemas that are sent keep to what every server understands."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tests.scripted_chat import instance_of
from trace_graph.llm import purposes
from trace_graph.llm.reply_types import Items, Label, Text, Whole
from trace_graph.llm.schemas import schema_of, shape_of

ALLOWED = {"type", "properties", "required", "items", "enum", "additionalProperties", "description"}


class Choice(BaseModel):
    """Our own words, which no model needs."""

    segment: Text = Field(description="label of the segment", max_length=40)
    topic: Label = None
    sure: Literal["yes", "no"] = "no"


class Choices(BaseModel):
    choices: Items[Choice] = Field(default_factory=list)
    count: Whole | None = None
    first: Choice | None = None


class Two(BaseModel):
    both: int | str


class Inner(BaseModel):
    inner: Items[Inner] = Field(default_factory=list)


def replies() -> Iterator[type[BaseModel]]:
    """Every reply of every purpose."""
    for module in pkgutil.walk_packages(purposes.__path__, f"{purposes.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, BaseModel) and value.__name__.endswith("Reply"):
                yield value


def keywords(schema: Any) -> Iterator[str]:
    """The schema language that is used; names of fields are none of it."""
    if isinstance(schema, dict):
        yield from (key for key in schema)
        for key, value in schema.items():
            yield from (word for one in value.values() for word in keywords(one)) if key == "properties" else \
                keywords(value)


def test_the_schema_of_a_reply_holds_no_definitions_and_no_limits() -> None:
    """PC-019."""
    choice = {
        "type": "object", "required": ["segment", "topic", "sure"], "additionalProperties": False,
        "properties": {
            "segment": {"type": "string", "description": "label of the segment"}, "topic": {"type": "string"},
            "sure": {"type": "string", "enum": ["yes", "no"]}}}

    assert schema_of(Choices) == {
        "type": "object", "required": ["choices", "count", "first"], "additionalProperties": False,
        "properties": {"choices": {"type": "array", "items": choice}, "count": {"type": "integer"}, "first": choice}}
    assert json.loads(shape_of(Choices))["choices"] == [{"segment": "text", "topic": "text", "sure": "yes or no"}]


def test_every_reply_of_every_purpose_has_a_portable_schema_that_its_instances_pass() -> None:
    """PC-019. Also what test doubles use is checked, so that the test says something before there is a purpose."""
    for reply in (Choices, *replies()):
        schema = dict(schema_of(reply))
        assert set(keywords(schema)) <= ALLOWED, reply
        reply.model_validate(instance_of(schema))


@pytest.mark.parametrize("reply", [Two, Inner])
def test_a_reply_that_cannot_be_written_so_is_a_fault_of_ours(reply: type[BaseModel]) -> None:
    with pytest.raises(TypeError):
        schema_of(reply)
