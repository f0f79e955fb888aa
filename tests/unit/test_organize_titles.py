"""What topics are called."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_graph.models.ids import MessageId
from trace_graph.organize.titles import (
    CACHED_PHRASES,
    LONGEST_TITLE,
    Background,
    leaf_phrases,
    parent_phrases,
    title,
)
from trace_graph.organize.values import WaitingMessage
from trace_graph.organize.words import UnigramLexicon, clauses, key_of, shipped_lexicon

AT = datetime(2024, 5, 1, tzinfo=UTC)
POTTERY = [
    ("Melanie", "I signed up for a pottery class yesterday, the kids will love it."),
    ("Caroline", "A pottery class sounds great! Are the kids coming along?"),
    ("Melanie", "Yes, the kids want to make a bowl in the pottery class."),
    ("Caroline", "Wow, that is really awesome. Good for the kids!"),
]
RACE = [
    ("Melanie", "I ran a charity race for mental health last Saturday."),
    ("Caroline", "A charity race? How was the race?"),
    ("Melanie", "The charity race was tough, but it is good for my mental health."),
]


@pytest.fixture(scope="module")
def lexicon() -> UnigramLexicon:
    return shipped_lexicon()


def messages(lines: list[tuple[str, str]]) -> list[WaitingMessage]:
    return [WaitingMessage(MessageId(f"m{place}"), "s", place, author, text, None, AT)
            for place, (author, text) in enumerate(lines)]


def test_a_title_is_made_of_whole_words_and_pairs_as_they_are_written(lexicon: UnigramLexicon) -> None:
    phrases = leaf_phrases(messages(POTTERY), lexicon)
    others = Background.of([leaf_phrases(messages(RACE), lexicon)])

    assert title(phrases, others, lexicon) == "pottery class, kids"


def test_the_names_of_who_speaks_do_not_name_a_topic(lexicon: UnigramLexicon) -> None:
    lines = [("Melanie", "Caroline, I met Nadia at the harbour."), ("Caroline", "Mel, how was Nadia at the harbour?")]

    named = title(leaf_phrases(messages(lines), lexicon), Background.of([]), lexicon)

    assert sorted(named.split(", ")) == ["Nadia", "harbour"]


def test_a_word_of_every_topic_gives_way_to_a_word_of_this_one(lexicon: UnigramLexicon) -> None:
    phrases = ["basketball|9", "violin|5"]

    assert title(phrases, Background.of([]), lexicon) == "basketball, violin"
    assert title(phrases, Background.of([["basketball|3"]] * 20), lexicon) == "violin, basketball"


def test_a_topic_is_not_compared_with_itself(lexicon: UnigramLexicon) -> None:
    phrases = leaf_phrases(messages(POTTERY), lexicon)
    race = leaf_phrases(messages(RACE), lexicon)

    everyone = Background.of([phrases, race])

    assert everyone.less(phrases).rarity(key_of("pottery")) == Background.of([race]).rarity(key_of("pottery"))
    assert everyone.less(phrases).rarity(key_of("race")) == Background.of([race]).rarity(key_of("race"))


@pytest.mark.parametrize(("lines", "expected"), [
    (["我上周报名了陶艺课，孩子们也想去", "陶艺课在哪里？孩子几岁？", "孩子们很喜欢陶艺课"], "陶艺课, 孩子"),
    (["我对花生过敏", "花生过敏要当心", "过敏的药带了吗"], "花生过敏"),
    (["はい、来月結婚します", "結婚おめでとう！京都でラーメンを食べましょう", "結婚の準備は京都で"], "結婚, 京都"),
])
def test_unspaced_scripts_give_whole_words(lines: list[str], expected: str, lexicon: UnigramLexicon) -> None:
    phrases = leaf_phrases(messages([("user", line) for line in lines]), lexicon)

    assert title(phrases, Background.of([]), lexicon).startswith(expected)


@pytest.mark.parametrize(("lines", "expected"), [
    (["我的猫年糕生病了", "你带年糕去医院了吗", "年糕今天开始吃东西了"], {"年糕"}),
    (["我外婆教我做桂花糕", "今年桂花开得晚", "外婆做了桂花蜜", "我最喜欢桂花茶"], {"桂花", "外婆"}),
    (["我在西湖区租了公寓", "同事请我吃西湖醋鱼"], {"西湖"}),
    (["博物馆录了讲解", "昨天博物馆录了一天", "博物馆录得好"], {"博物馆", "录"}),
])
def test_chinese_words_are_not_cut(lines: list[str], expected: set[str], lexicon: UnigramLexicon) -> None:
    phrases = leaf_phrases(messages([("user", line) for line in lines]), lexicon)

    assert set(title(phrases, Background.of([]), lexicon).split(", ")) == expected


def test_a_word_of_one_message_stands_only_where_all_are_such(lexicon: UnigramLexicon) -> None:
    assert title(["pottery|3", "kiln|0.4"], Background.of([]), lexicon) == "pottery"
    assert title(["pottery|0.4", "kiln|0.4"], Background.of([]), lexicon) == "kiln, pottery"


def test_thai_marks_stay_on_their_letters(lexicon: UnigramLexicon) -> None:
    [clause] = clauses("ฉันไปเรียนทำเครื่องปั้นดินเผา", lexicon)

    assert clause[-2:] == ["เครื่อง", "ปั้นดินเผา"]


def test_addresses_and_code_name_nothing(lexicon: UnigramLexicon) -> None:
    text = "See https://example.org/pottery and\n```python\nimport flask\n```\nthe harbour"

    assert [word for clause in clauses(text, lexicon) for word in clause] == ["See", "and", "the", "harbour"]


def test_a_parent_is_called_by_what_its_children_share(lexicon: UnigramLexicon) -> None:
    children = [("violin, basketball", ["violin|6", "basketball|5"]), ("soup, basketball", ["soup|6", "basketball|4"]),
                ("basketball", ["basketball|7"])]

    phrases = parent_phrases(children, lexicon)

    assert title(phrases, Background.of([]), lexicon).startswith("basketball, ")


def test_siblings_have_different_titles(lexicon: UnigramLexicon) -> None:
    phrases = ["harbour|3"]

    assert title(phrases, Background.of([]), lexicon, taken=["harbour"]) == "harbour 2"
    assert title(phrases, Background.of([]), lexicon, taken=["harbour", "harbour 2"]) == "harbour 3"


@pytest.mark.parametrize(("text", "expected"), [
    ("Ok.  That is\ngreat!", "Ok. That is great!"),
    ("👍", "👍"),
    (" \n", "…"),
    ("so " * 40, ("so " * 40)[:47].rstrip() + "…"),
])
def test_a_topic_without_a_telling_word_is_called_by_what_was_said(
    text: str, expected: str, lexicon: UnigramLexicon,
) -> None:
    phrases = leaf_phrases(messages([("Ann", text)]), lexicon)

    assert title(phrases, Background.of([]), lexicon, otherwise=text) == expected


@settings(deadline=None)
@given(st.lists(st.text(max_size=80), max_size=6))
def test_a_title_is_never_empty_nor_too_long(texts: list[str]) -> None:
    lexicon = shipped_lexicon()
    phrases = leaf_phrases(messages([("Ann", text) for text in texts]), lexicon)

    first = title(phrases, Background.of([]), lexicon)
    second = title(phrases, Background.of([]), lexicon, taken=[first])

    assert len(phrases) <= CACHED_PHRASES
    assert 0 < len(first) <= LONGEST_TITLE
    assert first != second


def test_rarity_grows_from_common_to_rare_words(lexicon: UnigramLexicon) -> None:
    words = ["the", "time", "family", "guitar", "pottery"]

    rarities = [lexicon.rarity(word) for word in words]

    assert rarities == sorted(rarities)
    assert lexicon.rarity("的") < lexicon.rarity("孩子") < lexicon.rarity("陶艺课")
