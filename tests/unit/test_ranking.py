"""The ranking: what lifts a message, and what must not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.config import RecallSettings
from trace_graph.retrieve.asking import Meant
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.dates import DateRange
from trace_graph.retrieve.question import Question
from trace_graph.retrieve.ranking import rank

SETTINGS = RecallSettings()


def candidate(seq: int, *hits: str, cosine: float = 0.0, **more: object) -> Candidate:
    values: dict[str, object] = {
        "id": f"m{seq}",
        "space": "s",
        "session": "a",
        "seq": seq,
        "author": "Mira",
        "day": 100,
        "tokens": 10,
        "hits": hits,
        "length": 10,
        "cosine": cosine,
        "found_by": ("text",),
        **more,
    }
    return Candidate(**values)  # type: ignore[arg-type]  # a table of values


def question(*terms: str, names: tuple[str, ...] = (), ranges: tuple[DateRange, ...] = ()) -> Question:
    return Question("?", terms, tuple(f"s1_{term}" for term in terms), frozenset(names), ranges)


def order(candidates: list[Candidate], asked: Question, settings: RecallSettings = SETTINGS) -> list[str]:
    return [one.candidate.id for one in rank(candidates, asked, settings)]


def test_nothing_found_ranks_nothing() -> None:
    assert rank([], question("boat"), SETTINGS) == []


def test_a_rare_term_weighs_more_than_a_common_one() -> None:
    far = [candidate(seq * 10, "boat") for seq in range(1, 8)]

    assert order([*far, candidate(90, "petrel")], question("boat", "petrel"))[0] == "m90"


def test_nearer_in_meaning_is_better() -> None:
    assert order([candidate(10, cosine=0.1), candidate(20, cosine=0.9), candidate(30, cosine=0.5)], question()) == [
        "m20",
        "m30",
        "m10",
    ]


def test_neighbours_lift_each_other_only_within_the_window_of_one_session() -> None:
    found = [
        candidate(1, "petrel"),
        candidate(3),
        candidate(4),
        candidate(2, session="b", id="other session"),
        candidate(2, space="t", id="other space"),
    ]

    scored = {one.candidate.id: one.text for one in rank(found, question("petrel"), SETTINGS)}

    assert scored["m1"] > scored["m3"] > 0
    assert (scored["m4"], scored["other session"], scored["other space"]) == (0.0, 0.0, 0.0)


def test_each_signal_is_what_its_weight_says() -> None:
    range_ = DateRange(100, 100, 1.0, 7.0)
    one = rank([candidate(1, "petrel", cosine=0.5)], question("petrel", names=("Mira",), ranges=(range_,)), SETTINGS)[
        0
    ]

    assert [one.text, one.vector, one.speaker, one.date] == pytest.approx([1.25, 2 * (0.5 + 0.25 * 0.5), 0.4, 0.8])
    assert one.score == pytest.approx(1.25 + 1.25 + 0.4 + 0.8)


def test_short_turns_are_ranked_with_their_neighbours_and_long_ones_by_themselves() -> None:
    def gain_of_a_neighbour(tokens: int) -> float:
        found = [candidate(1, "petrel", tokens=tokens), candidate(2, tokens=tokens), candidate(50, tokens=tokens)]
        scores = {one.candidate.id: one.text for one in rank(found, question("petrel"), SETTINGS)}
        return scores["m2"]

    gains = [gain_of_a_neighbour(tokens) for tokens in (10, 60, 120, 133, 1_000)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 1.5 * gains[2]
    assert gains[3] == gains[4]  # a long message is scored by a passage


@pytest.mark.parametrize(("role", "first"), [("user", "m10"), ("assistant", "m20"), (None, "m20")])
def test_whose_words_are_asked_for_come_first(role: Meant | None, first: str) -> None:
    found = [
        candidate(10, "petrel", cosine=0.4, role="user", tokens=200),
        candidate(20, "petrel", cosine=0.45, role="assistant", tokens=200),
    ]
    asked = replace(question("petrel"), role=role)

    assert order(found, asked)[0] == first
    assert {one.role for one in rank(found, asked, SETTINGS)} == ({0.0, SETTINGS.role_weight} if role else {0.0})


def test_where_many_things_are_asked_for_a_neighbour_gives_way_to_what_is_as_good_elsewhere() -> None:
    found = [candidate(10, cosine=0.5), candidate(11, cosine=0.5), candidate(90, cosine=0.49)]
    alone = RecallSettings(window=0)

    assert order(found, question(), alone) == ["m10", "m11", "m90"]
    assert order(found, replace(question(), wants_many=True), alone) == ["m10", "m90", "m11"]


def test_equal_scores_stand_in_order_of_day_session_and_place_whatever_the_ids() -> None:
    found = [
        candidate(2, id="a"),
        candidate(1, id="z"),
        candidate(1, id="b", session="0"),
        candidate(9, id="y", day=99),
    ]

    assert order(found, question(), RecallSettings(window=0)) == ["y", "b", "z", "a"]
    assert order(found[::-1], question(), RecallSettings(window=0)) == ["y", "b", "z", "a"]


NUMBERS = st.floats(-1, 1)
CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(1, 30),
        st.sampled_from(["petrel", "boat"]),
        cosine=NUMBERS,
        length=st.integers(1, 500),
        day=st.integers(0, 20_000),
    ),
    max_size=20,
    unique_by=lambda one: one.seq,
)


@given(CANDIDATES)
def test_every_candidate_is_ranked_once_by_a_finite_score_that_falls(found: list[Candidate]) -> None:
    """PC-053."""
    ranked = rank(found, question("petrel", "boat"), SETTINGS)

    assert sorted(one.candidate.id for one in ranked) == sorted(one.id for one in found)
    assert all(math.isfinite(one.score) for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)


@given(CANDIDATES, st.randoms())
def test_the_order_in_which_candidates_come_does_not_matter(found: list[Candidate], random: object) -> None:
    mixed = list(found)
    random.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis's own Random

    assert [one.candidate.id for one in rank(mixed, question("petrel", "boat"), SETTINGS)] == [
        one.candidate.id for one in rank(found, question("petrel", "boat"), SETTINGS)
    ]
