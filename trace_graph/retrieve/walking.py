"""A walk down the tree: Cypher lists the children of what is open, a model picks among them, level by level."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trace_graph.access.scopes import Scope
from trace_graph.llm.purposes.walk import Choice, OfferedBranch, WalkInputs, choice, request
from trace_graph.llm.texts import RevisionText, Texts
from trace_graph.llm.values import Answered, Model, OnText, Reply, Request
from trace_graph.models import NewId, Walk, WalkBranch, WalkStep
from trace_graph.models.calls import ModelCall
from trace_graph.retrieve.walked import MOST_RETRIES, Position, after, ended
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row

MOST_OFFERED = 60
"""Branches of one question to the model, the largest first; three branches have at most 36 children. Guess: what
several spaces have at their roots."""

TOO_MANY_CALLS = "The walk took as many calls as it may: what was open by then was read."

KeepCalls = Callable[[Sequence[tuple[str, ModelCall]]], Awaitable[None]]
"""Keeps model calls, each with its id."""


@dataclass(frozen=True)
class Asking:
    """Whom a recall asks, and where its calls are kept."""

    model: Model
    keep: KeepCalls
    new_id: NewId

    async def ask(self, request: Request[Reply], *, on_text: OnText | None = None) -> tuple[Answered[Reply], list[str]]:
        """What came of a request, and the ids of its calls, which are kept by then."""
        answered = await self.model.ask(request, on_text=on_text)
        calls = [(self.new_id(), call) for call in answered.calls]
        if calls:
            await self.keep(calls)
        return answered, [id for id, _ in calls]

    def why_not(self, answered: Answered[Any]) -> str:
        """Why there is no answer."""
        return answered.fault or self.model.resting or "The model gave no answer."


@dataclass
class _Run:
    """A walk under way."""

    position: Position
    steps: list[WalkStep] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    offered: dict[str, WalkBranch] = field(default_factory=dict)
    wordings: dict[str, RevisionText] = field(default_factory=dict)
    """By id of the revision."""
    current: dict[str, str | None] = field(default_factory=dict)
    """By topic, the id of its revision."""
    fault: str | None = None

    @property
    def may_ask(self) -> bool:
        """Whether one more question, which may take two calls, keeps to the number of calls."""
        return len(self.calls) - len(self.steps) < MOST_RETRIES

    def inputs(self, question: str, asked_at: datetime, rows: Sequence[Row]) -> WalkInputs:
        """What the model is shown of these children."""
        return WalkInputs(
            question=question, asked_on=asked_at.date().isoformat(), most=self.position.most,
            offered=tuple(
                OfferedBranch(
                    label=f"T{number}", topic=row["id"], revision=row["revision"],
                    inside=self.current.get(row["parent"]), messages=row["message_count"], branches=row["child_count"])
                for number, row in enumerate(rows, start=1)))

    def learn(self, rows: Sequence[Row]) -> None:
        """Take in what was read of children."""
        for row in rows:
            self.offered[row["id"]] = WalkBranch(
                id=row["id"], title=row["title"], messages=row["message_count"], branches=row["child_count"])
            self.current[row["id"]] = row["revision"]
            if row["revision"] is not None:
                self.wordings[row["revision"]] = RevisionText(row["title"], row["text"])

    def walk(self) -> Walk:
        """What came of it."""
        return Walk(
            steps=self.steps, branches=[self.offered[id] for id in self.position.settled],
            model_calls=len(self.calls), tokens_in=sum(call.tokens_in or 0 for call in self.calls),
            tokens_out=sum(call.tokens_out or 0 for call in self.calls), fault=self.fault)


async def walk_down(store: Store, scope: Scope, question: str, asked_at: datetime, asking: Asking) -> Walk:
    """Let the model choose up to three branches; at most depth + 2 calls.

    What a model or its endpoint does is no error: then the walk ends, and says why.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    roots = tuple(space.root for space in scope.spaces)
    run = _Run(Position(roots))
    while run.position.opened:
        at_roots = run.position.opened == roots
        rows = (await _children(store, scope, run.position.opened))[:MOST_OFFERED]
        if not rows or not run.may_ask:
            run.fault = TOO_MANY_CALLS if rows else None
            run.position = ended(run.position, at_roots=at_roots)
            break
        run.learn(rows)
        chosen = await _choose(run, run.inputs(question, asked_at, rows), asking)
        if chosen is None:
            run.position = ended(run.position, at_roots=at_roots)
            break
        children = {row["id"]: row["child_count"] for row in rows}
        run.position = after(run.position, chosen, children, at_roots=at_roots)
    return run.walk()


async def _choose(run: _Run, inputs: WalkInputs, asking: Asking) -> Choice | None:
    """One level; None where the model gave no answer."""
    texts = Texts(revisions=run.wordings)
    answered, ids = await asking.ask(request(inputs, texts))
    run.calls += answered.calls
    step = WalkStep(offered=[run.offered[one.topic] for one in inputs.offered], call_ids=ids)
    if answered.value is None:
        run.steps.append(step)
        run.fault = asking.why_not(answered)
        return None
    chosen = choice(answered.value, inputs, texts)
    run.steps.append(step.model_copy(update={"picked": list(chosen.topics), "ignored": chosen.ignored}))
    return chosen


async def _children(store: Store, scope: Scope, topics: Collection[str]) -> list[Row]:
    """The children of these topics with their current wordings, or those of then; the largest first."""
    if scope.is_past:
        rows = await store.read("children_then", topics=list(topics), spaces=scope.ids, bounds=scope.bounds)
    else:
        rows = await store.read("children_of", topics=list(topics), spaces=scope.ids)
    order = {topic: place for place, topic in enumerate(topics)}
    return sorted(rows, key=lambda row: (order[row["parent"]], -(row["message_count"] or 0), row["id"]))


async def topics_below(store: Store, scope: Scope, branches: Collection[str]) -> set[str]:
    """These branches and all topics below them, of now or of then."""
    found = set(branches)
    level = sorted(found)
    while level:
        if scope.is_past:
            rows = await store.read("branches_below_then", topics=level, spaces=scope.ids, bounds=scope.bounds)
        else:
            rows = await store.read("branches_below", topics=level, spaces=scope.ids)
        level = sorted({row["id"] for row in rows} - found)
        found |= set(level)
    return found
