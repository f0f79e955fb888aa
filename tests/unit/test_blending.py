"""The walk's share of a ranking: what it may take, and what it never takes from the floor."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.config import RecallSettings
from trace_graph.retrieve.blending import blend, bottom_up, recovered, walked_share
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.ranking import Scored

FAR = 9.0
"""A reach that lets everything in."""


def scored(id: str, score: float, tokens: int = 10) -> Scored:
    return Scored(Candidate(id, "space", "session", 1, "Mira", 100, tokens, (), 10, 0.5, ("text",)), score, 0, 0, 0)


def ids(order: Sequence[Scored]) -> list[str]:
    return [one.candidate.id for one in order]


A, B, C, D, E, F = (scored(id, 6 - place) for place, id in enumerate("abcdef"))


def test_without_a_share_the_order_is_the_floors() -> None:
    assert ids(blend([A, B, C], [C, B], 0.0, FAR)) == ["a", "b", "c"]


def test_half_and_half_takes_turns_and_what_both_have_counts_for_the_floor() -> None:
    # B and C are the floor's next ones as well: then the walk may bring more.
    assert ids(blend([A, B, C, D, E, F], [B, C, F], 0.5, FAR)) == ["a", "b", "c", "f", "d", "e"]


def test_a_message_that_scores_far_below_the_floors_next_one_waits_for_its_place() -> None:
    near, far = scored("near", 5.5), scored("far", 1.2)

    assert ids(blend([A, B, C, D, E], [near, far], 0.5, 0.1)) == ["a", "near", "b", "c", "d", "e", "far"]


def test_what_only_the_branches_brought_comes_last_where_there_was_no_room_for_it() -> None:
    assert ids(blend([A, B], [E, F], 0.1, FAR)) == ["a", "b", "e", "f"]
    assert ids(blend([], [E, F], 0.1, FAR)) == ["e", "f"]


messages = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 60), st.booleans()), unique_by=lambda one: one[0])


@given(found=messages, share=st.floats(0, 0.5), reach=st.floats(0, 1))
def test_every_head_holds_the_floors_own_head_and_at_most_the_share_beyond_it(
    found: list[tuple[int, int, bool]], share: float, reach: float
) -> None:
    """So a walk that is always wrong costs no more than its share."""
    ranked = [scored(f"m{number}", 50 - number, tokens) for number, tokens, _ in sorted(found)]
    walked = [one for one, (_, _, inside) in zip(ranked, sorted(found), strict=True) if inside]

    order = blend(ranked, walked, share, reach)

    assert sorted(ids(order)) == sorted(ids(ranked))
    tokens = {one.candidate.id: min(one.candidate.tokens, 120) for one in ranked}
    for end in range(1, len(order) + 1):
        head = set(ids(order[:end]))
        first_missing = next((place for place, one in enumerate(ranked) if one.candidate.id not in head), len(ranked))
        beyond = sum(tokens[id] for id in head.difference(ids(ranked[:first_missing])))
        assert beyond <= share * sum(tokens[id] for id in head) + 1e-6


def test_a_branch_scores_by_its_three_best_messages_and_what_is_missing_counts_nothing() -> None:
    assert bottom_up([1.0, 4.0, 2.0, 3.0]) == 3.0
    assert bottom_up([3.0]) == 1.0
    assert bottom_up([]) == 0.0


@pytest.mark.parametrize(("walked", "best", "share"), [
    (2.0, 2.0, 0.4), (3.0, 2.0, 0.4), (1.0, 2.0, 0.2), (0.0, 2.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 2.0, 0.0)])
def test_the_share_falls_with_the_score_of_the_branches(walked: float, best: float, share: float) -> None:
    assert walked_share(walked, best, RecallSettings(walked_share=0.4)) == pytest.approx(share)


def test_recovered_is_what_is_shown_and_lies_outside_the_walk_in_the_order_shown() -> None:
    assert recovered(["c", "a", "b"], {"a"}) == ["c", "b"]
