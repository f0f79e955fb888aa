"""Which titles and summaries of a model are refused, and in which words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trace_graph.llm.prompt_files import prompt
from trace_graph.llm.purposes.summarise import TopicSummary
from trace_graph.organize.grounding import Grounds, Source
from trace_graph.organize.wording_faults import Faults, faults
from trace_graph.organize.words import shipped_lexicon

SYSTEM = prompt("summarise_leaves").text
GOOD = "Mira moved to Oslo with three kids, and it cost her 1200 euros; she likes the harbour and the new school."


def found(title: str, summary: str, *, tokens: int = 40, titled: bool = True) -> Faults:
    grounds = Grounds([Source(
        "I moved to Oslo with my 3 kids for 1,200 euros and like the harbour and the new school.", "Mira",
        datetime(2023, 5, 8, tzinfo=UTC))], shipped_lexicon())
    return faults(
        TopicSummary(label="T1", title=title, summary=summary), tokens=tokens, grounds=grounds, taken=["Harbour walks"],
        prompt=SYSTEM, titled=titled)


def test_a_good_wording_has_no_fault() -> None:
    assert found("Move to Oslo", GOOD) == Faults([], [])


@pytest.mark.parametrize(("summary", "fault"), [
    ("", "the summary is empty"),
    (" … \n", "the summary is empty"),
    ("and " * 30, "the summary repeats itself"),
    ("She moved to Oslo. " * 8, "the summary repeats itself"),
    ("她去了奥斯陆。" * 5, "the summary repeats itself"),
    ('{"title": "TopicSummary", "type": "object", "properties": {}}', "the summary repeats the request"),
    ("Take names, numbers and dates from the messages only. Do not count, guess or add.",
     "the summary repeats the request"),
    (f"{GOOD} She likes the kids, the euros, the school, and how new all of it is, and likes to move on again.",
     "the summary is too long: at most 22 words"),
    ("Xavier moved to Oslo with 4 kids.", "this is not in its sources, leave it out: 'Xavier', '4'"),
])
def test_a_summary_that_is_none_is_refused(summary: str, fault: str) -> None:
    assert found("Move to Oslo", summary) == Faults([fault], [])


@pytest.mark.parametrize(("title", "fault"), [
    ("", "the title is empty"),
    ("harbour  walks", "another topic has this title"),
    ("Mira moved to Oslo with kids for euros and likes the school", "the title has more than 48 characters"),
    ("Xavier's move", "this is not in its sources, leave it out: 'Xavier'"),
])
def test_a_title_that_is_none_is_refused(title: str, fault: str) -> None:
    assert found(title, GOOD) == Faults([], [fault])


def test_a_word_that_the_summary_writes_small_is_no_name_in_a_title() -> None:
    good = "Mira likes the harbour on her journey."

    assert not found("Journey to the Harbour", good)
    assert found("Voyage to the Harbour", good).title == ["this is not in its sources, leave it out: 'Voyage'"]


def test_the_root_needs_no_title() -> None:
    assert not found("", GOOD, titled=False)


def test_a_topic_that_was_left_out_is_named() -> None:
    missing = faults(None, tokens=10, grounds=Grounds([], shipped_lexicon()), taken=[], prompt=SYSTEM)

    assert str(missing) == "no title and summary were written"
