from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.text.display import clip, visible

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07 nel\x85 del\x7f", "bell\\x07 nel\\x85 del\\x7f"),
        ("over\rwrite", "over\\rwrite"),
        ("a\u2028b", "a\\u2028b"),
        ("Mira\u202egnp.exe", "Mira\\u202egnp.exe"),
        ("nice weather\U000e0069\U000e0067", "nice weather\\U000e0069\\U000e0067"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("half \ud83d", "half \\ud83d"),
        ("pass\u200dword", "pass\\u200dword"),
        ("x\ufe0f\U000e0100\U000e0101", "x\ufe0f\\U000e0100\\U000e0101"),
        ("花\u200d\u200d\u200c", "花\\u200d\\u200d\\u200c"),
        ("back\\slash", "back\\slash"),
    ],
)
def test_what_is_live_or_hidden_is_shown_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    ["plain", "👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 1️⃣", "🇩🇪🇫🇷", ENGLAND, "می‌خواهم", "क्‍ष",
     "葛\U000e0100", "e\u0301", "tab\tline\nend"],
)
def test_normal_writing_survives(text: str) -> None:
    assert visible(text) == text


def test_line_ends_are_kept_or_shown() -> None:
    assert visible("a\r\nb\tc\n") == "a\nb\tc\n"
    assert visible("a\r\nb\tc\n", one_line=True) == "a\\r\\nb\\tc\\n"


@given(st.text(st.characters(), max_size=30))
def test_nothing_live_is_left(text: str) -> None:
    shown = visible(text, one_line=True)

    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff]", shown)
    shown.encode()


@given(st.text(st.characters(), max_size=30))
def test_showing_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("two words", 5, "two…"),
        ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 10, "👨‍👩‍👧‍👦…"),
        ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 5, "…"),
        ("🇩🇪🇫🇷🇳🇴", 4, "🇩🇪…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_a_text_is_clipped_between_graphemes(text: str, limit: int, cut: str) -> None:
    assert clip(text, limit) == cut


@given(st.text(st.sampled_from("a \u0301\u200d🇩👍🏽क्ष")), st.integers(0, 20))
def test_a_clipped_text_keeps_to_its_limit(text: str, limit: int) -> None:
    cut = clip(text, limit)

    assert len(cut) <= limit
    assert text.startswith(cut.removesuffix("…"))


@pytest.mark.parametrize("unit", ["👨‍👩‍👧‍👦", "🇩🇪", "हिन्दी", "ฉันแพ้ถั่ว"])
def test_a_cut_of_a_large_text_is_valid(unit: str) -> None:
    cut = clip(unit * (200_000 // len(unit)), 1_000)

    assert cut.encode().decode() == cut
    assert 980 < len(cut) <= 1_000
