from __future__ import annotations

import pytest

from trace_graph.text.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("one", 2),
        ("one two three", 4),
        ("word " * 100, 133),
        ("我对花生过敏", 6),
        ("我对花生过敏。", 7),
        ("はい、来月結婚します", 10),
        ("ฉันแพ้ถั่วลิสง", 14),
        ("I ate 花生 today", 6),
        ("naïve café", 3),
        ("uses <|endoftext|> here", 4),
    ],
)
def test_tokens_are_words_times_a_third_more(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens
