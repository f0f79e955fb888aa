"""What one completion is worth: usable, or why not, and what to do next."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Generic, Literal

from trace_graph.llm.completions import Completion
from trace_graph.llm.endpoint import NoReply
from trace_graph.llm.parsing import parse
from trace_graph.llm.reading_json import LONGEST
from trace_graph.llm.values import Reply, Request
from trace_graph.models.calls import Outcome

log = logging.getLogger(__name__)

Next = Literal["take", "correct", "lower", "stop"]
"""Take the reply; ask again with its fault; ask in a lower form, from the lowest one the same again; give up."""

LENGTH = "length"
"""The finish_reason of a reply that reached max_tokens."""


@dataclass(frozen=True)
class Verdict(Generic[Reply]):
    """What one completion is worth."""

    outcome: Outcome
    then: Next
    value: Reply | None = None
    fault: str | None = None
    """In words that hold no memory text."""
    reply: str | None = None
    """What the model wrote."""
    enforced: bool = True
    """The reply was the JSON asked for from end to end."""
    dropped: int = 0
    """Items that could not be used."""


LONGEST_FAULT = 2000
"""Characters of a fault that the model is told and the graph keeps. Guess: about 500 tokens."""

CLIPPED = " [clipped]"
"""Ends what was longer."""


def judge(answer: Completion | NoReply, request: Request[Reply]) -> Verdict[Reply]:
    """Decide what an answer is worth. Only a reply that is whole, can be read and breaks no rule is taken as it is.

    What is kept is clipped: the reply to LONGEST characters, over which none is read, the fault to LONGEST_FAULT.
    """
    verdict = _judged(answer, request)
    return replace(verdict, fault=_clipped(verdict.fault, LONGEST_FAULT), reply=_clipped(verdict.reply, LONGEST))


def _clipped(text: str | None, longest: int) -> str | None:
    return text if text is None or len(text) <= longest else text[:longest - len(CLIPPED)] + CLIPPED


def _judged(answer: Completion | NoReply, request: Request[Reply]) -> Verdict[Reply]:
    if isinstance(answer, NoReply):
        outcome: Outcome = "refused" if answer.why in ("form", "request") else "failed"
        return Verdict(outcome, "lower" if answer.why == "form" else "stop", fault=answer.reason, reply=answer.partial)
    if answer.finish == LENGTH:
        return Verdict(
            "truncated", "correct", reply=answer.content,
            fault=f"It was cut at the limit of {request.max_tokens} tokens: be shorter.")
    if not (answer.content or "").strip():
        return _only_thought(answer, request)
    return _read(str(answer.content), request)


def _read(text: str, request: Request[Reply]) -> Verdict[Reply]:
    parsed = parse(text, request.reply)
    if parsed.value is None:
        return Verdict("malformed", "correct", fault=parsed.fault, reply=text, enforced=False, dropped=parsed.dropped)
    fault = request.check(parsed.value)
    outcome: Outcome = "faulty" if fault else "repaired" if parsed.repaired else "ok"
    return Verdict(
        outcome, "correct" if fault else "take", parsed.value, fault, text, enforced=parsed.exact,
        dropped=parsed.dropped)


def _only_thought(answer: Completion, request: Request[Reply]) -> Verdict[Reply]:
    """No content: JSON in the reasoning is used where it is the JSON asked for from end to end, and this is said."""
    billed = "an unknown number of" if answer.tokens_out is None else f"{answer.tokens_out}"
    empty = f"The endpoint answered with no content, for {billed} tokens."
    if not (answer.reasoning or "").strip():
        return Verdict("empty", "lower", fault=empty)
    thought = _read(str(answer.reasoning), request)
    if thought.outcome != "ok" or not thought.enforced:
        return Verdict("empty", "lower", fault=f"{empty} There is only reasoning.")
    log.warning("reply taken from the reasoning")
    return replace(thought, fault="The reply stood in the reasoning, and the content was empty.")
