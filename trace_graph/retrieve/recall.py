"""Recall, fast mode: no model is asked, and the tree never gates what can be found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.llm.texts import MessageText
from trace_graph.models import Dropped, NewId, RecallResult
from trace_graph.retrieve.candidates import Candidate, find_candidates
from trace_graph.retrieve.describing import Description, describe
from trace_graph.retrieve.packing import Described, Packed, fitting, pack, reading_order, smallest_budget
from trace_graph.retrieve.question import Question, read_question
from trace_graph.retrieve.ranking import Scored, rank
from trace_graph.retrieve.walked import TracedWalk
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
class Searched:
    """What the flat search found."""

    question: Question
    vector: Vector | None
    candidates: Sequence[Candidate]
    ranked: Sequence[Scored]
    """All candidates, best first."""


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
    said: Mapping[str, MessageText] = field(default_factory=dict)
    """The whole message of each item."""
    walk: TracedWalk | None = None
    """How the tree was walked; None in the fast mode."""


async def answer(
    store: Store, scope: Scope, request: RecallRequest, *, embed: Embed, settings: RecallSettings, count: TokenCounter,
    new_id: NewId, only: Collection[str] | None = None,
) -> Answer:
    """Find the messages that answer a question, best first, and keep in hand how they were found.

    With `only` those messages are scored, as an earlier recall did; otherwise what the ranked lists bring.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed. A search that failed is an error, never an empty answer.
    """
    found = await search(store, scope, request, embed=embed, settings=settings, only=only)
    return await shown(store, scope, request, found, found.ranked, count=count, new_id=new_id)


async def search(
    store: Store, scope: Scope, request: RecallRequest, *, embed: Embed, settings: RecallSettings,
    only: Collection[str] | None = None,
) -> Searched:
    """Rank what the flat search finds. Raises: EngineUnavailable, EngineTimeout, StoreFailed."""
    question = read_question(request.query, scope, request.asked_at)
    vector = await embed(request.query, settings.centre) if question.has_meaning else None
    lists = settings if request.limit is None else settings.with_lists_of(request.limit)
    candidates = await find_candidates(store, scope, question, vector, lists, only=only)
    return Searched(question, vector, candidates, rank(candidates, question, settings))


async def shown(
    store: Store, scope: Scope, request: RecallRequest, found: Searched, order: Sequence[Scored], *,
    count: TokenCounter, new_id: NewId,
) -> Answer:
    """What fits of this order, read and put together; topics are named by what the flat search ranked first.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    described, packed = await _filled(store, scope, found, order, request=request, count=count)
    items = packed.items
    smallest = None
    if order and not items and request.budget is not None:
        first = await describe(store, scope, found.question, found.ranked, order[:1])
        smallest = smallest_budget(order[0], first.messages, count)
    result = RecallResult(
        recall_id=new_id(), query=request.query, tokens=sum(item.tokens for item in items),
        context=reading_order(items, described.messages), items=items, topics=described.topics,
        searchable=bool(found.question.terms) or found.vector is not None, smallest_budget=smallest)
    messages = {item.id: described.messages[item.id] for item in items}
    roles = {one.candidate.id: one.candidate.role for one in order}
    return Answer(
        result, found.question, order, packed.passed_over,
        topics={id: message.topic for id, message in messages.items()},
        said={id: _said(message, roles[id]) for id, message in messages.items()})


def _said(message: Described, role: str) -> MessageText:
    zone = timezone(timedelta(minutes=message.offset))
    return MessageText(message.author, role, message.occurred_at.astimezone(zone), message.text)


async def _filled(
    store: Store, scope: Scope, found: Searched, order: Sequence[Scored], *, request: RecallRequest,
    count: TokenCounter
) -> tuple[Description, Packed]:
    """The items that fill the budget or the limit: one reading, unless the counter gives less than what is stored or
    the same was said several times.
    """
    budget, limit = request.budget, request.limit
    head = fitting(order, budget, limit)
    while True:
        described = await describe(store, scope, found.question, found.ranked, head)
        packed = pack(head, described.messages, request.budget, count, request.limit)
        if packed.is_full or (request.limit is not None and len(packed.items) == request.limit):
            return described, packed
        budget = None if budget is None else 2 * budget
        limit = None if limit is None else 2 * limit
        wider = fitting(order, budget, limit)
        if len(wider) == len(head):
            return described, packed
        head = wider
