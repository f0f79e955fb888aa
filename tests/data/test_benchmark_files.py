"""The real benchmark files, where they are present: figures counted once and known from their papers."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from trace_graph.bench.questions import Question, beam_questions, locomo_questions, longmemeval_questions
from trace_graph.ingest.importers.detect import detect, read_file
from trace_graph.ingest.importers.lines import Parsed
from trace_graph.models import MessageInput

DATA = Path(__file__).parents[2] / os.environ.get("TRACE_GRAPH_TEST_DATA", "../shared/data")

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no benchmark files: set TRACE_GRAPH_TEST_DATA to their folder"
)


def messages(name: str, samples: list[str] | None = None) -> list[MessageInput]:
    """All messages of a file; each item must be one, with an external id of its own."""
    items = list(read_file(DATA / name, "auto", samples))
    found = [item.message for item in items if isinstance(item, Parsed)]
    assert len(found) == len(items)
    assert len({message.external_id for message in found}) == len(found)
    return found


def sessions(found: list[MessageInput]) -> int:
    return len({message.session for message in found})


def scored(questions: list[Question]) -> dict[str, int]:
    return dict(Counter(question.category for question in questions if question.scored))


@pytest.mark.parametrize(("name", "format"), [
    ("locomo/locomo10.json", "locomo"), ("longmemeval/s_demo_3.json", "longmemeval"),
    ("longmemeval/evidence_only.json", "longmemeval"), ("longmemeval/oracle_sample.json", "longmemeval"),
    ("longmemeval/abstention_sample.json", "longmemeval"), ("beam/100K", "beam"), ("beam/100K/3/chat.json", "beam"),
])
def test_the_formats_are_told(name: str, format: str) -> None:
    assert detect(DATA / name) == format


def test_locomo_has_5882_messages_in_272_sessions_of_10_samples() -> None:
    found = messages("locomo/locomo10.json")

    assert (len(found), sessions(found), len({message.session.split("/")[0] for message in found})) == (5882, 272, 10)
    assert sum(message.text.endswith("]") for message in found) >= 1226
    assert found[2] == MessageInput(
        text="I went to a LGBTQ support group yesterday and it was so powerful.", author="Caroline",
        session="conv-26/session_1", at="2023-05-08T13:56:02", external_id="conv-26:D1:3",
    )


def test_one_locomo_sample_is_read_alone() -> None:
    found = messages("locomo/locomo10.json", ["conv-30"])

    assert (len(found), sessions(found)) == (369, 19)


def test_locomo_has_1986_questions_and_1982_of_them_name_evidence() -> None:
    questions = locomo_questions(DATA / "locomo/locomo10.json")

    assert Counter(question.category for question in questions) == {"1": 282, "2": 321, "3": 96, "4": 841, "5": 446}
    assert scored(questions) == {"1": 282, "2": 321, "3": 92, "4": 841, "5": 446}
    assert questions[1] == Question(
        "conv-26:qa1", "When did Melanie paint a sunrise?", "2", ("conv-26:D1:12",), "conv-26"
    )


@pytest.mark.parametrize(("name", "counts"), [
    ("s_demo_3", (1576, 149)), ("evidence_only", (896, 896)),
    ("oracle_sample", (306, 26)), ("abstention_sample", (458, 48)),
])
def test_longmemeval_is_read_whole_and_no_gold_session_is_given_away(name: str, counts: tuple[int, int]) -> None:
    found = messages(f"longmemeval/{name}.json")

    assert (len(found), sessions(found)) == counts
    assert [m.external_id for m in found if "answer" in f"{m.session} {m.external_id} {m.author} {m.content}"] == []


def test_longmemeval_has_479_questions_with_896_evidence_turns() -> None:
    questions = longmemeval_questions(DATA / "longmemeval/evidence_only.json")
    pool = {message.external_id for message in messages("longmemeval/evidence_only.json")}

    assert (len(questions), sum(scored(questions).values())) == (500, 479)
    assert [each for question in questions for each in question.evidence] == [
        message.external_id for message in messages("longmemeval/evidence_only.json")
    ]
    assert len(pool) == 896


def test_the_evidence_of_a_whole_history_is_where_its_turns_say() -> None:
    questions = longmemeval_questions(DATA / "longmemeval/s_demo_3.json")

    assert {question.id: question.evidence for question in questions}["e47becba"] == ("e47becba:53:5", "e47becba:53:6")


def test_beam_has_5732_messages_in_20_chats() -> None:
    found = messages("beam/100K")

    assert (len(found), sessions(found)) == (5732, 90)
    assert len({str(message.external_id).split(":")[0] for message in found}) == 20


def test_beam_has_400_questions_and_355_of_them_name_evidence() -> None:
    questions = beam_questions(DATA / "beam/100K")

    assert len(questions) == 400
    assert scored(questions) == {
        "contradiction_resolution": 40, "event_ordering": 40, "information_extraction": 40, "instruction_following": 40,
        "knowledge_update": 40, "multi_session_reasoning": 40, "preference_following": 39, "summarization": 36,
        "temporal_reasoning": 40,
    }
