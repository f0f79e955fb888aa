from __future__ import annotations

import re
import timeit
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.text.terms import LONGEST_TERM, MOST_CLAUSES, STOP_WORDS, lucene_query, prefixed, terms, words


def test_terms_are_stemmed_in_order_with_repeats_and_without_stop_words() -> None:
    assert terms("Don't you love the pottery classes? Pottery, in 2023!") == [
        "love", "potteri", "class", "potteri", "2023",
    ]


def test_the_stop_list_is_the_recipes() -> None:
    assert len(STOP_WORDS) == 140
    assert terms(" ".join(sorted(STOP_WORDS))) == []


def test_a_curly_apostrophe_splits_as_a_straight_one_does() -> None:
    assert terms("doesn’t Mira’s") == terms("doesn't Mira's") == ["mira"]


@pytest.mark.parametrize(
    "variants",
    [
        ["İstanbul", "istanbul", "ISTANBUL", "I\u0307stanbul"],
        ["Straße", "STRASSE", "strasse"],
        ["ＳｙｓｔｅｍＡｄｍｉｎ", "systemadmin", "SYSTEMADMIN"],
        ["café", "cafe\u0301", "CAFÉ"],
        ["ışık", "IŞIK"],
        ["ΟΔΟΣ", "οδος", "οδός".replace("ό", "ο")],
        ["Pet\u00adrel", "Petrel\u200b", "\ufeffPETREL"],
        ["ガ", "ｶﾞ", "カ\u3099"],
        ["Apple™", "apple"],
    ],
)
def test_variants_of_one_word_meet(variants: list[str]) -> None:
    assert {tuple(terms(variant)) for variant in variants} == {tuple(terms(variants[0]))}
    assert len(terms(variants[0])) == 1


def test_a_part_of_unspaced_text_is_found_in_it() -> None:
    assert terms("我对花生过敏") == ["我对", "对花", "花生", "生过", "过敏"]
    assert terms("花生") == ["花生"]
    assert terms("猫") == ["猫"]
    assert set(terms("결혼")) <= set(terms("다음 달에 결혼합니다"))
    assert set(terms("結婚")) <= set(terms("はい、来月結婚します"))
    assert set(terms("ถั่ว")) <= set(terms("ฉันแพ้ถั่วลิสง"))


def test_scripts_are_told_apart_within_a_word() -> None:
    assert terms("iPhone手机3台") == ["iphon", "手机", "3", "台"]


def test_marks_stay_in_their_word() -> None:
    assert terms("हिन्दी क्षत्रिय") == ["हिन्दी", "क्षत्रिय"]


def test_cyrillic_is_stemmed_as_russian() -> None:
    assert terms("книги книга книгами") == ["книг"] * 3


@pytest.mark.parametrize("text", ["", "  \n", "🚀❤️👍🏽", "the of and", "?!*~", "\u200b", "\ud800"])
def test_a_text_without_terms_gives_none(text: str) -> None:
    assert terms(text) == []


def test_a_long_word_is_its_beginning_and_a_hash() -> None:
    first, second = terms("x" * 5_000 + "1 " + "x" * 5_000 + "2")

    assert len(first) == len(second) == LONGEST_TERM
    assert first != second
    assert first[:84] == "x" * 84


def test_special_tokens_are_ordinary_text() -> None:
    assert terms("ends with <|endoftext|> and the template uses <|im_start|>user and [INST]") == [
        "end", "endoftext", "templat", "use", "im", "start", "imstart", "user", "inst",
    ]


@given(st.text())
def test_terms_hold_only_letters_digits_and_marks(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term) <= LONGEST_TERM
        assert all(letter.isalnum() or unicodedata.category(letter)[0] == "M" for letter in term)


@given(st.text(), st.text())
def test_the_terms_of_two_texts_are_the_terms_of_both(first: str, second: str) -> None:
    assert terms(f"{first} \n {second}") == terms(first) + terms(second)


@given(st.text())
def test_composed_and_decomposed_text_have_equal_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(st.text(st.characters(codec="ascii")))
def test_ascii_text_next_to_other_text_has_the_same_terms(text: str) -> None:
    assert terms(f"{text} é")[:-1] == terms(text)


@pytest.mark.parametrize(("text", "whole"), [
    ("see A-1234.", "a1234"), ("api.v2.users fails", "apiv2users"), ("write to ann@example.com", "annexamplecom"),
    ("3.14", "314"), ("192.168.0.1", "19216801"), ("snake_case_name", "snakecasename"), ("设备A-1234号坏了", "a1234"),
    ("release v1.2.3-rc1", "v123rc1"), ("covid-19", "covid19"), ("КБ-7 и ann@example.com", "annexamplecom"),
])
def test_an_identifier_is_a_term_in_one_piece_as_well(text: str, whole: str) -> None:
    assert whole in terms(text)


@pytest.mark.parametrize("text", ["well-known", "and/or", "e.g. this", "U.S. law", "note:this"])
def test_words_that_are_merely_joined_are_no_identifier(text: str) -> None:
    assert terms(text) == terms(re.sub("[-/.:]", " ", text))


def test_an_identifier_keeps_its_parts() -> None:
    assert terms("api.v2.users")[:3] == ["api", "v2", "user"]


def test_a_row_of_joints_takes_no_more_time_than_words() -> None:
    def seconds(text: str) -> float:
        return min(timeit.repeat(lambda: terms(text), number=1, repeat=3))

    assert seconds("a." * 100_000 + "é") < 20 * seconds("aa " * 66_000 + "é")


def test_threads_share_the_stemmer_safely() -> None:
    texts = [f"running{number} nationally{number} ponies{number}ing" for number in range(2_000)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(terms, texts))

    assert found == [terms(text) for text in texts]


def test_words_are_as_written() -> None:
    assert words("The Pottery-class of ＡＢＣ, café, 我对花生过敏") == [
        "The", "Pottery", "class", "of", "ABC", "café", "我对花生过敏",
    ]


def test_prefixed_puts_the_spaces_key_in_front() -> None:
    assert prefixed(["potteri", "class"], "s7") == ["s7_potteri", "s7_class"]


def test_a_query_asks_for_each_term_once() -> None:
    assert lucene_query(["s7_b", "s7_a", "s7_b"]) == "terms:(s7_b s7_a)"


def test_no_terms_give_no_query() -> None:
    assert lucene_query([]) == ""
    assert lucene_query([""]) == ""


def test_a_query_has_a_thousand_clauses_at_most() -> None:
    assert lucene_query(str(number) for number in range(3_000)) == f"terms:({' '.join(map(str, range(MOST_CLAUSES)))})"


QUESTIONS = [
    "wind/weather", 'either/or "maybe', "time: 10:30", "(a AND", "foo^", "a && b", "[1 TO", "{x", "\\",
    "C:\\boats\\petrel.txt", "~petrel", "!", "*", "?", "***", '""', '\\"', "OR", " " * 5_000, "NORDAN TRIAL",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_question_reaches_the_query_as_syntax(question: str) -> None:
    assert re.fullmatch(r"|terms:\((s7_\w+)( s7_\w+)*\)", lucene_query(prefixed(terms(question), "s7")))


def test_syntax_in_a_term_is_escaped_all_the_same() -> None:
    assert lucene_query(["AND", "a b", "c:d*", "(x)", "-y"]) == r"terms:(\AND a\ b c\:d\* \(x\) \-y)"
