"""Chinese words are put right by how they stand in all messages of a topic."""

from __future__ import annotations

from trace_graph.organize.unspaced import Clauses, respelled


def spelled(*clauses: str) -> list[Clauses]:
    """Messages of one clause each; words are divided by spaces."""
    return [[clause.split()] for clause in clauses]


def test_two_characters_that_always_stand_together_are_one_word() -> None:
    assert respelled(spelled("我 的 年 糕", "带 年 糕 去")) == spelled("我 的 年糕", "带 年糕 去")


def test_a_particle_is_no_part_of_a_word() -> None:
    assert respelled(spelled("我 的 猫", "你 的 猫")) == spelled("我 的 猫", "你 的 猫")


def test_a_character_that_also_stands_alone_is_a_word_of_its_own() -> None:
    said = spelled("好 茶", "好 茶", "茶 香")

    assert respelled(said) == said


def test_of_a_row_that_stands_once_the_word_is_kept_that_others_have_too() -> None:
    assert respelled(spelled("桂花开 晚", "老桂花树", "桂花茶")) == spelled("桂花 晚", "桂花", "桂花")


def test_a_part_with_the_same_neighbour_each_time_is_no_word() -> None:
    """`博物` is followed by `馆` whatever comes then."""
    assert respelled(spelled("博物馆长", "看博物馆展")) == spelled("博物馆", "博物馆")


def test_what_is_not_chinese_stays() -> None:
    said = spelled("the pottery class", "京都 で ラーメン", "เครื่อง ปั้นดินเผา", "кошка")

    assert respelled(said) == said
