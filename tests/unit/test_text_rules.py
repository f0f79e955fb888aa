from __future__ import annotations

import json
import math
import unicodedata
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.errors import InvalidInput
from trace_graph.text.rules import (
    SPACE_NAME_RULE,
    author_name,
    check_content,
    check_text,
    external_id,
    session_name,
    space_name,
)

KEPT_TEXTS = [
    "...", "a\x1b[31mred", "\x85x", "a\u2028b", "lone\rreturn", "tail  \n", "e\u0301", "ｆｕｌｌ", "🏳️‍🌈",
    "The file ends with <|endoftext|> and the template uses <|im_start|>user and [INST].",
]


@pytest.mark.parametrize("text", KEPT_TEXTS)
def test_text_is_returned_unchanged(text: str) -> None:
    assert check_text(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "   \n\t", "\u200b\u200d\ufeff", "\u00a0\u2003", "\U000e0041\U000e0042", "\u2800", "\u202e\x07", "\ufe0f"],
)
def test_blank_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="is blank"):
        check_text(text)


def test_nul_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_text("ab\x00c")

    assert refused.value.message == "A message's text holds a NUL character (U+0000) at position 2."


def test_a_lone_surrogate_is_refused_with_code_point_and_place() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_text("héllo\ud83d!")

    assert refused.value.message == (
        "A message's text holds half a character (the lone surrogate U+D83D) at position 5."
    )


def test_text_is_measured_in_bytes() -> None:
    fits = "é" * (2 * 1024 * 1024)

    assert check_text(fits) == fits
    with pytest.raises(InvalidInput, match="longer than 4 MiB"):
        check_text(fits + "a")


def test_text_of_another_type_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is text, not bytes"):
        check_text(b"abc")  # type: ignore[arg-type]


@given(st.text())
def test_text_is_kept_or_refused_with_a_fix(text: str) -> None:
    try:
        assert check_text(text) == text
    except InvalidInput as refused:
        assert refused.fix


@pytest.mark.parametrize(
    "name",
    [
        "default", "a-b", "main", "or", "123", "_", "x", "n" * 128, "crew_x", "mira@example.org", "null", "undefined",
        "Mira's notes",
        "花生日记", "ذاكرة", "हिन्दी", "🚀", "👩‍🚀 crew", "❤️", "👍🏽", "a~b", "#1", ".hidden", "\U0001fae8",
        str(uuid.UUID(int=7)),
    ],
)
def test_space_names_that_are_accepted(name: str) -> None:
    assert space_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "", " ", ".", "..", " a", "a ", "a  b", "a/b", "a\\b", "p:q", "a%2Fb", "a\tb", "a\nb", "a\x00b", "a\u2028b",
        "-x", "a.", "a*", "a?", 'a"b', "a<b", "a|b", "a\u200bb", "a\u202eb", "a\u200db", "a\ufe0f", "Petrel\u200b",
        "\U000e0041x", "\u0301x", "\u3164", "\ud800", "\ue000", "\ufdd0", "n" * 129, "花" * 81, "x" * 40_000,
    ],
)
def test_space_names_that_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        space_name(name)

    assert refused.value.fix


@pytest.mark.parametrize("name", ["a\uff1ab", "a\uff0fb", "\uff0e\uff0e/x", "\u2025", "a\uff3cb", "a\uff05b", "\u2026"])
def test_a_space_name_is_normalised_before_it_is_checked(name: str) -> None:
    with pytest.raises(InvalidInput):
        space_name(name)


def test_spellings_of_one_space_name_meet() -> None:
    assert space_name("ｃｒｅｗ") == "crew"
    assert space_name("cafe\u0301") == space_name("café") == "café"


