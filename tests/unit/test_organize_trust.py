"""When a model is followed."""

from __future__ import annotations

import pytest

from trace_graph.organize.trust import NO_EVIDENCE, REMEMBERED, Evidence, evidence_of


@pytest.mark.parametrize(("evidence", "trusted", "given_up"), [
    (NO_EVIDENCE, False, False), (Evidence(7, 7), False, False), (Evidence(8, 4), True, False),
    (Evidence(8, 3), False, False), (Evidence(20, 9), False, True), (Evidence(20, 20, 19, 19), True, False),
    (Evidence(20, 20, 20, 10), False, True), (Evidence(20, 20, 20, 8), True, False)])
def test_a_model_is_followed_when_it_gets_half_of_the_controls_right_and_picks_what_is_alike(
    evidence: Evidence, trusted: bool, given_up: bool,
) -> None:
    assert (evidence.trusted, evidence.given_up) == (trusted, given_up)
    assert (evidence.doubt is None) is trusted


def test_a_model_that_becomes_worse_is_noticed_however_long_it_was_good() -> None:
    evidence = NO_EVIDENCE
    for _ in range(100):
        evidence = evidence.plus(Evidence(5, 5))
    assert evidence == Evidence(REMEMBERED, REMEMBERED)

    bad = 0
    while evidence.trusted:
        evidence, bad = evidence.plus(Evidence(5, 0)), bad + 1

    assert bad == 8
    assert evidence.controls == REMEMBERED


def test_what_calls_keep_is_evidence_again() -> None:
    figures = [Evidence(5, 4, 10, 2.5).figures, {"controls": 5, "agreed": 5, "trusted": 1.0}, {}]

    assert evidence_of(figures) == Evidence(10, 9, 10, 2.5)
