"""What of a wording no source has: names, numbers and dates, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_graph.organize.grounding import Grounds, Source
from trace_graph.organize.words import UnigramLexicon, shipped_lexicon

AT = datetime(2023, 5, 8, 12, tzinfo=UTC)
SAID = [
    Source("I moved to Oslo yesterday with my 3 kids. It cost 1,200 euros.", "Mira", AT),
    Source("See you in June! The café near Frogner opens at 8:30.", "Tomas Berg", AT.replace(day=9)),
]


@pytest.fixture(scope="module")
def lexicon() -> UnigramLexicon:
    return shipped_lexicon()


@pytest.mark.parametrize(("text", "lacking"), [
    ("Mira moved to Oslo on 7 May 2023 with three kids for 1200 euros.", []),
    ("Mira's move to Oslo on 2023-05-07 cost 1.200 euros.", []),
    ("On Sunday, 7 May 2023, Mira moved. They meet in June 2023.", []),
    ("The cafe near Frogner opens at 8:30, says Berg.", []),
    ("In 2023 Mira moved, in May.", []),
    ("Mira moved to Bergen on 6 May 2023 with four kids for 1300 euros.", ["Bergen", "6 May 2023", "four", "1300"]),
    ("Xavier owns the café.", ["Xavier"]),
    ("Mira spoke of the café. Priya was there.", ["Priya"]),
    ("They meet in July, or in 2022.", ["July", "2022"]),
    ("NASA helped Mira on Wednesday.", ["NASA", "Wednesday"]),
    ("Mira moved between 3 May 2023 and 7 May 2023.", ["between 3 May 2023 and 7 May 2023"]),
])
def test_what_no_source_has_is_named_as_it_is_written(lexicon: UnigramLexicon, text: str, lacking: list[str]) -> None:
    assert Grounds(SAID, lexicon).lacking(text) == lacking


@pytest.mark.parametrize(("title", "lacking"), [
    ("Mira's move to Oslo", []), ("Moving with kids", []), ("Xavier's café", ["Xavier"]), ("Move of 2021", ["2021"]),
])
def test_a_title_is_held_against_the_sources_as_well(lexicon: UnigramLexicon, title: str, lacking: list[str]) -> None:
    assert Grounds(SAID, lexicon).lacking(title, is_title=True) == lacking


@pytest.mark.parametrize(("said", "text", "lacking"), [
    ("我昨天和李明去了上海，买了三本书。", "李明于2023年5月7日去了上海，买了三本书。", []),
    ("我昨天和李明去了上海，买了三本书。", "张伟去了上海，买了五本书。", ["张伟", "五"]),
    ("先週、田中さんと京都に行きました。", "田中さんと京都に行った。", []),
    ("先週、田中さんと京都に行きました。", "鈴木さんとパリに行った。", ["鈴木", "パリ"]),
    ("Вчера мы с Олегом были в Москве.", "Олег был в Москве 7 мая 2023 года.", []),
    ("Вчера мы с Олегом были в Москве.", "Иван был в Казани 6 мая 2023 года.", ["Иван", "Казани", "6 мая 2023"]),
    ("Ich war gestern mit Katja in Köln, wir haben zwei Räder gekauft.", "Katja war in Köln, mit 2 Räder.", []),
    ("Ich war gestern mit Katja in Köln, wir haben zwei Räder gekauft.", "Anja war in Bonn, mit drei Räder.",
     ["Anja", "Bonn", "drei"]),
    ("민수와 서울에 갔어요.", "민수는 서울에 갔다.", []),
    ("민수와 서울에 갔어요.", "영희는 부산에 갔다.", ["영희는", "부산에"]),
])
def test_other_languages_are_checked_too(lexicon: UnigramLexicon, said: str, text: str, lacking: list[str]) -> None:
    assert Grounds([Source(said, "", AT)], lexicon).lacking(text) == lacking


def test_a_date_that_depends_on_when_it_was_said_counts_only_where_that_is_known(lexicon: UnigramLexicon) -> None:
    of_a_child = Grounds([Source("Mira moved yesterday. The party was on 3 March 2022.")], lexicon)

    assert of_a_child.lacking("Mira moved on 7 May 2023; the party was in March 2022.") == ["7 May 2023"]


def test_a_date_in_the_words_of_a_source_is_there_whatever_year_stands_beside_it(lexicon: UnigramLexicon) -> None:
    sources = [Source("The boat was built in 1978.", "Mira", AT), Source("It needs all of July.", "Tomas", AT)]

    assert Grounds(sources, lexicon).lacking("The boat was built in 1978. It needs all of July.") == []


def test_words_that_are_known_besides_may_be_used(lexicon: UnigramLexicon) -> None:
    assert Grounds(SAID, lexicon, known=["Acme archive"]).lacking("The Acme archive has Mira's move.") == []


WORDS = st.lists(st.sampled_from([
    "Mira", "Oslo", "moved", "kids", "3", "three", "1,200", "8:30", "2021", "May", "2023", "yesterday", "李明", "去了",
    "上海", "Москве", "and", "the", ".", "!", "café", "Zürich"]), min_size=1, max_size=30)


@given(words=WORDS)
@settings(max_examples=60, deadline=None)
def test_what_a_source_says_it_never_lacks(words: list[str]) -> None:
    text = " ".join(words)

    assert Grounds([Source(text, "", AT)], shipped_lexicon()).lacking(text) == []
