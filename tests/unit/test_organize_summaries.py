"""What summaries without a model say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_graph.models.ids import MessageId, RevisionId, TopicId
from trace_graph.organize.summaries import (
    LEAF_TOKENS,
    PARENT_TOKENS,
    ChildSummary,
    Draft,
    leaf_draft,
    parent_draft,
    same,
)
from trace_graph.organize.values import WaitingMessage
from trace_graph.organize.words import UnigramLexicon, shipped_lexicon
from trace_graph.text.tokens import count_tokens

AT = datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
NO_MEAN = np.zeros(3)


@pytest.fixture(scope="module")
def lexicon() -> UnigramLexicon:
    return shipped_lexicon()


def message(
    place: int, text: str, vector: tuple[float, ...] | None = (1, 0, 0), author: str = "Melanie",
) -> WaitingMessage:
    unit = None if vector is None else (np.array(vector) / np.linalg.norm(vector)).astype(np.float32)
    return WaitingMessage(MessageId(f"m{place}"), "s", place, author, text, unit, AT + timedelta(days=place))


def child(number: int, title: str, text: str, count: int) -> ChildSummary:
    return ChildSummary(TopicId(f"t{number}"), RevisionId(f"r{number}"), title, text, count)


def test_a_leaf_quotes_what_is_central_with_speaker_and_date_in_order_of_time(lexicon: UnigramLexicon) -> None:
    messages = [
        message(0, "Hey! I signed up for a pottery class yesterday.", (1, 0.1, 0)),
        message(1, "Cool! When does it start?", (1, 0.1, 0), "Caroline"),
        message(2, "The pottery class is on Tuesday evening.", (1, 0.5, 0)),
        message(3, "My neighbour sold his car.", (-0.2, 0, 1)),
    ]

    draft = leaf_draft("pottery class", messages, ["pottery class|2", "pottery|2"], NO_MEAN, lexicon)

    assert draft == Draft(
        "pottery class",
        "Melanie, 8 May 2023: I signed up for a pottery class yesterday.\n"
        "Melanie, 10 May 2023: The pottery class is on Tuesday evening.",
        ("m0", "m2"))


def test_dates_are_of_the_zone(lexicon: UnigramLexicon) -> None:
    messages = [message(0, "I moved to Osaka in spring.")]

    draft = leaf_draft("Osaka", messages, ["Osaka|1"], NO_MEAN, lexicon, zone=ZoneInfo("Asia/Tokyo"))

    assert draft.text == "Melanie, 9 May 2023: I moved to Osaka in spring."


def test_what_was_said_twice_is_quoted_once_where_there_is_something_else(lexicon: UnigramLexicon) -> None:
    same_vector = (1.0, 0.0, 0.0)
    said = ["The pottery class is on Tuesday.", "The pottery class is on Tuesday.", "Tuesday is pottery class."]
    messages = [message(place, text, same_vector) for place, text in enumerate(said)]
    messages += [message(3, "The pottery teacher lives near the river.", (0.7, 0.7, 0)),
                 message(4, "Our pottery oven reaches 1200 degrees.", (0.7, 0, 0.7))]

    draft = leaf_draft("pottery", messages, ["pottery|5"], NO_MEAN, lexicon)

    assert draft.sources[-2:] == ("m3", "m4")


def test_an_assistants_set_phrases_give_way_to_what_the_user_said(lexicon: UnigramLexicon) -> None:
    messages = [
        message(0, "I moved my garden plants to the balcony.", author="user"),
        message(1, "Great question! Here are some tips for your garden plants:", author="assistant"),
        message(2, "I hope this helps! Let me know if you have more questions about plants.", author="assistant"),
    ]

    draft = leaf_draft("garden plants", messages, ["garden plants|3"], NO_MEAN, lexicon)

    assert draft.sources == ("m0",)


@pytest.mark.parametrize("text", ["ok", "👍", "Really?", "[a photo of a dog]", "- - -"])
def test_where_nothing_says_much_it_is_quoted_all_the_same(text: str, lexicon: UnigramLexicon) -> None:
    draft = leaf_draft("t", [message(0, text, None)], [], NO_MEAN, lexicon)

    assert (draft.text, draft.sources) == (f"Melanie, 8 May 2023: {text}", ("m0",))


def test_unspaced_scripts_are_cut_into_sentences_and_clipped(lexicon: UnigramLexicon) -> None:
    long = "我们陶艺课下周要学拉坯" + "孩子们很期待" * 20 + "。"
    messages = [message(0, f"你好！{long}谢谢！", author="小王")]

    draft = leaf_draft("陶艺课", messages, ["陶艺课|1"], NO_MEAN, lexicon)

    assert draft.text.startswith("小王, 8 May 2023: 我们陶艺课下周要学拉坯孩子们很期待")
    assert draft.text.endswith("…")
    assert count_tokens(draft.text) <= LEAF_TOKENS // 3


def test_a_parent_gives_each_child_a_line_the_largest_first() -> None:
    children = [
        child(1, "violin", "Ann, 2 May 2023: I bought a bow.\nAnn, 1 May 2023: The violin is old.", 5),
        child(2, "soup, kitchen", "Bob, 3 May 2023: We cooked soup.", 9),
    ]

    assert parent_draft("violin, soup", children) == Draft(
        "violin, soup",
        "soup, kitchen — Bob, 3 May 2023: We cooked soup.\n"
        "violin — Ann, 1 May 2023: The violin is old. / Ann, 2 May 2023: I bought a bow.",
        ("r2", "r1"))


def test_a_grandparent_names_what_is_in_its_children_and_repeats_no_quote() -> None:
    text = "violin, bow — Ann, 1 May 2023: The violin is old.\nAlso: piano; drums; and 2 more"
    children = [replace(child(1, "music", text, 5), inner=True)]

    assert parent_draft("all", children).text == "music — violin, bow; piano; drums"


def test_a_dash_in_a_quote_is_no_title() -> None:
    children = [child(1, "music", "Ann, 1 May 2023: The violin — an old one — is mine.", 5)]

    assert parent_draft("all", children).text == "music — Ann, 1 May 2023: The violin — an old one — is mine."


@pytest.mark.parametrize("vague", ["Totally agree with that, Caroline.", "Life is about learning new things."])
def test_what_could_be_said_of_anything_gives_way(vague: str, lexicon: UnigramLexicon) -> None:
    """Although it is the most central of all."""
    messages = [
        message(0, "The adoption interview was in the old tower.", (1, 0.3, 0)),
        message(1, vague, (1, 0, 0)),
        message(2, "The orphanage has eleven cots.", (1, 0, 0.3), "Caroline"),
        message(3, "The notary stamped every document.", (1, -0.3, -0.3)),
    ]

    assert leaf_draft("t", messages, [], NO_MEAN, lexicon).sources == ("m0", "m2", "m3")


def test_children_beyond_the_space_are_named() -> None:
    children = [child(number, f"title {number:02d}", "Ann, 1 May 2023: " + "many words here " * 9, 50 - number)
                for number in range(12)]

    draft = parent_draft("all", children)

    lines = draft.text.splitlines()
    assert len(lines) == 5
    assert lines[-1] == "Also: " + "; ".join(f"title {number:02d}" for number in range(4, 12))
    assert draft.sources == tuple(f"r{number}" for number in range(12))


def test_children_without_a_summary_are_named() -> None:
    assert parent_draft("all", [child(1, "music", "", 3), child(2, "soup", "", 4)]) == Draft(
        "all", "soup; music", ("r2", "r1"))


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=40), st.text(max_size=300), st.integers(1, 99)),
                min_size=1, max_size=12))
def test_a_parents_summary_keeps_to_its_size(given_children: list[tuple[str, str, int]]) -> None:
    children = [child(number, title, text, count) for number, (title, text, count) in enumerate(given_children)]

    draft = parent_draft("all", children)

    assert sorted(draft.sources) == sorted(one.revision for one in children)
    assert count_tokens(draft.text) <= PARENT_TOKENS + 40 * 2


@settings(deadline=None)
@given(st.lists(st.text(max_size=200), min_size=1, max_size=8))
def test_a_leafs_summary_keeps_to_its_size_and_names_its_sources(texts: list[str]) -> None:
    messages = [message(place, text, None) for place, text in enumerate(texts)]

    draft = leaf_draft("t", messages, [], NO_MEAN, shipped_lexicon())

    assert count_tokens(draft.text) <= LEAF_TOKENS
    assert len(draft.text.splitlines()) == len(draft.sources)
    assert set(draft.sources) <= {one.id for one in messages}


def test_only_a_changed_wording_is_due() -> None:
    draft = Draft("title", "text", ("m1",))

    assert same(draft, "title", "text")
    assert not same(draft, "title", "other")
    assert not same(draft, "other", "text")
