"""Recalls of one open memory: asked, kept, explained, replayed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial

import numpy as np

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings, Settings
from trace_graph.embed.fingerprint import Fingerprint
from trace_graph.errors import InvalidInput
from trace_graph.llm.values import Model, OnText
from trace_graph.memory.opening import Opened
from trace_graph.models import AskResult, KeptAnswer, Mode, NewId, RecallExplanation, RecallResult, ReplayReport
from trace_graph.models.calls import ModelCall
from trace_graph.retrieve.answering import answer_from
from trace_graph.retrieve.explaining import explain, read_recall
from trace_graph.retrieve.guided import answer_guided
from trace_graph.retrieve.known_then import known_at
from trace_graph.retrieve.recall import Answer, RecallRequest, answer
from trace_graph.retrieve.recording import Recording
from trace_graph.retrieve.replaying import replay
from trace_graph.retrieve.tracing import KeptRecall, Parameters, TracedEmbedder, trace_of
from trace_graph.retrieve.walking import Asking
from trace_graph.store.calls import keep_calls
from trace_graph.store.ledger import Actor
from trace_graph.text.rules import check_question
from trace_graph.text.times import parse_time
from trace_graph.text.tokens import TokenCounter
from trace_graph.version import VERSION


def recall_request(
    query: str, budget: int | None, limit: int | None, *, asked_at: datetime | str | None,
    known_at: datetime | str | None, now: datetime, settings: RecallSettings,
) -> RecallRequest:
    """What is asked for, checked. Raises: InvalidInput."""
    check_question(query)
    if budget is not None and limit is not None:
        raise InvalidInput("A recall takes a budget or a limit, not both.", fix="Give one of the two.")
    if not query:
        raise InvalidInput("The question is empty.", fix="Ask in words.")
    for number in (budget, limit):
        if number is not None and (type(number) is not int or number < 1):
            raise InvalidInput("A budget or a limit is a whole number, 1 or more.", fix="Give a positive number.")
    return RecallRequest(
        # Its own offset stays: "yesterday" is the day before the one on the clock of whoever asks.
        query=query, asked_at=now if asked_at is None else parse_time(asked_at, "UTC").local,
        budget=None if limit is not None else budget or settings.budget, limit=limit,
        known_at=None if known_at is None else parse_time(known_at, "UTC").instant)


def check_mode(mode: str, *, fallback: bool = True) -> Mode:
    """How to search, checked. Raises: InvalidInput."""
    if mode == "guided":
        return "guided"
    if mode != "fast":
        raise InvalidInput("A recall is fast or guided.", fix="Give mode='fast' or mode='guided'.")
    if not fallback:
        raise InvalidInput("The fast mode is the flat search itself.", fix="Switch it off for a guided recall only.")
    return "fast"


@dataclass(frozen=True)
class Guide:
    """Who walks the tree for a recall."""

    model: Model
    fallback: bool
    """Whether the flat search is shown beside the walk."""


@dataclass(frozen=True)
class Recalling:
    """Answers questions and keeps how."""

    opened: Opened
    recording: Recording
    settings: Settings
    actor: Actor
    clock: Callable[[], datetime]
    new_id: NewId
    count: TokenCounter

    async def recall(
        self, scope: Scope, request: RecallRequest, *, explained: bool, guide: Guide | None = None
    ) -> RecallResult:
        """Answer a question, and have it kept how; with `explained` that is told at once.

        Raises: EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        read = await self._as_known(scope, request)
        found = await self._found(read, request, guide, self.new_id())
        kept = self._keep(read, request, found)
        if not explained:
            return found.result
        explanation = await explain(self.opened.store, scope, kept())
        return found.result.model_copy(update={"explanation": explanation})

    async def ask(
        self, scope: Scope, request: RecallRequest, model: Model, *, mode: Mode, on_text: OnText | None
    ) -> AskResult:
        """Have a model answer a question from what a recall finds; the answer is kept with the recall.

        Raises: EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        read = await self._as_known(scope, request)
        recall_id = self.new_id()
        guide = Guide(model, fallback=True) if mode == "guided" else None
        found = await self._found(read, request, guide, recall_id)
        reply = await answer_from(found, request, self._asking(model, read, recall_id), on_text=on_text)
        self._keep(read, request, found, reply.kept)
        return reply.result

    async def _as_known(self, scope: Scope, request: RecallRequest) -> Scope:
        return scope if request.known_at is None else await known_at(self.opened.store, scope, request.known_at)

    async def _found(self, read: Scope, request: RecallRequest, guide: Guide | None, recall_id: str) -> Answer:
        how = partial(answer) if guide is None else partial(
            answer_guided, asking=self._asking(guide.model, read, recall_id), fallback=guide.fallback)
        return await how(
            self.opened.store, read, request, embed=self.opened.embedder.embed_question,
            settings=self.settings.recall, count=self.count, new_id=lambda: recall_id)

    def _asking(self, model: Model, read: Scope, recall_id: str) -> Asking:
        """Whom a recall asks; its calls are kept at once, for they were paid."""

        async def keep(calls: Sequence[tuple[str, ModelCall]]) -> None:
            if read.ids:
                await keep_calls(
                    self.opened.store, read.ids[0], calls, now=self.clock(), recall=recall_id, spaces=read.ids)

        return Asking(model, keep, self.new_id)

    def _keep(
        self, read: Scope, request: RecallRequest, found: Answer, answered: KeptAnswer | None = None
    ) -> Callable[[], KeptRecall]:
        """Have it kept; makes what is kept, once."""
        at = self.clock()

        @cache
        def kept() -> KeptRecall:
            return self._kept(read, request, found, at, answered)

        if read.spaces:
            self.recording.keep(read.spaces[0].id, kept)
        return kept

    async def explain(self, scope: Scope, id: str) -> RecallExplanation:
        """The explanation of a recall that was kept. Raises: NotFound, EngineUnavailable, StoreFailed."""
        await self.recording.written()
        return await explain(self.opened.store, scope, await read_recall(self.opened.store, scope, id))

    async def replay(self, scope: Scope, id: str) -> ReplayReport:
        """Whether a recall that was kept gives again what it gave.

        Raises: NotFound, EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        await self.recording.written()
        kept = await read_recall(self.opened.store, scope, id)
        return await replay(
            self.opened.store, scope, kept, embed=self.opened.embedder.embed_question, count=self.count,
            settings=self.settings.recall, in_use=lambda: _traced(self.opened.embedder.in_use))

    def _kept(
        self, scope: Scope, request: RecallRequest, found: Answer, at: datetime, answered: KeptAnswer | None
    ) -> KeptRecall:
        embedder = _traced(self.opened.embedder.in_use) if found.question.has_meaning else None
        return KeptRecall(
            id=found.result.recall_id, query=request.query, spaces=tuple(scope.ids),
            change_seqs=tuple(space.change_seq for space in scope.spaces), at=at, actor=self.actor.name,
            door=self.actor.door,
            parameters=Parameters(
                mode=found.result.mode, budget=request.budget, limit=request.limit, asked_at=request.asked_at,
                known_at=request.known_at, settings=self.settings.recall.model_dump(), embedder=embedder,
                version=VERSION),
            trace=trace_of(request, found), answer=answered)


def _traced(embedder: Fingerprint | None) -> TracedEmbedder | None:
    if embedder is None:
        return None
    probe = hashlib.sha256(np.asarray(embedder.probe, dtype="<f8").tobytes()).hexdigest()
    return TracedEmbedder(embedder.name, embedder.dimension, probe)
