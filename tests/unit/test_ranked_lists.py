"""The lists that recall begins with: how vectors are ranked, and whose neighbours are read."""

from __future__ import annotations

import pytest

from trace_graph.config import RecallSettings
from trace_graph.retrieve.ranked_lists import Found, most_promising, over_fetch, scan_is_cheaper, search_is_safe

SETTINGS = RecallSettings(vector_weight=2.0, speaker_weight=0.4)


def found(**scores: float) -> dict[str, Found]:
    return {id: Found(score, "Mira" if id.startswith("mira") else "Tomas") for id, score in scores.items()}


def promising(text: dict[str, Found], vector: dict[str, Found], *names: str, most: int = 9) -> list[str]:
    return most_promising(text, vector, set(names), SETTINGS.model_copy(update={"expanded_large": most}))


def test_a_message_of_both_lists_comes_first_and_the_rest_by_what_it_may_score() -> None:
    text, vector = found(words=8.0, both=6.0, few=2.0), found(near=0.5, both=0.4, far=0.2)

    assert promising(text, vector) == ["both", "words", "near", "few", "far"]
    assert promising(text, vector, most=2) == ["both", "words"]


def test_the_scale_of_the_keyword_scores_does_not_matter() -> None:
    """The engines differ in it by a factor."""
    text, vector = found(words=8.0, both=6.0, few=2.0), found(near=0.5, both=0.4, far=0.2)
    scaled = {id: Found(one.score * 2.2, one.author) for id, one in text.items()}

    assert promising(scaled, vector) == promising(text, vector)


def test_what_a_named_speaker_said_is_more_promising() -> None:
    text = found(other=5.0, mira=4.0)

    assert (promising(text, {}), promising(text, {}, "Mira")) == (["other", "mira"], ["mira", "other"])


def test_one_list_alone_keeps_its_order_and_none_gives_nothing() -> None:
    ranked = found(a=3.0, b=2.0, c=1.0)

    assert (promising(ranked, {}), promising({}, ranked), promising({}, {})) == (["a", "b", "c"], ["a", "b", "c"], [])


@pytest.mark.parametrize(
    ("readable", "stored", "scans"),
    [
        (20, 50_000, True),
        (0, 0, True),
        (600, 1_000, True),
        (4_472, 50_000, True),
        (4_473, 50_000, False),
        (50_000, 50_000, False),
    ],
)
def test_a_small_share_is_scanned_and_a_large_one_taken_from_the_index(
    readable: int, stored: int, scans: bool
) -> None:
    assert scan_is_cheaper(readable, stored, 200) is scans


@pytest.mark.parametrize(
    ("readable", "stored", "fetched"),
    [(10_000, 10_000, 300), (5_000, 50_000, 3_000), (0, 10, 3_000), (10_000, 1, 200)],
)
def test_the_smaller_the_share_the_more_is_fetched(readable: int, stored: int, fetched: int) -> None:
    assert over_fetch(readable, stored, 200) == fetched


@pytest.mark.parametrize(("indexed", "fetch", "safe"), [(399, 200, False), (400, 200, True), (0, 1, False)])
def test_an_index_that_filters_is_asked_for_at_most_half_of_what_it_has(indexed: int, fetch: int, safe: bool) -> None:
    assert search_is_safe(indexed, fetch) is safe
