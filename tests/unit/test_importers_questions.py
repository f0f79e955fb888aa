from __future__ import annotations

import json
from pathlib import Path

import pytest

from trace_graph.bench.questions import Question, locomo_questions
from trace_graph.errors import InvalidInput, NotFound


def written(tmp_path: Path, *questions: object) -> Path:
    turns = [{"speaker": "Ann", "dia_id": f"D8:{turn}", "text": "x"} for turn in range(1, 8)]
    conversation = {"session_8_date_time": "1:56 pm on 8 May, 2023", "session_8": turns}
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([
        {"sample_id": "c-1", "qa": [], "conversation": {}},
        {"sample_id": "c-2", "qa": questions, "conversation": conversation},
    ]))
    return file


@pytest.mark.parametrize(("evidence", "ids"), [
    (["D8:6"], ("c-2:D8:6",)),
    (["D8:6; D8:7"], ("c-2:D8:6", "c-2:D8:7")),
    (["D:8:6", "D8:06"], ("c-2:D8:6",)),
    (["D08:05 D9:1", "D", "D8:5"], ("c-2:D8:5",)),
    (["D30:05"], ()),
    ([], ()),
])
def test_dirty_evidence_is_cleaned_and_unknown_ids_are_dropped(
    tmp_path: Path, evidence: list[str], ids: tuple[str, ...]
) -> None:
    file = written(tmp_path, {"question": "Who?", "answer": 3, "category": 2, "evidence": evidence})

    [found] = locomo_questions(file, ["c-2"])

    assert found == Question("c-2:qa0", "Who?", "2", ids, "c-2")
    assert found.scored is bool(ids)


def test_samples_pick_questions(tmp_path: Path) -> None:
    file = written(tmp_path, {"question": "Who?", "category": 5, "evidence": []})

    assert locomo_questions(file, ["c-1"]) == []
    with pytest.raises(NotFound, match="no sample 'c-3'"):
        locomo_questions(file, ["c-3"])


@pytest.mark.parametrize(("entry", "message"), [
    ("x", "c-2, question 0 is not a JSON object."),
    ({"evidence": []}, "A question cannot be read: question is not there."),
])
def test_a_broken_question_is_refused(tmp_path: Path, entry: object, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        locomo_questions(written(tmp_path, entry))

    assert caught.value.message == message
