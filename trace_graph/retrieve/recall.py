"""Recall, fast mode: no model is asked, and the tree never gates what can be found."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.models import NewId, RecallResult, RecallTopic
from trace_graph.retrieve.candidates import find_candidates
from trace_graph.retrieve.packing import LONG_TOKENS, Described, fitting, pack, reading_order
from trace_graph.retrieve.question import Question, read_question
from trace_graph.retrieve.ranking import Scored, rank
from trace_graph.retrieve.topics import paths_of_topics
from trace_graph.store.connection import Store
from trace_graph.text.tokens import TokenCounter

RANKED_TOPICS_FROM = 100
"""Best messages whose topics are ranked: 94 % of the evidence lies among them (measured)."""
BEST_OF_TOPIC = 3
"""Messages whose mean score ranks a topic. Source: top-3 mean finds the right topic in 62 %, titles in 31 %."""
MOST_TOPICS = 5
"""Topics named in an answer. Guess."""

Embed = Callable[[str], Awaitable[Vector | None]]


@dataclass(frozen=True)
class RecallRequest:
    """One question, and how much of an answer is wanted."""

    query: str
    asked_at: datetime
    budget: int | None
    """Tokens of the items shown; None with a limit."""
    limit: int | None


async def recall(
    store: Store, scope: Scope, request: RecallRequest, *, embed: Embed, settings: RecallSettings, count: TokenCounter,
    new_id: NewId,
) -> RecallResult:
    """Find the messages that answer a question, best first.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed. A search that failed is an error, never an empty answer.
    """
    question = read_question(request.query, scope, request.asked_at)
    vector = await embed(request.query) if question.has_meaning else None
    candidates = await find_candidates(store, scope, question, vector, settings)
    ranked = rank(candidates, question, settings)
    head = fitting(ranked, request.budget, request.limit)
    described, topics = await asyncio.gather(
        _describe(store, scope, question, head), _rank_topics(store, scope, ranked[:RANKED_TOPICS_FROM]))
    items = pack(head, described, request.budget, count)
    return RecallResult(
        recall_id=new_id(), query=request.query, tokens=sum(item.tokens for item in items),
        context=reading_order(items, described), items=items, topics=topics)


async def _describe(store: Store, scope: Scope, question: Question, head: Sequence[Scored]) -> dict[str, Described]:
    parts = {one.candidate.id: one.candidate.part for one in head}
    rows = await store.read("describe_messages", ids=list(parts), spaces=scope.ids)
    paths = await paths_of_topics(store, scope, {row["topic"] for row in rows if row["topic"]})
    long = [row["id"] for row in rows if parts[row["id"]] is None and row["tokens"] > LONG_TOKENS]
    if long:
        best = await store.read("best_passages", ids=long, terms=list(question.keys), spaces=scope.ids)
        parts.update({row["id"]: (row["start"], row["end"]) for row in best})
    return {
        row["id"]: Described(
            id=row["id"], external_id=row["external_id"], text=row["text"], part=parts[row["id"]],
            author=row["author"], session=row["session"], seq=row["seq"], occurred_at=row["occurred_at"],
            offset=row["offset"], topic_path=paths.get(row["topic"], ()))
        for row in rows}


async def _rank_topics(store: Store, scope: Scope, best: Sequence[Scored]) -> list[RecallTopic]:
    """Topics by the mean score of their best messages: found from the messages up, never from their summaries."""
    rows = await store.read("topics_of_messages", ids=[one.candidate.id for one in best], spaces=scope.ids)
    topic_of: Mapping[str, str] = {row["id"]: row["topic"] for row in rows}
    scores: dict[str, list[float]] = defaultdict(list)
    for one in best:
        if one.candidate.id in topic_of:
            scores[topic_of[one.candidate.id]].append(one.score)
    means = {
        topic: sum(values[:BEST_OF_TOPIC]) / BEST_OF_TOPIC for topic, values in scores.items()}
    first = sorted(means, key=lambda topic: (-means[topic], topic))[:MOST_TOPICS]
    paths = await paths_of_topics(store, scope, set(first))
    return [
        RecallTopic(
            id=topic, title=paths[topic][-1] if paths.get(topic) else "", path=list(paths.get(topic, ())),
            score=round(means[topic], 6))
        for topic in first]
