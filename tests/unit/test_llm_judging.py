"""What one completion is worth, whatever stands in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.unit.test_llm_asking import Facts, no_walnuts, question
from tests.unit.test_llm_parsing import JSON, PIECES
from trace_graph.llm.completions import Completion
from trace_graph.llm.judging import LONGEST_FAULT, judge
from trace_graph.llm.purposes.probe import request as probe
from trace_graph.llm.reading_json import LONGEST

CONTENT = some.none() | some.text() | PIECES | JSON.map(str)
COMPLETIONS = some.builds(
    Completion, content=CONTENT, reasoning=CONTENT, finish=some.sampled_from([None, "stop", "length", "x"]),
    tokens_in=some.none(), tokens_out=some.none() | some.integers(0, 9))


@given(COMPLETIONS)
def test_no_completion_whatever_raises(completion: Completion) -> None:
    requests: list[Any] = [question(check=no_walnuts), probe()]
    for request in requests:
        verdict = judge(completion, request)
        assert (verdict.then == "take") <= (verdict.value is not None)
        assert len(verdict.fault or "") <= LONGEST_FAULT and len(verdict.reply or "") <= LONGEST


@pytest.mark.parametrize("where", ["content", "reasoning"])
def test_a_reply_that_is_nested_too_deeply_is_never_taken(where: str) -> None:
    for depth in (100, 600, 990, 5000):
        text = '{"facts":' + "[" * depth + "]" * depth + "}"
        fields = {"content": None, "reasoning": None, where: text}
        verdict = judge(Completion(finish="stop", tokens_in=1, tokens_out=1, **fields), question(Facts))
        assert (verdict.value, verdict.outcome) == (None, "malformed" if where == "content" else "empty")
