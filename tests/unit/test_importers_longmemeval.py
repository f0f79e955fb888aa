from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from trace_graph.bench.questions import Question, longmemeval_questions
from trace_graph.errors import InvalidInput, NotFound
from trace_graph.ingest.importers import longmemeval
from trace_graph.ingest.importers.lines import Item, Parsed, Rejected, Unit
from trace_graph.models import MessageInput

rejected = partial(Rejected, unit=Unit.ITEM)
"""Items of a document, whose places are counted and not its lines."""

USER, ASSISTANT = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}
OFFICIAL: dict[str, Any] = {
    "question_id": "q1", "question_type": "single-session-user", "question": "What?", "answer": "Ho",
    "question_date": "2023/05/30 (Tue) 23:40", "answer_session_ids": ["answer_2"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 00:00", "2023/05/22 (Mon) 23:59"],
    "haystack_session_ids": ["sharegpt_1", "empty", "answer_2"],
    "haystack_sessions": [[USER], [], [USER, {**ASSISTANT, "has_answer": True}]],
}
EVIDENCE: dict[str, Any] = {
    "question_id": "q2", "question_type": "multi-session", "question": "Which?", "answer": ["Ho"],
    "question_date": "2023/05/30 (Tue) 23:40", "answer_session_ids": ["q2_answer_1"],
    "evidence_sessions": [{"date": "2023/05/20 (Sat) 02:21", "turns": [USER, ASSISTANT]}],
}
WRAPPED: dict[str, Any] = {
    "source": "s",
    "data": [{
        "id": "w1", "question_type": "abstention",
        "conversation": [
            {**USER, "date": "2023/05/20 (Sat) 07:34"}, {**ASSISTANT, "date": "2023/05/20 (Sat) 07:34"},
            {**USER, "date": "2023/05/21 (Sun) 07:34"},
        ],
        "questions": [{"id": "abs1", "question": "Who?", "answer": "Nobody said."}],
    }],
}


def written(tmp_path: Path, document: object) -> Path:
    file = tmp_path / "lme.json"
    file.write_text(json.dumps(document))
    return file


def read(tmp_path: Path, document: object, samples: list[str] | None = None) -> list[Item]:
    return list(longmemeval.read(written(tmp_path, document), samples))


def told(line: int, turn: dict[str, str], session: str, at: str, external_id: str) -> Parsed:
    role: Any = turn["role"]
    return Parsed(
        line, MessageInput(text=turn["content"], role=role, session=session, at=at, external_id=external_id), Unit.ITEM
    )


FROM_OFFICIAL = [
    told(1, USER, "q1/session_1", "2023-05-20T02:21:00", "q1:1:1"),
    told(2, USER, "q1/session_3", "2023-05-22T23:59:00", "q1:3:1"),
    told(3, ASSISTANT, "q1/session_3", "2023-05-22T23:59:01", "q1:3:2"),
]


def test_the_official_shape_is_read_by_places_and_never_by_session_ids(tmp_path: Path) -> None:
    items = read(tmp_path, [OFFICIAL])

    assert items == FROM_OFFICIAL
    assert "answer" not in repr(items)


def test_evidence_turns_are_sessions_of_their_own(tmp_path: Path) -> None:
    assert read(tmp_path, [OFFICIAL, EVIDENCE], ["q2"]) == [
        told(4, USER, "q2/session_1/turn_1", "2023-05-20T02:21:00", "q2:1:1"),
        told(5, ASSISTANT, "q2/session_1/turn_2", "2023-05-20T02:21:01", "q2:1:2"),
    ]


def test_the_wrapped_shape_is_cut_where_the_date_changes(tmp_path: Path) -> None:
    assert read(tmp_path, WRAPPED) == [
        told(1, USER, "w1/session_1", "2023-05-20T07:34:00", "w1:1:1"),
        told(2, ASSISTANT, "w1/session_1", "2023-05-20T07:34:01", "w1:1:2"),
        told(3, USER, "w1/session_2", "2023-05-21T07:34:00", "w1:2:1"),
    ]


def test_a_bad_turn_does_not_stop_the_others(tmp_path: Path) -> None:
    sessions = [["x", {"role": "user"}, USER], [USER], [USER]]
    record = {
        "question_id": "q1", "haystack_sessions": sessions,
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/13/01 10:00"],
    }

    assert read(tmp_path, [record]) == [
        rejected(1, "q1, session 1, turn 1: the turn is not a JSON object."),
        rejected(2, "q1, session 1, turn 2: content is not there."),
        told(3, USER, "q1/session_1", "2023-05-20T02:21:02", "q1:1:3"),
        rejected(4, "q1, session 2, turn 1: the date '2023/13/01 10:00' does not exist."),
        rejected(5, "q1, session 3, turn 1: its session has no date."),
    ]


def test_an_unknown_question_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no sample 'q9'") as caught:
        read(tmp_path, [OFFICIAL, EVIDENCE], ["q9"])

    assert caught.value.fix == "It has q1, q2."


@pytest.mark.parametrize("document", [{}, [1], [OFFICIAL, OFFICIAL], [{"question_id": "a"}], {"data": [{"id": "x"}]}])
def test_another_file_is_refused(tmp_path: Path, document: object) -> None:
    with pytest.raises(InvalidInput, match="is not LongMemEval: question"):
        read(tmp_path, document)


def test_questions_name_the_turns_that_answer_them(tmp_path: Path) -> None:
    asked = datetime(2023, 5, 30, 23, 40, tzinfo=UTC)

    assert longmemeval_questions(written(tmp_path, [OFFICIAL, EVIDENCE])) == [
        Question("q1", "What?", "single-session-user", ("q1:3:2",), "q1", asked),
        Question("q2", "Which?", "multi-session", ("q2:1:1", "q2:1:2"), "q2", asked),
    ]
    [wrapped] = longmemeval_questions(written(tmp_path, WRAPPED))
    assert wrapped == Question("w1:abs1", "Who?", "abstention", (), "w1", None)
    assert not wrapped.scored
