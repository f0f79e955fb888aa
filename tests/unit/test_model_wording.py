"""Which topics a model is asked for together, with what, and what of its replies is used."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from tests.scripted_model import ScriptedModel
from trace_graph.llm.purposes.summarise import SummariseReply, TopicSummary
from trace_graph.llm.texts import RevisionText
from trace_graph.models.ids import MessageId
from trace_graph.organize.model_wording import (
    AT_ONCE,
    Batch,
    Before,
    Job,
    Worded,
    batched,
    chosen,
    in_order,
    leaf_job,
    parent_job,
    was_asked,
)
from trace_graph.organize.values import WaitingMessage
from trace_graph.organize.words import shipped_lexicon

AT = datetime(2023, 5, 8, tzinfo=UTC)
NO_MEAN = np.zeros(2)


def message(place: int, text: str = "I moved to Oslo.", vector: tuple[float, float] = (1, 0)) -> WaitingMessage:
    return WaitingMessage(
        MessageId(f"m{place}"), "s", place, "Mira", text, np.array(vector, dtype=np.float32),
        AT + timedelta(days=place))


def job(topic: str, messages: list[WaitingMessage], before: Before | None = None, most: int = 4000) -> Job:
    return leaf_job(topic, messages, before, NO_MEAN, shipped_lexicon(), most=most)


def reply(*topics: tuple[str, str, str]) -> SummariseReply:
    return SummariseReply(topics=[TopicSummary(label=a, title=b, summary=c) for a, b, c in topics])


def none_taken(topic: str) -> list[str]:
    return []


def test_all_messages_are_shown_where_they_fit() -> None:
    messages = [message(place) for place in range(5)]

    assert chosen(messages, (), NO_MEAN, 100) == messages


def test_of_too_many_the_new_ones_come_first_and_then_the_central_ones() -> None:
    messages = [message(place, vector=(0.1, 1) if place == 1 else (1, 0)) for place in range(6)]
    covered = {"m0", "m1", "m2", "m3"}

    shown = chosen(messages, covered, NO_MEAN, 5 * 16)

    assert [one.id for one in shown] == ["m0", "m2", "m3", "m4", "m5"]


def test_the_wording_from_before_is_shown_and_its_sources_stay_sources() -> None:
    messages = [message(place) for place in range(4)]
    before = Before("r1", "move", "She moved.", {"m0", "m1"})

    one = job("t", messages, before, most=2 * 16)

    assert (one.input.messages, one.input.before, one.sources) == (["m2", "m3"], "r1", ("m0", "m1", "m2", "m3"))
    assert one.texts.revisions == {"r1": RevisionText("move", "She moved.")}


def test_nothing_of_what_left_a_topic_stays_in_its_summary() -> None:
    before = Before("r1", "move", "She moved.", {"m0", "elsewhere by now"})

    one = job("t", [message(0), message(1)], before)

    assert (one.input.before, one.texts.revisions, one.sources) == (None, {}, ("m0", "m1"))


def test_topics_are_asked_for_together_by_number_and_by_tokens() -> None:
    jobs = [job(f"t{number}", [message(number)]) for number in range(5)]
    large = job("large", [message(number) for number in range(40)])

    batches = batched("leaves", [*jobs, large, jobs[0]], topics=3, tokens=60)

    assert [[one.topic for one in batch.jobs] for batch in batches] == [
        ["t0", "t1", "t2"], ["t3", "t4"], ["large"], ["t0"]]


def test_what_can_be_used_of_a_reply_is_used() -> None:
    batch = Batch("leaves", (job("good", [message(0)]), job("no title", [message(1)]), job("invented", [message(2)]),
                             job("left out", [message(3)])))
    written = reply(
        ("T1", "move  to Oslo", " Mira moved to Oslo on 8 May 2023. "), ("T2", "Move to Oslo", "Mira moved to Oslo."),
        ("T3", "the move", "Xavier owns Oslo."), ("T9", "the move", "Mira moved."))

    assert batch.worded(written, none_taken) == {
        "good": Worded("move to Oslo", "Mira moved to Oslo on 8 May 2023."),
        "no title": Worded("Move to Oslo", "Mira moved to Oslo."), "invented": None, "left out": None}
    assert batch.request(none_taken).check(written) == (
        "T3: this is not in its sources, leave it out: 'Xavier'.\nT4: no title and summary were written.")


def test_no_two_siblings_get_the_same_title() -> None:
    batch = Batch("leaves", (job("a", [message(0)]), job("b", [message(1)]), job("c", [message(2)])))
    written = reply(*((f"T{number}", "the move", "Mira moved.") for number in (1, 2, 3)))

    titles = [one and one.title for one in batch.worded(written, lambda topic: ["The move"] * (topic == "c")).values()]

    assert titles == ["the move", None, None]


def test_what_stands_in_one_topic_is_no_source_of_another() -> None:
    batch = Batch("leaves", (job("a", [message(0)]), job("b", [message(1, "We went to Bergen.")])))

    written = reply(("T1", "move", "Mira went to Bergen."), ("T2", "trip", "Mira went to Bergen."))
    worded = batch.worded(written, none_taken)

    assert worded == {"a": None, "b": Worded("trip", "Mira went to Bergen.")}


def test_the_root_is_called_by_its_space() -> None:
    children = [("r1", RevisionText("move", "Mira moved."))]
    root = parent_job("root", children, shipped_lexicon(), tokens=50, name="Fjord log")

    worded = Batch("parents", (root,)).worded(reply(("T1", "a title", "The Fjord log is of Mira's move.")), none_taken)

    assert worded == {"root": Worded(None, "The Fjord log is of Mira's move.")}


async def _asked(model: ScriptedModel, count: int, most: int | None = None) -> list[str]:
    batch = Batch("leaves", (job("a", [message(0)]),))
    found: list[str] = []
    async with aclosing(in_order(model, [batch.request(none_taken)] * count)) as answers:
        async for answered in answers:
            found.append(answered.calls[0].request_hash[-3:])
            if len(found) == most:
                break
    return found


def test_answers_come_in_the_order_of_the_requests() -> None:
    model = ScriptedModel(lambda request: reply(("T1", "move", "Mira moved.")))

    assert asyncio.run(_asked(model, 20)) == [f"{number:03x}" for number in range(1, 21)]


def test_who_stops_pays_for_no_more_than_what_was_under_way() -> None:
    model = ScriptedModel(lambda request: reply(("T1", "move", "Mira moved.")))

    assert len(asyncio.run(_asked(model, 40, most=2))) == 2
    assert len(model.requests) <= 2 + AT_ONCE


@pytest.mark.parametrize(("value", "asked"), [(reply(), True), (None, False)])
def test_an_endpoint_that_is_away_was_not_asked(value: SummariseReply | None, asked: bool) -> None:
    request = Batch("leaves", (job("a", [message(0)]),)).request(none_taken)

    assert was_asked(asyncio.run(ScriptedModel(lambda request: value).ask(request))) is asked