@pytest.mark.parametrize("name", [1, 1.0, True, None, uuid.UUID(int=1), b"a", ["a"]])
def test_a_space_name_that_is_not_text_is_refused_with_the_rule(name: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        space_name(name)

    assert refused.value.message == f"A space's name is text, not {type(name).__name__}."
    assert refused.value.fix == SPACE_NAME_RULE


@given(st.text(min_size=1, max_size=20))
def test_an_accepted_space_name_is_stable_and_fit_for_a_path(name: str) -> None:
    try:
        accepted = space_name(name)
    except InvalidInput:
        return

    assert space_name(accepted) == accepted
    assert not set(accepted) & set('/\\:*?"<>|%\x00') and accepted not in (".", "..")
    assert accepted == accepted.strip() and len(accepted.encode()) <= 240


@pytest.mark.parametrize("check", [session_name, author_name])
def test_labels_that_look_the_same_are_the_same(check: object) -> None:
    spellings = [
        "Petrel", "Petrel ", "\u00a0Petrel", "Petrel\u200b", "\ufeffPetrel", "Pet\u202erel", "Petrel\u200d",
        "\tPetrel\n",
    ]

    assert {check(name) for name in spellings} == {"Petrel"}  # type: ignore[operator]


def test_white_space_in_a_label_becomes_one_space() -> None:
    assert author_name("Pet\n \trel") == "Pet rel"
    assert session_name("2024-05-01\u202810:00") == "2024-05-01 10:00"


def test_labels_keep_what_shapes_them() -> None:
    assert author_name("👩‍🚀 می‌خواهم ❤️") == "👩‍🚀 می‌خواهم ❤️"
    assert author_name("Zoe\u0308") == "Zoë"


@pytest.mark.parametrize("name", ["", " \t", "\u200b", "a\x1b[31m", "a\x00", "\udc00", "a" * 257, None, 7, True])
def test_labels_that_are_refused(name: object) -> None:
    for check in (session_name, author_name):
        with pytest.raises(InvalidInput) as refused:
            check(name)
        assert refused.value.fix


@given(st.text(max_size=30))
def test_a_label_is_stable(name: str) -> None:
    try:
        label = author_name(name)
    except InvalidInput:
        return

    assert author_name(label) == label
    assert unicodedata.is_normalized("NFC", label)


@pytest.mark.parametrize("value", ["conv-26:D3:7", " spaced ", "a/b:c%2F", "Ä" * 256, "e\u0301", "ｘ"])
def test_an_external_id_is_kept_exactly(value: str) -> None:
    assert external_id(value) == value


@pytest.mark.parametrize("value", ["", "  ", "\u200b", "a\nb", "a\x00", "\ud800", "Ä" * 257, 5, None])
def test_external_ids_that_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        external_id(value)

    assert refused.value.fix


def test_content_is_kept_as_json_in_the_order_received() -> None:
    content = [{"type": "text", "text": "héllo 🚀"}, {"z": 1, "a": [True, None, 1.5, -3]}, ()]

    assert check_content(content) == '[{"type":"text","text":"héllo 🚀"},{"z":1,"a":[true,null,1.5,-3]},[]]'
    assert check_content(None) is None
    assert check_content("plain") == '"plain"'
    assert check_content({}) == "{}"


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def test_content_is_32_deep_at_most() -> None:
    assert check_content(nested(32)) == "[" * 32 + "1" + "]" * 32
    assert check_content([[[]]]) == "[[[]]]"
    with pytest.raises(InvalidInput, match="deeper than 32"):
        check_content(nested(33))


def endless() -> object:
    value: list[object] = []
    value.append(value)
    return value


def doubling() -> object:
    value: object = ["x"]
    for _ in range(30):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    "content",
    [
        math.nan, [math.inf], {"a": -math.inf}, {1: "a"}, {None: 1}, {"a": {1, 2}}, b"x", object(), {"a": "\x00"},
        {"\ud800": 1}, ["\udfff"], 10**400, {"a": "x" * (1024 * 1024)}, ["é" * 600_000], endless(), doubling(),
        [0] * 600_000,
    ],
    ids=lambda content: type(content).__name__,
)
def test_content_that_is_not_json_or_too_large_is_refused(content: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_content(content)

    assert refused.value.fix


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), inner, max_size=4),
    max_leaves=20,
)


@given(JSON.filter(lambda value: value is not None))
def test_json_content_survives_the_round_trip(content: object) -> None:
    text = check_content(content)

    assert text is not None
    assert json.loads(text) == content
