"""The sample conversation of the benchmark is whole: its questions point at messages that are there."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from itertools import groupby
from pathlib import Path

SAMPLE = json.loads((Path(__file__).parents[2] / "bench/sample/sample.json").read_text(encoding="utf-8"))
MESSAGES, QUESTIONS = SAMPLE["messages"], SAMPLE["questions"]


def test_messages_and_questions_have_their_fields_and_no_others() -> None:
    message = {"session", "role", "author", "text", "at", "external_id"}
    question = {"id", "question", "category", "evidence"}

    assert {frozenset(one) for one in MESSAGES} == {frozenset(message)}
    assert {frozenset(one) for one in QUESTIONS} == {frozenset(question), frozenset(question | {"asked_at"})}


def test_ids_are_unique_and_evidence_is_there() -> None:
    ids = [one["external_id"] for one in MESSAGES]
    questions = [one["id"] for one in QUESTIONS]

    assert (len(set(ids)), len(set(questions))) == (len(ids), len(questions))
    assert [one["id"] for one in QUESTIONS if not one["evidence"] or not set(one["evidence"]) <= set(ids)] == []


def test_sessions_follow_each_other_in_time_with_an_offset() -> None:
    times = [datetime.fromisoformat(one["at"]) for one in MESSAGES]

    assert all(time.tzinfo is not None for time in times)
    assert times == sorted(times)
    assert [name for name, _ in groupby(one["session"] for one in MESSAGES)] == list(
        dict.fromkeys(one["session"] for one in MESSAGES))


def test_it_holds_what_it_is_for() -> None:
    """Several categories, answers of an assistant with markdown, four scripts, equal messages."""
    categories = Counter(one["category"] for one in QUESTIONS)
    texts = Counter(one["text"] for one in MESSAGES)
    everything = "\n".join(texts)

    assert categories == {
        "single": 36, "several": 14, "when": 16, "breadth": 7, "identifier": 9, "chinese": 11, "other-language": 7}
    assert (len(MESSAGES), len({one["session"] for one in MESSAGES})) == (242, 12)
    assert texts["Sounds good!"] == 4
    wanted = ("api.v2.users", "A-1234", "@", "## ", "```", "友達", "свёкла", "avó", "猫")
    assert [part for part in wanted if part not in everything] == []
