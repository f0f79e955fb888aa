"""Filling a space, and putting one question to every system."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from trace_graph.bench.baselines import Head, Places, Vectors, fused, last_messages
from trace_graph.bench.bm25 import Bm25
from trace_graph.bench.datasets import Name, Pool, half_of
from trace_graph.bench.questions import Question
from trace_graph.bench.results import Found, PoolResult, QuestionResult, StoredTokens, System
from trace_graph.bench.run_folder import Asked, Filled
from trace_graph.bench.scoring import BUDGETS, CUTS, Shown, ranks_of, tokens_of, tokens_to
from trace_graph.embed.protocol import Embedder
from trace_graph.errors import Refused
from trace_graph.memory import Memory
from trace_graph.models import OrganizeReport, RecallResult

Ranking = Callable[[Question], Awaitable[Places]]
Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it, and of how much."""

WARM_UP = 10
"""Questions asked of a space before its first one is timed."""
CHUNK = 500
"""Messages that are imported between two reports of progress; as `write_chunk`."""


async def fill(memory: Memory, space: str, pool: Pool, progress: Progress) -> Filled:
    """Import a pool and organise it; what is there already stays.

    Raises: Refused where the space holds something else.
    """
    began = time.monotonic()
    known = 0
    for first in range(0, len(pool.messages), CHUNK):
        progress("importing", first, len(pool.messages))
        receipts = await memory.add_many(pool.messages[first: first + CHUNK], space=space)
        known += sum(receipt.duplicate for receipt in receipts)
    imported = time.monotonic() - began
    report = await memory.organize(
        space=space, progress=lambda done, total: progress("organising", done, total))
    there = (await memory.stats(space=space)).messages
    if there != len(pool.messages):
        raise Refused(
            f"The space {space} holds {there:,} messages, the data {len(pool.messages):,}.",
            fix="Name another database, or another --run, which goes into the names of the spaces.")
    stored = await _stored(memory, space, report)
    seconds = (imported, report.seconds) if known == 0 else (None, None)
    return Filled(
        pool=describe(pool, stored, report.model_calls), import_seconds=seconds[0], organize_seconds=seconds[1])


def describe(pool: Pool, stored: StoredTokens | None, model_calls: int) -> PoolResult:
    """A pool as the results show it."""
    tokens = sum(tokens_of(message.text) for message in pool.messages)
    return PoolResult(
        name=pool.name, messages=len(pool.messages), questions=len(pool.questions), context_tokens=round(tokens, 2),
        stored=stored, model_calls=model_calls)


async def warm_up(memory: Memory, space: str, pool: Pool) -> None:
    """Ask the first questions of a space once, so that the first that is timed is like the others."""
    for question in pool.questions[:WARM_UP]:
        await memory.recall(question.text, space=space, limit=max(CUTS), asked_at=pool.asked_at(question))


async def recalled(memory: Memory, space: str, question: Question, at: datetime) -> tuple[Found, float]:
    """Two answers: one of 50 items, whose seconds are taken, and one that fills the largest budget.

    A smaller context is the beginning of that one.
    """
    began = time.perf_counter()
    ranking = await memory.recall(question.text, space=space, limit=max(CUTS), asked_at=at)
    seconds = time.perf_counter() - began
    packed = await memory.recall(question.text, space=space, budget=max(BUDGETS), asked_at=at)
    found = Found(
        ranks=ranks_of(question.evidence, shown(ranking)), tokens=tokens_to(question.evidence, shown(packed)))
    return found, seconds


def shown(result: RecallResult) -> list[Shown]:
    """The items of an answer, and behind each, for nothing, its other places: the same words are shown once."""
    found: list[Shown] = []
    for item in result.items:
        found.append(Shown(str(item.external_id), tokens_of(item.text)))
        found += [Shown(str(place.external_id), 0.0) for place in item.also]
    return found


class Baselines:
    """The systems without a memory, over one pool."""

    def __init__(self, pool: Pool, rankings: Mapping[System, Ranking]) -> None:
        self._head = Head(pool.messages)
        self._rankings = rankings

    @classmethod
    async def of(cls, pool: Pool, systems: Sequence[System], embedder: Embedder) -> Baselines:
        """Those of the systems that are baselines; indexes are built for what they need."""
        wanted = set(systems)
        bm25 = Bm25(pool.messages) if wanted & {"bm25", "rrf"} else None
        vectors = await Vectors.of(pool.messages, embedder) if wanted & {"vectors", "rrf"} else None
        last = last_messages(pool.times)

        async def by_words(question: Question) -> Places:
            assert bm25 is not None
            return bm25.places(question.text)

        async def by_meaning(question: Question) -> Places:
            assert vectors is not None
            return await vectors.places(question.text)

        async def by_both(question: Question) -> Places:
            return fused([await by_words(question), await by_meaning(question)], len(pool.messages))

        async def by_time(_: Question) -> Places:
            return last

        every: dict[System, Ranking] = {"bm25": by_words, "vectors": by_meaning, "rrf": by_both, "last": by_time}
        return cls(pool, {system: every[system] for system in systems if system in every})

    async def ask(self, question: Question) -> dict[System, tuple[Found, float]]:
        """Where each of them has the evidence, and its seconds."""
        answers: dict[System, tuple[Found, float]] = {}
        for system, ranking in self._rankings.items():
            began = time.perf_counter()
            places = await ranking(question)
            seconds = time.perf_counter() - began
            head = self._head.of(places)
            answers[system] = (
                Found(ranks=ranks_of(question.evidence, head), tokens=tokens_to(question.evidence, head)), seconds)
        return answers


def asked(
    name: Name, pool: Pool, question: Question, answers: Mapping[System, tuple[Found, float]]
) -> Asked:
    """One question's line of the run."""
    return Asked(
        result=QuestionResult(
            id=question.id, pool=pool.name, category=question.category, half=half_of(name, question),
            asked_at=pool.asked_at(question), evidence=list(question.evidence),
            found={system: found for system, (found, _) in answers.items()}),
        seconds={system: round(seconds, 6) for system, (_, seconds) in answers.items()})


async def _stored(memory: Memory, space: str, report: OrganizeReport) -> StoredTokens:
    id = next(one.id for one in await memory.spaces() if one.name == space)
    row = (await memory.run_query("stored_tokens", {"spaces": [id]}))[0]
    return StoredTokens(
        messages=row["messages"], summaries=row["summaries"], current_summaries=row["current_summaries"],
        facts=0 if report.facts_added == 0 else "not measured", calls=0 if report.model_calls == 0 else "not measured")
