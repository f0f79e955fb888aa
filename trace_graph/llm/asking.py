"""How a question is put to a model that is not trusted: down the ladder of forms, once more with the fault named, and
never for ever."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic

from trace_graph.llm.completions import Completion
from trace_graph.llm.endpoint import Endpoint, NoReply
from trace_graph.llm.forms import FIRST, Forms, below
from trace_graph.llm.judging import Verdict, judge
from trace_graph.llm.resting import Allowance, Breaker
from trace_graph.llm.sending import Correction, Sent, correction_after, to_send
from trace_graph.llm.streaming import FieldText
from trace_graph.llm.values import Answered, OnText, Reply, Request
from trace_graph.models.calls import Form, ModelCall
from trace_graph.text.tokens import count_tokens

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Manners:
    """How an `Asker` asks."""

    temperature: float = 0.0
    concurrency: int = 4
    """Questions that are under way at once."""
    keep_requests: bool = False
    """Keep the whole request in each `ModelCall`."""


@dataclass(frozen=True)
class _Question(Generic[Reply]):
    """One request on its way."""

    request: Request[Reply]
    calls: list[ModelCall]
    """Every call made for it so far."""


class Asker:
    """The `Model` that speaks to an endpoint."""

    def __init__(
        self, endpoint: Endpoint, *, clock: Callable[[], datetime], forms: Forms, allowance: Allowance,
        manners: Manners | None = None,
    ) -> None:
        """`forms` is changed by what is found out; `allowance` by what is spent. `clock` gives the time in UTC."""
        self.forms = forms
        self._endpoint = endpoint
        self._clock = clock
        self._allowance = allowance
        self._manners = manners or Manners()
        self._breaker = Breaker()
        self._slots = asyncio.Semaphore(self._manners.concurrency)

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._endpoint.model

    @property
    def host(self) -> str:
        """Of the endpoint, with its port."""
        return self._endpoint.host

    @property
    def resting(self) -> str | None:
        """Why no request is sent at present, in a sentence; None where one may be."""
        return self._breaker.reason or self._allowance.used_up(self._clock())

    async def ask(self, request: Request[Reply], *, on_text: OnText | None = None) -> Answered[Reply]:
        """See `Model.ask`.

        Raises: nothing for what a model or an endpoint does; ReplayDiffers where a cassette is replayed and does not
        hold the request.
        """
        async with self._slots, self._breaker.question():
            return await self._ask(_Question(request, []), on_text)

    async def _ask(self, question: _Question[Reply], on_text: OnText | None) -> Answered[Reply]:
        first = await self._down_the_ladder(question, 1, None, on_text)
        best = first
        if first is not None and (first.then == "correct" or first.outcome == "empty"):
            correction = correction_after(first.outcome, first.fault, first.reply)
            best = _better(first, await self._down_the_ladder(question, 2, correction, None))
        if best is None or best.outcome in ("failed", "refused"):
            reason = best.fault if best and best.fault else self.resting
            return Answered(None, tuple(question.calls), reason)
        self._breaker.usable(best.value is not None, best.fault or "")
        return Answered(best.value, tuple(question.calls), None if best.then == "take" else best.fault)

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def _down_the_ladder(
        self, question: _Question[Reply], attempt: int, correction: Correction | None, on_text: OnText | None,
    ) -> Verdict[Reply] | None:
        """Ask in the form that is known to work, then in the lower ones; None where no request was sent."""
        form: Form | None = self.forms.first(self.name, self.host)
        last: Verdict[Reply] | None = None
        why = FIRST
        while form is not None:
            sent = to_send(question.request, model=self.name, form=form, temperature=self._manners.temperature,
                           correction=correction)
            verdict = await self._send(question, sent, attempt, on_text)
            if verdict is None:
                return last
            last = verdict
            if verdict.then != "lower":
                self._remember(form, verdict, why)
                return verdict
            why = f"The form above it was answered so: {verdict.fault}"
            form = below(form)
        return last

    async def _send(
        self, question: _Question[Reply], sent: Sent, attempt: int, on_text: OnText | None,
    ) -> Verdict[Reply] | None:
        """Send once, judge what comes back, and keep both as a call; None where the model rests."""
        async with self._breaker.turn():
            at = self._clock()
            if self.resting is not None:
                return None
            self._allowance.take(1, 0, at)
            show = FieldText(question.request.shown_field, on_text) if on_text else None
            answer = await self._endpoint.send(sent, most_failures=self._breaker.tries, on_text=show)
            # In a thread: leases are renewed and interrupts heard while a long reply is read.
            verdict = await asyncio.to_thread(judge, answer, question.request)
            self._count(answer, verdict, sent)
        question.calls.append(
            self._as_call(question.request, sent, attempt=attempt, at=at, answer=answer, verdict=verdict))
        log.info("model asked", extra={
            "purpose": sent.purpose, "form": sent.form, "attempt": attempt, "outcome": verdict.outcome,
            "requests": answer.requests, "milliseconds": answer.milliseconds})
        return verdict

    def _count(self, answer: Completion | NoReply, verdict: Verdict[Reply], sent: Sent) -> None:
        """Tell breaker and allowance."""
        if isinstance(answer, NoReply):
            if answer.why in ("setting", "later"):
                self._breaker.open(answer.reason)
            elif answer.why == "failed":
                self._breaker.failed(answer.failures, answer.reason)
            elif not self._breaker.proved:  # one that has answered before is well, and refuses this request
                self._breaker.failed(1, answer.reason)
            return
        tokens_in, tokens_out = _tokens(answer, sent)
        self._allowance.take(0, tokens_in + tokens_out, self._clock())
        if verdict.outcome == "empty":
            self._breaker.failed(1, f"The model endpoint {self.host} (model {self.name}): {verdict.fault}")
        else:
            self._breaker.answered()

    def _remember(self, form: Form, verdict: Verdict[Reply], why: str) -> None:
        """Keep what the model proved able to do."""
        now = self._clock()
        if verdict.value is not None:
            self.forms.worked(self.name, self.host, form, now, why)
        if verdict.outcome == "truncated" or form == "plain":
            return
        if verdict.enforced or (form == "json" and verdict.value is not None):
            self.forms.enforced(self.name, self.host)
        else:
            log.warning("form not enforced", extra={"model": self.name, "host": self.host, "form": form})
            self.forms.not_enforced(self.name, self.host, form, now)

    def _as_call(
        self, request: Request[Reply], sent: Sent, *, attempt: int, at: datetime, answer: Completion | NoReply,
        verdict: Verdict[Reply],
    ) -> ModelCall:
        replied = answer if isinstance(answer, Completion) else None
        return ModelCall(
            purpose=sent.purpose, prompt=sent.prompt, prompt_version=sent.prompt_version, model=self.name,
            host=self.host, form=sent.form, inputs=request.inputs, request_hash=sent.hash, attempt=attempt, at=at,
            milliseconds=answer.milliseconds, requests=answer.requests, outcome=verdict.outcome, reply=verdict.reply,
            finish=replied.finish if replied else None, tokens_in=replied.tokens_in if replied else None,
            tokens_out=replied.tokens_out if replied else None, fault=verdict.fault,
            request=sent.canonical() if self._manners.keep_requests else None,
            max_tokens=sent.max_tokens, temperature=sent.temperature, figures=_figures(verdict, sent.form))


def _figures(verdict: Verdict[Reply], form: Form) -> dict[str, float]:
    """What was put up with: items dropped, a schema not enforced."""
    loose = form == "schema" and not verdict.enforced
    found = {"dropped": float(verdict.dropped), "not_enforced": float(loose)}
    return {name: number for name, number in found.items() if number}


def _better(first: Verdict[Reply], second: Verdict[Reply] | None) -> Verdict[Reply]:
    """The second where it is no worse: a value before none, then the one with fewer words on what is wrong."""
    if second is None:
        return first
    if second.value is None:
        return first if first.value is not None or second.outcome in ("failed", "refused") else second
    return first if first.value is not None and len(first.fault or "") < len(second.fault or "") else second


def _tokens(answer: Completion, sent: Sent) -> tuple[int, int]:
    """As the endpoint counts them, otherwise estimated from the words."""
    asked = answer.tokens_in
    if asked is None:
        asked = sum(count_tokens(one.text) for one in sent.messages)
    replied = answer.tokens_out
    if replied is None:
        replied = count_tokens(f"{answer.reasoning or ''} {answer.content or ''}")
    return asked, replied
