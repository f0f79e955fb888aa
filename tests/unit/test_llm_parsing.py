"""What a reply says, whatever a model leaks around it, and when it says nothing."""

from __future__ import annotations

import json
import time
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import BaseModel, Field

from trace_graph.llm import reading_json
from trace_graph.llm.parsing import Parsed, parse
from trace_graph.llm.reading_json import DEEPEST, LONGEST
from trace_graph.llm.reply_types import Items, Label, Text, Whole


class Facts(BaseModel):
    facts: Items[Text] = Field(default_factory=list)
    score: float | None = None


class Summary(BaseModel):
    title: str
    summary: str


class Relation(BaseModel):
    from_: str = Field(alias="from")
    type: str
    to: str


class Relations(BaseModel):
    relations: Items[Relation] = Field(default_factory=list)


class Entity(BaseModel):
    name: str
    type: str = "thing"


class Graph(BaseModel):
    entities: Items[Entity] = Field(default_factory=list)
    relations: Items[Relation] = Field(default_factory=list)
    facts: Items[dict[str, str]] = Field(default_factory=list)


class Operation(BaseModel):
    op: Literal["add", "update", "none"]
    turns: Whole = 0
    choice: Label = None


def facts(text: str) -> list[str] | str | None:
    """The facts of a reply, or its fault."""
    parsed = parse(text, Facts)
    return parsed.value.facts if parsed.value is not None else parsed.fault


OSLO = '{"facts":["Mira moved to Oslo in May"]}'


@pytest.mark.parametrize("text", [
    OSLO, f"\ufeff {OSLO}\n", f"```json\n{OSLO}\n```", f"```JSON\n{OSLO}\n```", f"```json5\r\n{OSLO}\r\n```",
    f"```\n{OSLO}\n```", f"```json {OSLO}```", f"```\n{OSLO}", f"Here it is: {OSLO} Anything else?",
    json.dumps(OSLO), '["Mira moved to Oslo in May"]'.join(('{"facts":', "}")),
])
def test_fences_and_prose_around_a_reply_are_left_out(text: str) -> None:
    """PC-001."""
    assert facts(text) == ["Mira moved to Oslo in May"]
    assert not parse(text, Facts).repaired


def test_backticks_within_a_text_stay() -> None:
    """PC-002."""
    fact = "Tomas runs `make all` and pastes ```sh blocks"
    reply = json.dumps({"facts": [fact]})

    assert facts(f"```json\n{reply}\n```\nThat is everything I found.") == [fact]
    assert facts(f"```json\n{reply.replace(']', ',]')}\n```\nThat is everything I found.") == [fact]


def test_the_last_object_that_says_something_counts_and_two_that_differ_are_a_fault() -> None:
    """PC-004."""
    result = '{"facts":["Tomas is allergic to walnuts"]}'
    chatty = f'Sure. Example of the format: {{"facts":[]}} and here is the result: {result}'

    assert facts(f"{chatty} Anything else?") == ["Tomas is allergic to walnuts"]
    assert facts('{"facts":["a"]} {"facts":[]}') == ["a"]
    assert facts('{"facts":["a"]} {"other":1} {"facts":["a"]}') == ["a"]
    assert facts('First {"facts":["a"]}, or {"facts":["b"]}.') == "It holds several different answers."
    assert facts('{"facts":[]} {"facts":[]}') == []


@pytest.mark.parametrize("text", [
    '<|channel|>analysis<|message|>Need {"facts":["draft"]}.<|end|><|start|>assistant<|channel|>final json<|message|>'
    '{"facts":["Mira works nights"]}<|return|>',
    '<|channel|>analysis<|message|>{"facts":["draft"]}<|end|><|start|>assistant<|channel|>final <|constrain|>json'
    '<|message|>{"facts":["Mira works nights"]}',
    '<|channel|>final<|message|>{"facts":["Mira works nights"]}<|end|><|start|>assistant<|channel|>analysis<|message|>'
    '{"facts":["draft"]}',
    'analysisI think {"facts":["draft"]}.assistantfinal{"facts":["Mira works nights"]}',
    '<think>{"facts":["draft"]}</think>{"facts":["Mira works nights"]}',
    'Consider {"facts":["draft"]} first.</think>\n{"facts":["Mira works nights"]}',
    '<THINKING>{ and {"facts":["draft"]}</THINKING>{"facts":["Mira works nights"]}',
    '[THINK]{"facts":["draft"]}[/THINK]{"facts":["Mira works nights"]}',
    '{"facts":["Mira works nights"]}<think>{"facts":["draft"]}',
])
def test_only_what_was_meant_as_the_reply_is_read(text: str) -> None:
    """PC-005, PC-010."""
    assert facts(text) == ["Mira works nights"]


