"""What is asked of a recall, checked before anything is looked for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trace_graph.config import RecallSettings
from trace_graph.errors import InvalidInput
from trace_graph.memory.recalling import recall_request


@pytest.mark.parametrize(
    ("question", "named"), [("a\ud800", "the lone surrogate U+D800"), ("a\x00b", "a NUL character")])
def test_a_question_that_no_database_takes_is_refused_by_name(question: str, named: str) -> None:
    with pytest.raises(InvalidInput, match="The question holds") as refused:
        recall_request(question, None, None, asked_at=None, known_at=None, now=datetime(2026, 1, 1, tzinfo=UTC),
                       settings=RecallSettings())
    assert named in refused.value.message


def test_a_question_has_a_documented_length() -> None:
    def asked(question: str) -> str:
        return recall_request(question, None, None, asked_at=None, known_at=None, now=datetime(2026, 1, 1, tzinfo=UTC),
                              settings=RecallSettings()).query

    assert len(asked("launch " * 14_285)) == 99_995
    with pytest.raises(InvalidInput, match="140,000 characters; at most 100,000"):
        asked("launch " * 20_000)
