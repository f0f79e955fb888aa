"""What is read out of a question before it is put to the database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trace_graph.access.scopes import Scope, Space
from trace_graph.models import SpaceId
from trace_graph.retrieve.question import MOST_TERMS, Question, read_question
from trace_graph.text.terms import MOST_CLAUSES

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def space(key: str, *authors: str) -> Space:
    return Space(SpaceId(key), key, key, "UTC", "root", 0, 0, authors, 1)


def read(text: str, *spaces: Space) -> Question:
    return read_question(text, Scope(spaces or (space("s1", "Mira", "Tomas Holt", "user", "小明"),)), NOW)


def test_terms_are_asked_for_under_the_key_of_every_space_and_each_once() -> None:
    question = read("Sailing boats, and SAILING boats!", space("s1"), space("s2"))

    assert question.terms == ("sail", "boat")
    assert question.keys == ("s1_sail", "s1_boat", "s2_sail", "s2_boat")
    assert question.searches == ["terms:(s1_sail s1_boat s2_sail s2_boat)"]


def test_the_name_of_a_speaker_is_a_signal_and_no_term() -> None:
    question = read("What did Mira say about boats?")

    assert (question.names, question.terms) == (frozenset({"Mira"}), ("say", "boat"))


def test_where_only_names_are_asked_for_they_are_the_terms() -> None:
    question = read("Mira?")

    assert (question.names, question.terms) == (frozenset({"Mira"}), ("mira",))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Tomas?", {"Tomas Holt"}),
        ("did HOLT call", {"Tomas Holt"}),
        ("Miranda", set()),
        ("tomas holt and mira", {"Tomas Holt", "Mira"}),
        ("小明说了什么", {"小明"}),
        ("what did the user say", set()),
        ("to", set()),
    ],
)
def test_a_speaker_is_named_by_a_whole_word_of_the_name(text: str, names: set[str]) -> None:
    assert read(text).names == frozenset(names)


@pytest.mark.parametrize(
    ("words", "spaces", "searches"), [(5_000, 1, 1), (5_000, 3, 3), (3, 300, 1), (4, 300, 2), (7, 1_000, 8)]
)
def test_what_one_keyword_query_cannot_hold_is_asked_by_several_and_no_term_is_dropped(
    words: int, spaces: int, searches: int
) -> None:
    """PC-055: the terms of one space stand together, since a message is ranked by all of them."""
    text = " ".join(f"word{number}" for number in range(words))

    question = read(text, *(space(f"s{number}") for number in range(spaces)))

    asked = [search.removeprefix("terms:(").removesuffix(")").split() for search in question.searches]
    assert [key for keys in asked for key in keys] == list(question.keys)
    assert len(question.keys) == spaces * min(words, MOST_TERMS)
    assert len(asked) == searches
    assert max(map(len, asked)) <= MOST_CLAUSES
    assert sum(len({key.partition("_")[0] for key in keys}) for keys in asked) == spaces


def test_the_terms_of_a_message_that_are_asked_for_are_told_from_the_rest() -> None:
    question = read("Boats and oars?", space("s1"), space("s2"))

    assert question.hits("s2_boat s2_petrel s2_oar s2_boat") == (("boat", "oar", "boat"), 4)
    assert question.hits(None) == ((), 0)


@pytest.mark.parametrize("text", ["", " \n", "?!", "the and of", "\u200b"])
def test_a_question_without_a_term_asks_the_index_nothing(text: str) -> None:
    question = read(text, space("s1"))

    assert (question.terms, question.keys, question.searches) == ((), (), [])


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", False),
        ("  ", False),
        ("\u200b\ufeff", False),
        ("...", False),
        ("¿?", False),
        ("+-*/=<>", False),
        ("$", False),
        ("the", True),
        ("7", True),
        ("花", True),
        ("🙂", True),
        ("ة", True),
    ],
)
def test_bare_punctuation_means_nothing(text: str, meant: bool) -> None:
    assert read(text, space("s1")).has_meaning is meant


def test_a_scope_of_no_space_asks_nothing() -> None:
    assert read_question("Where is the boat?", Scope(()), NOW).searches == []


def test_dates_are_read() -> None:
    assert [one.first for one in read("What happened on 2 January 1970?").ranges] == [1]
