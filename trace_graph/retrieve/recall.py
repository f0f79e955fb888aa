"""Recall, fast mode: no model is asked, and the tree never gates what can be found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.models import Dropped, NewId, RecallResult
from trace_graph.retrieve.candidates import find_candidates
from trace_graph.retrieve.describing import Description, describe
from trace_graph.retrieve.packing import Packed, fitting, pack, reading_order, smallest_budget
from trace_graph.retrieve.question import Question, read_question
from trace_graph.retrieve.ranking import Scored, rank
from trace_graph.store.connection import Store
from trace_graph.text.tokens import TokenCounter

Embed = Callable[[str, float], Awaitable[Vector | None]]
"""The vector of a question, less a share of the everyday mean (`RecallSettings.centre`)."""


@dataclass(frozen=True)
class RecallRequest:
    """One question, and how much of an answer is wanted."""

    query: str
    asked_at: datetime
    budget: int | None
    """Tokens of the items shown; None with a limit."""
    limit: int | None
    known_at: datetime | None = None
    """The memory as it stood then; the scope is set back to it already."""


@dataclass(frozen=True)
class Answer:
    """What was found, and how it came about."""

    result: RecallResult
    question: Question
    ranked: Sequence[Scored]
    """All that was scored, best first."""
    passed_over: Mapping[str, Dropped]
    """By message, why it is not shown although something behind it may be."""
    topics: Mapping[str, str | None]
    """By item, the id of the topic it lies in."""


async def answer(
    store: Store, scope: Scope, request: RecallRequest, *, embed: Embed, settings: RecallSettings, count: TokenCounter,
    new_id: NewId, only: Collection[str] | None = None,
) -> Answer:
    """Find the messages that answer a question, best first, and keep in hand how they were found.

    With `only` those messages are scored, as an earlier recall did; otherwise what the ranked lists bring.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed. A search that failed is an error, never an empty answer.
    """
    question = read_question(request.query, scope, request.asked_at)
    vector = await embed(request.query, settings.centre) if question.has_meaning else None
    lists = settings if request.limit is None else settings.with_lists_of(request.limit)
    candidates = await find_candidates(store, scope, question, vector, lists, only=only)
    ranked = rank(candidates, question, settings)
    described, packed = await _filled(store, scope, question, ranked, request=request, count=count)
    items = packed.items
    smallest = None
    if ranked and not items and request.budget is not None:
        first = await describe(store, scope, question, ranked, ranked[:1])
        smallest = smallest_budget(ranked[0], first.messages, count)
    result = RecallResult(
        recall_id=new_id(), query=request.query, tokens=sum(item.tokens for item in items),
        context=reading_order(items, described.messages), items=items, topics=described.topics,
        searchable=bool(question.terms) or vector is not None, smallest_budget=smallest)
    topics = {item.id: described.messages[item.id].topic for item in items}
    return Answer(result, question, ranked, packed.passed_over, topics)


async def _filled(
    store: Store, scope: Scope, question: Question, ranked: Sequence[Scored], *, request: RecallRequest,
    count: TokenCounter
) -> tuple[Description, Packed]:
    """The items that fill the budget or the limit: one reading, unless the counter gives less than what is stored or
    the same was said several times.
    """
    budget, limit = request.budget, request.limit
    head = fitting(ranked, budget, limit)
    while True:
        described = await describe(store, scope, question, ranked, head)
        packed = pack(head, described.messages, request.budget, count, request.limit)
        if packed.is_full or (request.limit is not None and len(packed.items) == request.limit):
            return described, packed
        budget = None if budget is None else 2 * budget
        limit = None if limit is None else 2 * limit
        wider = fitting(ranked, budget, limit)
        if len(wider) == len(head):
            return described, packed
        head = wider
