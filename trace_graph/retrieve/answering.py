"""From what was recalled to an answer that cites it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trace_graph.llm.citing import Citing
from trace_graph.llm.purposes.answer import AnswerInputs, AnswerReply, GivenMessage, request
from trace_graph.llm.texts import Texts
from trace_graph.llm.values import Answered, OnText
from trace_graph.models import AskResult, CitedMessage, KeptAnswer, RecallItem
from trace_graph.retrieve.recall import Answer, RecallRequest
from trace_graph.retrieve.walking import Asking

NOT_HELD = "The memory does not hold this."
"""Where the model has no words for it, or nothing was found that could be put before it."""
NOTHING_CITED = "The model named no message for its answer: it does not come from this memory."
EMPTY = "The model gave an empty answer."


@dataclass(frozen=True)
class Replied:
    """What came of asking a model."""

    result: AskResult
    kept: KeptAnswer | None
    """To be kept with the recall; None where there is no answer."""


async def answer_from(
    found: Answer, asked: RecallRequest, asking: Asking, *, on_text: OnText | None = None
) -> Replied:
    """Put what was found before a model. What it or its endpoint does is no error: the result says it.

    Args:
        found: the recall.
        asked: what was asked.
        asking: whom to ask.
        on_text: takes the answer piece by piece while it arrives, its citations as numbers; the result may differ
            where the reply is not good.
    """
    if not found.result.items:
        return replied(found, None, (), _too_small(found))
    inputs = inputs_of(found, asked)
    answered, ids = await asking.ask(
        request(inputs, Texts(messages=found.said)), on_text=None if on_text is None else _numbered(inputs, on_text))
    fault = asking.why_not(answered) if answered.value is None else None
    return _counted(replied(found, answered.value, ids, fault, inputs), answered)


def _too_small(found: Answer) -> str | None:
    """What was found and does not fit is no sign that the memory does not hold it."""
    needed = found.result.smallest_budget
    return None if needed is None else f"Nothing fits the budget: the first hit needs {needed} tokens."


def inputs_of(found: Answer, asked: RecallRequest) -> AnswerInputs:
    """What the model is shown: the items in reading order, as M1, M2, ..."""
    place = {one.candidate.id: one.candidate.seq for one in found.ranked}
    ordered = sorted(found.result.items, key=lambda item: (item.occurred_at, item.session, place[item.id]))
    return AnswerInputs(
        question=asked.query, asked_on=asked.asked_at.date().isoformat(),
        messages=tuple(
            GivenMessage(label=f"M{number}", message=item.id, part=item.part)
            for number, item in enumerate(ordered, start=1)))


def replied(
    found: Answer, reply: AnswerReply | None, call_ids: Sequence[str], fault: str | None,
    inputs: AnswerInputs | None = None,
) -> Replied:
    """What a reply means. Pure.

    The memory holds what was asked for where the model says so and cites a message; a citation of anything else is
    taken out and counted.
    """
    walk = found.result.walk
    result = AskResult(
        answer="", found=False, citations=[], recall_id=found.result.recall_id, fault=fault, recall=found.result,
        model_calls=walk.model_calls if walk else 0, tokens_in=walk.tokens_in if walk else 0,
        tokens_out=walk.tokens_out if walk else 0)
    if fault is not None:
        return Replied(result, None)
    if reply is None or inputs is None:
        return Replied(result.model_copy(update={"answer": NOT_HELD}), KeptAnswer(
            text=NOT_HELD, found=False, citations=[]))
    message = {one.label: one.message for one in inputs.messages}
    citing = Citing(message)
    text = (citing.feed(reply.answer) + citing.end()).strip()
    citing.listed(reply.citations)
    if not text and reply.found:
        return Replied(result.model_copy(update={"fault": EMPTY}), None)
    ids = [message[label] for label in citing.cited]
    kept = KeptAnswer(
        text=text or NOT_HELD, found=reply.found and bool(ids), citations=ids, dropped=citing.dropped,
        call_ids=list(call_ids))
    return Replied(result.model_copy(update={
        "answer": kept.text, "found": kept.found, "citations": ids, "citations_dropped": kept.dropped,
        "cited": _cited(ids, found.result.items),
        "fault": NOTHING_CITED if reply.found and not ids else None}), kept)


def _numbered(inputs: AnswerInputs, on_text: OnText) -> OnText:
    """Gives an answer on with numbers in place of labels."""
    citing = Citing([one.label for one in inputs.messages])

    def take(piece: str) -> None:
        if readable := citing.feed(piece):
            on_text(readable)

    return take


def _cited(ids: Sequence[str], items: Sequence[RecallItem]) -> list[CitedMessage]:
    by_id = {item.id: item for item in items}
    return [
        CitedMessage(
            number=number, id=id, external_id=by_id[id].external_id, text=by_id[id].text, author=by_id[id].author,
            occurred_at=by_id[id].occurred_at, session=by_id[id].session, topic_path=by_id[id].topic_path)
        for number, id in enumerate(ids, start=1)]


def _counted(reply: Replied, answered: Answered[Any]) -> Replied:
    """With what the calls cost."""
    result, calls = reply.result, answered.calls
    return Replied(result.model_copy(update={
        "model_calls": result.model_calls + len(calls),
        "tokens_in": result.tokens_in + sum(call.tokens_in or 0 for call in calls),
        "tokens_out": result.tokens_out + sum(call.tokens_out or 0 for call in calls)}), reply.kept)
