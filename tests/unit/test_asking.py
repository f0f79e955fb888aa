"""How a question asks: whose words, how many things, which words only ask."""

from __future__ import annotations

import pytest

from trace_graph.retrieve.asking import asks_for_many, meant_role, without_asking_words

USERS = (
    "What did I say about the petrel?", "When is my dentist appointment?", "Where do we keep the spare key?",
    "Remind me when my flight leaves.", "How would you repair my boat?", "Can you recommend a film for me to watch?",
    "我把自行车卖给谁了？", "我的猫叫什么？",
)
ASSISTANTS = (
    "What did you recommend for dinner?", "Which brand was it that you mentioned?",
    "I forgot what you said about tyres.",
    "What was your advice on the leak?", "In our previous chat about gin, what was the fifth bottle?",
    "Did you suggest a hotel to me?", "你之前推荐的餐厅叫什么？", "你的建议是什么？",
)
NEITHER = (
    "Where does Mira live?", "Summarize what I learned about sails.", "Give me a recap of our talks.", "Ben 住在哪里？",
    "总结一下我学到的东西",
)


@pytest.mark.parametrize("question", USERS)
def test_first_person_means_the_users_words(question: str) -> None:
    assert meant_role(question) == "user"


@pytest.mark.parametrize("question", ASSISTANTS)
def test_what_you_said_means_the_assistants_words(question: str) -> None:
    assert meant_role(question) == "assistant"


@pytest.mark.parametrize("question", NEITHER)
def test_a_summary_or_a_third_person_means_nobodys(question: str) -> None:
    assert meant_role(question) is None


@pytest.mark.parametrize("question", [
    "List all my trips.", "How many bikes did I service?", "In what order did we visit them?", "Summarise the project.",
    "我一共去过几个国家？", "列出我养过的宠物", "我有哪些爱好？",
])
def test_breadth_is_heard(question: str) -> None:
    assert asks_for_many(question)


@pytest.mark.parametrize("question", [
    "Where is the petrel?", "Who called on Monday?", "我的猫叫什么？", "Is the listing ready?",
])
def test_a_single_thing_is_no_breadth(question: str) -> None:
    assert not asks_for_many(question)


def test_words_that_only_ask_are_left_out_unless_nothing_else_is_left() -> None:
    assert without_asking_words(["remind", "petrel", "convers"]) == ("petrel",)
    assert without_asking_words(["remind", "convers"]) == ("remind", "convers")