@pytest.mark.parametrize("text", [
    '<|channel|>commentary<|message|>{"facts":["draft"]}<|end|>',
    '<|start|>assistant<|message|>{"facts":["draft"]}',
    '<think>Hm, {"facts":["draft"]}', "<think>Hm.", "Hm.</think>", "", "   ", "I found nothing.", "null", "{}", "[]x",
    '{"error":"overloaded"}', "7",
])
def test_thinking_without_a_reply_is_a_failed_reply(text: str) -> None:
    """PC-005, PC-010: and what is no reply is never read as "nothing found"."""
    parsed = parse(text, Facts)

    assert parsed.value is None
    assert parsed.fault


def test_tags_and_markers_within_a_text_do_not_end_the_reply() -> None:
    assert facts('Here: {"facts":["HTML has no </think> tag"]}') == ["HTML has no </think> tag"]


@pytest.mark.parametrize("text", [
    '{"title":"TopicSummary","type":"object","properties":{"summary":{"type":"string","description":"short summary"}},'
    '"required":["summary"]}',
    '{"name":"summarise","schema":{"type":"object","properties":{"title":{"type":"string"}}},"title":"a",'
    '"summary":"b"}',
    '{"$schema":"http://json-schema.org/draft-07/schema#","title":"a","summary":"b"}',
])
def test_a_schema_that_is_sent_back_is_no_reply(text: str) -> None:
    """PC-011."""
    assert parse(text, Summary) == Parsed(None, "It is the JSON schema; the data it describes are asked for.")


def test_a_bad_item_does_not_reject_the_others_and_is_counted() -> None:
    """PC-013."""
    parsed = parse(
        '{"entities":[{"name":"Oslo","type":"place"},{"type":"person"},null],"relations":null,'
        '"facts":[{"text":"Mira lives in Oslo"}]}', Graph)

    assert parsed == Parsed(
        Graph(entities=[Entity(name="Oslo", type="place")], facts=[{"text": "Mira lives in Oslo"}]),
        exact=True, dropped=2)


def test_a_reply_is_always_validated_and_only_safe_values_are_turned_into_others() -> None:
    """PC-014."""
    assert parse('{"op":"UPSERT","confidence":"high","turns":"3"}', Operation) == Parsed(
        None, "It does not have the fields asked for (op: Input should be 'add', 'update' or 'none').")
    assert parse('{"op":"add","confidence":"high","turns":"3","choice":2}', Operation).value == Operation(
        op="add", turns=3, choice=2)
    assert parse('{"op":"add","turns":3.0}', Operation).value == Operation(op="add", turns=3)
    for wrong in ("3.5", "true", '"three"', "null"):
        assert parse(f'{{"op":"add","turns":{wrong}}}', Operation).value is None
    assert facts('{"facts":[3, 2.5, true, "a"]}') == ["3", "2.5", "a"]
    assert facts('{"facts":"one"}') == ["one"]


@pytest.mark.parametrize(("text", "found"), [
    ('{"facts":["a",],}', ["a"]),
    ("{'facts':['a', 'it\\'s late']}", ["a", "it's late"]),
    ('{facts: ["a"], /* why */ score: None}', ["a"]),
    ('{"facts":["a"], // why\n "score": 1}', ["a"]),
    ('Here: {"facts":["a, b",],} Anything else?', ["a, b"]),
    ('{"facts":["one\ntwo"]}', ["one\ntwo"]),
])
def test_what_is_nearly_json_is_repaired_where_it_has_one_meaning(text: str, found: list[str]) -> None:
    """PC-016."""
    assert facts(text) == found


@pytest.mark.parametrize("text", [
    "{'facts':['it''s late']}", '{"facts":["job":"baker"]}', '{"facts":["a" "b"]}', '{"facts":["he said "hi" there"]}',
    '{"facts":["a"', '{"facts":["a"],', "{'facts':['a'", '{"facts":["a', '{"facts":["a"]',
    '{"facts":["a"],"facts":["b"]}', '{"score":NaN,"facts":["a"]}',
    '{"score":-Infinity,"facts":["a"]}', '{"score":1e999,"facts":["a"]}', 'So: {"score":NaN,"facts":["a"]}',
    "{'score':NaN,'facts':['a',]}", '{"facts":[a]}',
])
def test_what_could_mean_more_than_one_thing_is_refused(text: str) -> None:
    """PC-016: no item is ever merged or dropped by a repair."""
    parsed = parse(text, Facts)

    assert (parsed.value, parsed.dropped) == (None, 0)
    assert parsed.fault is not None
    assert "late" not in parsed.fault


