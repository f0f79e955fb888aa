"""What is kept of an answer: ids and numbers, no word that a message said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from trace_graph.config import RecallSettings
from trace_graph.models import Dropped, KeptAnswer, RecallItem, RecallResult, Why
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.dates import DateRange
from trace_graph.retrieve.question import Question
from trace_graph.retrieve.ranking import Scored
from trace_graph.retrieve.recall import Answer, RecallRequest
from trace_graph.retrieve.tracing import (
    MOST_CANDIDATES,
    MOST_OTHERS,
    KeptRecall,
    Parameters,
    Trace,
    TracedCandidate,
    TracedEmbedder,
    trace_of,
)

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SECRET = "walnut"


def scored(id: str, text: float = 1.0, part: tuple[int, int] | None = None) -> Scored:
    return Scored(
        Candidate(id, "space", "session", 1, "Mira", 100, 12, (SECRET,), 10, 0.5, ("text",), part),
        text, 0.5, 0.4, 0.0)


def item(id: str, rank: int, part: tuple[int, int] | None = None) -> RecallItem:
    return RecallItem(
        rank=rank, id=id, external_id=None, text=f"{SECRET} cake", part=part, author="Mira", occurred_at=NOW,
        session="session", topic_path=["cakes"], score=1.9, tokens=3, why=Why(words=[SECRET]))


def answer(
    ranked: Sequence[Scored], items: Sequence[RecallItem], passed_over: Mapping[str, Dropped] | None = None
) -> Answer:
    result = RecallResult(
        recall_id="recall", query="cake?", tokens=3, context=f"{SECRET} cake", items=list(items), topics=[])
    question = Question(
        "cake?", ("cake",), ("s1_cake",), frozenset({"Tomas", "Mira"}),
        (DateRange(19783, 19783, 1.0, 7.0), DateRange(11017, 11047, 1.0, 0.0, every_year=True)))
    return Answer(result, question, ranked, passed_over or {}, {one.id: "topic" for one in items})


def request(limit: int | None = None) -> RecallRequest:
    return RecallRequest("cake?", NOW, None if limit else 10, limit)


def kept(trace: Trace, spaces: tuple[str, ...] = ("space", "other")) -> KeptRecall:
    parameters = Parameters(
        budget=10, limit=None, asked_at=NOW, known_at=None, settings=RecallSettings().model_dump(),
        embedder=TracedEmbedder("static:x", 256, "abc"), version="1.2.3")
    return KeptRecall("recall", "cake?", spaces, (7, 9)[:len(spaces)], NOW, "tester", "library", parameters, trace)


def test_a_trace_says_what_was_scored_and_what_became_of_it() -> None:
    ranked = [scored("a", 3.0), scored("gone", 2.0), scored("b", 1.0, part=(0, 9)), scored("c", 0.5)]
    items = [item("a", 1), item("b", 2, part=(0, 9))]

    assert trace_of(request(), answer(ranked, items, {"gone": "not readable"})) == Trace(
        terms=("cake",), names=("Mira", "Tomas"), dates=(("2024-03-01", "2024-03-01"), ("03-01", "03-31")),
        signals=("text", "vector", "speaker", "date", "role", "near"), found=4,
        dropped={"not readable": 1, "budget": 1},
        candidates=(
            TracedCandidate("a", 3.9, (3.0, 0.5, 0.4, 0.0, 0.0, 0.0), ("text",), None, 3, 1, None, "topic"),
            TracedCandidate(
                "gone", 2.9, (2.0, 0.5, 0.4, 0.0, 0.0, 0.0), ("text",), None, 12, None, "not readable", None),
            TracedCandidate("b", 1.9, (1.0, 0.5, 0.4, 0.0, 0.0, 0.0), ("text",), (0, 9), 3, 2, None, "topic"),
            TracedCandidate("c", 1.4, (0.5, 0.5, 0.4, 0.0, 0.0, 0.0), ("text",), None, 12, None, "budget", None),
        ), others=())


def test_what_a_limit_cuts_off_is_dropped_for_the_limit() -> None:
    trace = trace_of(request(limit=1), answer([scored("a"), scored("b")], [item("a", 1)]))

    assert trace.dropped == {"limit": 1}


def test_nothing_scored_leaves_a_trace_that_says_so() -> None:
    trace = trace_of(request(), answer([], []))

    assert (trace.found, trace.candidates, trace.dropped, trace.signals) == (0, (), {}, ())


def test_the_best_candidates_and_all_that_was_shown_are_kept_and_of_the_others_their_ids() -> None:
    ranked = [scored(f"m{number}") for number in range(MOST_CANDIDATES + 3)]
    last = ranked[-1].candidate.id

    trace = trace_of(request(), answer(ranked, [item(last, 1)]))

    assert [one.id for one in trace.candidates] == [one.candidate.id for one in (*ranked[:MOST_CANDIDATES], ranked[-1])]
    assert trace.others == ("m200", "m201")
    assert trace.scored == {one.candidate.id for one in ranked}


@pytest.mark.parametrize(("more", "known"), [(MOST_OTHERS, True), (MOST_OTHERS + 1, False)])
def test_where_too_many_were_scored_the_others_are_not_kept(more: int, known: bool) -> None:
    ranked = [scored(f"m{number}") for number in range(MOST_CANDIDATES + more)]

    trace = trace_of(request(), answer(ranked, []))

    assert (trace.found, trace.scored is not None) == (MOST_CANDIDATES + more, known)


def test_an_answer_is_kept_with_its_recall_and_read_back() -> None:
    recall = replace(
        kept(trace_of(request(), answer([scored("a")], [item("a", 1)]))),
        answer=KeptAnswer(text="Walnut [1].", found=True, citations=["b", "a"], dropped=2, call_ids=["call"]))

    assert KeptRecall.of(recall.properties()) == recall
    assert recall.properties()["answered"] == '{"citations":["b","a"],"dropped":2,"call_ids":["call"]}'
    assert recall.cited() == [
        {"recall": "recall", "message": "a", "properties": {"rank": 2}},
        {"recall": "recall", "message": "b", "properties": {"rank": 1}}]
    assert recall.made() == [{"source": "call", "target": "recall"}]


def test_a_recall_is_read_back_as_it_was_kept() -> None:
    recall = kept(trace_of(request(), answer([scored("a"), scored("b", part=(3, 5))], [item("a", 1)])))

    assert KeptRecall.of(recall.properties()) == recall


def test_no_word_of_a_message_is_kept() -> None:
    recall = kept(trace_of(request(), answer([scored("a")], [item("a", 1)])))

    assert SECRET not in repr(recall.properties()) + repr(recall.used())


def test_a_recall_belongs_to_the_first_of_its_spaces_and_names_them_all() -> None:
    properties = kept(trace_of(request(), answer([], []))).properties()

    assert {name: properties[name] for name in ("space", "spaces", "change_seq", "change_seqs")} == {
        "space": "space", "spaces": ["space", "other"], "change_seq": 7, "change_seqs": [7, 9]}


def test_what_was_used_is_drawn_by_message_with_rank_score_and_tokens() -> None:
    recall = kept(trace_of(request(), answer([scored("z", 2.0), scored("a")], [item("z", 1), item("a", 2)])))

    assert recall.used() == [
        {"recall": "recall", "message": "a", "properties": {"rank": 2, "score": 1.9, "tokens": 3}},
        {"recall": "recall", "message": "z", "properties": {"rank": 1, "score": 2.9, "tokens": 3}},
    ]
