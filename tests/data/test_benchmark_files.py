"""The real benchmark files, where they are present: figures counted once and known from their papers."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from trace_graph.bench.datasets import Name, Selection, half_of, read_dataset
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


@pytest.mark.parametrize(("selection", "sizes"), [
    (Selection("locomo", DATA / "locomo/locomo10.json"), (10, 5882, 1982, 4)),
    (Selection("locomo", DATA / "locomo/locomo10.json", half="report"), (5, 3122, 985, 4)),
    (Selection("locomo", DATA / "locomo/locomo10.json", pooled=True), (1, 5882, 1982, 4)),
    (Selection("longmemeval", DATA / "longmemeval/evidence_only.json"), (1, 896, 479, 21)),
    (Selection("longmemeval", DATA / "longmemeval/s_demo_3.json"), (3, 1576, 3, 0)),
    (Selection("beam", DATA / "beam/100K"), (20, 5732, 355, 45)),
    (Selection("multilingual", DATA / "multilingual/pairs.json"), (1, 73, 50, 0)),
])
def test_what_is_measured_has_its_known_size(selection: Selection, sizes: tuple[int, int, int, int]) -> None:
    """Pools, messages, questions that are asked, questions that name no evidence."""
    dataset = read_dataset(selection)

    assert (
        len(dataset.pools), sum(len(pool.messages) for pool in dataset.pools),
        sum(len(pool.questions) for pool in dataset.pools), dataset.unscored) == sizes
    assert dataset.rejected == 0


@pytest.mark.parametrize(("id", "evidence"), [
    ("conv-26:qa37", "D8:6 D9:17"), ("conv-42:qa88", "D1:18 D1:20"),
    ("conv-43:qa18", "D1:14 D2:7 D4:7 D5:15 D11:26 D20:21 D26:36"), ("conv-49:qa31", "D9:1 D4:4 D4:6"),
    ("conv-49:qa38", "D22:1 D22:2 D9:10 D9:11"), ("conv-49:qa46", "D21:18 D21:22 D11:15 D11:19"),
    ("conv-50:qa69", "D30:5"),
])
def test_dirty_evidence_is_parsed(id: str, evidence: str) -> None:
    """`D8:6; D9:17` and `D9:1 D4:4 D4:6` in one string, `D:11:26`, `D30:05`, a lone `D`."""
    questions = {question.id: question.evidence for question in locomo_questions(DATA / "locomo/locomo10.json")}

    assert questions[id] == tuple(f"{id.split(':', maxsplit=1)[0]}:{each}" for each in evidence.split())


def test_evidence_that_does_not_exist_is_dropped() -> None:
    known = {message.external_id for message in messages("locomo/locomo10.json")}

    named = [each for one in locomo_questions(DATA / "locomo/locomo10.json") for each in one.evidence]
    assert [each for each in named if each not in known] == []


def test_the_halves_share_no_question_and_lack_none() -> None:
    counts = {}
    for name, file in (("locomo", "locomo/locomo10.json"), ("longmemeval", "longmemeval/evidence_only.json"),
                       ("beam", "beam/100K")):
        dataset = read_dataset(Selection(cast(Name, name), DATA / file))
        halves = Counter(half_of(dataset.name, question) for pool in dataset.pools for question in pool.questions)
        counts[name] = dict(sorted(halves.items()))

    assert counts == {
        "locomo": {"report": 985, "tune": 997}, "longmemeval": {"report": 245, "tune": 234},
        "beam": {"report": 176, "tune": 179}}


def test_no_evidence_of_the_pool_has_a_neighbour() -> None:
    """Every turn is a session of its own: a NEXT between gold turns would give them away."""
    pool = read_dataset(Selection("longmemeval", DATA / "longmemeval/evidence_only.json")).pools[0]

    assert len({message.session for message in pool.messages}) == len(pool.messages)


def test_the_chinese_paraphrases_and_the_questions_across_languages_are_told_apart() -> None:
    pool = read_dataset(Selection("multilingual", DATA / "multilingual/pairs.json")).pools[0]

    assert Counter(question.category for question in pool.questions) == {
        "chinese_paraphrases": 30, "cross_language": 20}