def test_markers_within_texts_and_keys_are_cut_or_the_item_is_refused() -> None:
    """PC-017."""
    parsed = parse(json.dumps({"relations": [
        {"from": "Mira", "type": "LIVES_IN<|channel|>commentary", "to": "Oslo<|end|>"},
        {"from": "Mira", "type<|constrain|>json": "KNOWS", "to": "Tomas"},
        {"from": "Mira", "type": "<|end|>", "to": "Oslo"},
        {"from": "Mira", "type": "SAYS", "to": "a <b> c <｜end▁of▁sentence｜>"},
    ]}), Relations)

    assert parsed.value is not None
    assert [one.model_dump(by_alias=True) for one in parsed.value.relations] == [
        {"from": "Mira", "type": "LIVES_IN", "to": "Oslo"}, {"from": "Mira", "type": "KNOWS", "to": "Tomas"},
        {"from": "Mira", "type": "SAYS", "to": "a <b> c"}]
    assert parsed.dropped == 1
    assert parse('{"title":"<|end|>","summary":"a"}', Summary).value is None
    assert parse('{"title":"a\\u0000b","summary":"\\ud800"}', Summary).value == Summary(title="ab", summary="\ufffd")


HOSTILE = {
    "braces": "{", "brackets": "[", "objects": '{"a":', "lists": "[1,", "quotes": "{'", "comments": "{/*",
    "thoughts": "</think>{} ", "channels": "<|channel|>a", "escapes": '\\"', "fences": "```a", "numbers": "1",
    "letters": "a", "markers": "<|a", "blanks": " ", "spelled": "[{'a': 1,},", "in texts": '["[",",[",',
}


@pytest.mark.parametrize("before", ["", "{", "{'a':'", '{"facts":["', "```", "<|channel|>"])
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_time_of_judging_grows_with_the_length_and_not_with_its_square(before: str, piece: str) -> None:
    def seconds(length: int) -> float:
        text = f"{before}{piece * (length // len(piece))}}}"
        start = time.process_time()
        parse(text, Facts)
        return time.process_time() - start

    assert seconds(4 * 4_900) < 10 * max(seconds(4_900), 0.02)


def test_what_cannot_be_read_costs_a_bounded_number_of_characters() -> None:
    text = "[1," * 50 + "1," * 5000
    tried: list[int] = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            tried.append(len(s) - idx)
            return super().raw_decode(s, idx)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_json, "_DECODER", Counting(strict=False))
        patch.setattr(reading_json, "MOST_READ", 2 * len(text))
        assert reading_json.find_all(text) == []
    assert sum(tried) <= 3 * len(text)


def deep(opening: str, closing: str, depth: int) -> str:
    return opening * depth + "1" + closing * depth


@pytest.mark.parametrize("depth", [DEEPEST + 1, 400, 500, 700, 985, 1000, 5000])
@pytest.mark.parametrize(("opening", "closing"), [('{"facts":', "}"), ("[", "]"), ('{"a":[', "]}"), ("{'a':", "}")])
def test_a_reply_that_is_nested_too_deeply_is_malformed(opening: str, closing: str, depth: int) -> None:
    bare = deep(opening, closing, depth)
    for text in (bare, f"Here: {bare}", json.dumps(bare), f"```json\n{bare}\n```", f'{{"facts":{bare}}}',
                 f'{{"facts":["a"],"more":{bare}}}'):
        for reply in (Facts, Graph, Summary):
            fault = parse(text, reply).fault  # type: ignore[type-var]
            assert fault is not None and "nested too deeply" in fault


def test_a_reply_may_be_nested_as_deep_as_stated_and_brackets_within_texts_do_not_count() -> None:
    written = deep('{"a":', "}", DEEPEST - 1)
    assert facts(f'{{"facts":["a"],"more":{written}}}') == ["a"]
    assert facts(json.dumps({"facts": ["[" * 500, '"{' * 500]})) == ["[" * 500, '"{' * 500]
    assert parse("x" * (LONGEST + 1), Facts).fault == "It is too long."


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(), inner, max_size=3), max_leaves=8)


WORDS = some.text(some.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


@given(some.lists(WORDS, min_size=1))
def test_facts_come_back_as_they_were_written(written: list[str]) -> None:
    kept = [one for one in written if "<|" not in one and "<｜" not in one]
    reply = json.dumps({"facts": kept})

    assert facts(reply) == kept
    if kept:
        assert facts(f"Here:\n```json\n{reply}\n```\nDone.") == kept


PIECES = some.lists(some.sampled_from([
    *"{}[]:,'\"\\ 1a\n\x00\ud800", '{"facts":', '["a"]', "</think>", "<think>", "```", "```json\n", "<|channel|>final",
    "<|message|>", "<|end|>", "null", "NaN", "1e999", "9" * 5000, "[" * 70, "{'" * 600, "]" * 70,
    '{"a":' * 990, "}" * 990,
]), max_size=30).map("".join)


@given(some.text() | JSON.map(json.dumps) | PIECES)
def test_no_reply_whatever_raises(text: str) -> None:
    for reply in (Facts, Summary, Graph):
        parsed: Parsed[Any] = parse(text, reply)
        assert (parsed.value is None) == (parsed.fault is not None)
