"""What ask, a guided recall and their explanation print."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trace_graph.cli.ask import answer_words
from trace_graph.cli.explain import answer_table, walk_words
from trace_graph.cli.global_options import GlobalOptions
from trace_graph.cli.recall import found_words, walk_remark
from trace_graph.models import (
    AskResult,
    CitedMessage,
    KeptAnswer,
    RecallItem,
    RecallResult,
    Walk,
    WalkBranch,
    WalkStep,
    Why,
)

AT = datetime(2024, 5, 7, 9, 30, tzinfo=UTC)
BOATS = WalkBranch(id="t1", title="Boats\x1b[2J", messages=12, branches=0)
BREAD = WalkBranch(id="t2", title="Bread", messages=8, branches=3)
WALK = Walk(
    steps=[WalkStep(offered=[BOATS, BREAD], picked=["t1"], call_ids=["c1"])], branches=[BOATS], share=0.35,
    model_calls=1)
ITEM = RecallItem(
    rank=1, id="m1", external_id="x:1", text="At berth 12.\nWe moved.", author="Mira", occurred_at=AT, session="s",
    topic_path=["Boats"], score=1.0, tokens=4, why=Why())


def result(**more: object) -> AskResult:
    recall = RecallResult(recall_id="r", query="Where?", tokens=4, context="", items=[ITEM], topics=[])
    return AskResult.model_validate({
        "answer": "At berth 12 [1].", "found": True, "citations": ["m1"], "recall_id": "r", "model_calls": 1,
        "tokens_in": 1, "tokens_out": 1, "recall": recall, "cited": [CitedMessage(
            number=1, id="m1", external_id="x:1", text=ITEM.text, author="Mira", occurred_at=AT, session="s",
            topic_path=["Boats"])], **more})


CITED = "[1] Mira · 2024-05-07 09:30 UTC · x:1\n    At berth 12.\n    We moved."


def test_an_answer_is_printed_with_the_messages_it_cites() -> None:
    assert answer_words(result(), printed="") == f"At berth 12 [1].\n\n{CITED}"


def test_what_was_printed_while_it_arrived_is_printed_again_only_where_it_changed() -> None:
    assert answer_words(result(), printed="At berth 12 [1]. ") == CITED
    assert answer_words(result(), printed="It sank.") == f"At berth 12 [1].\n\n{CITED}"


def test_without_an_answer_what_was_found_is_printed() -> None:
    words = answer_words(result(answer="", found=False, citations=[], cited=[], fault="no reply"), printed="")

    assert words == f"The model gave no answer. This was found:\n\n{found_words(result().recall)}"
    assert "At berth 12." in words


def test_what_the_walk_missed_is_marked() -> None:
    found = result().recall.model_copy(update={"recovered": ["m1"]})

    assert found_words(found).splitlines()[0] == " 1. Mira · 2024-05-07 09:30 UTC · Boats · 1.00 · outside the walk"


@pytest.mark.parametrize(("walk", "said"), [
    (WALK, "walked to Boats\\x1b[2J (1 model call, 35% of the budget)\n"),
    (Walk(steps=[], branches=[]), "there is no tree to walk yet: trace-graph organize makes it\n"),
    (WALK.model_copy(update={"branches": [], "model_calls": 2}), "the model chose no branch (2 model calls)\n"),
    (Walk(steps=[], branches=[], fault="It rests."), "the fast mode answers: It rests.\n"),
    (WALK.model_copy(update={"fault": "It rests."}),
     "walked to Boats\\x1b[2J (1 model call, 35% of the budget)\nthe walk ended early: It rests.\n"),
])
def test_where_a_walk_led_is_said_beside_the_result(
    walk: Walk, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    walk_remark(GlobalOptions(), walk)

    assert capsys.readouterr() == ("", said)


def test_an_explanation_tells_the_walk_and_the_answer() -> None:
    lines = [line.split() for line in walk_words(WALK).splitlines()]

    assert lines[0] == ["LEVEL", "PICKED", "BRANCH", "MESSAGES", "BRANCHES", "INSIDE", "MODEL", "CALL"]
    assert lines[2:4] == [["1", "yes", "Boats\\x1b[2J", "12", "0", "c1"], ["1", "Bread", "8", "3", "c1"]]
    assert " ".join(lines[-1]) == "The walk led to Boats\\x1b[2J; 35% of the budget for it; 1 model call."
    answer = answer_table(KeptAnswer(text="At berth 12 [1].", found=True, citations=["m1"], dropped=2, call_ids=["c2"]))
    assert [line.split(maxsplit=1)[0] for line in answer.splitlines()[2:]] == [
        "answered", "held", "cites", "citations", "model"]
