"""Where a walk down the tree stands, and what is kept of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from trace_graph.llm.purposes.walk import Choice
from trace_graph.models import Walk, WalkBranch, WalkStep

MOST_BRANCHES = 3
"""Branches that are walked, in all. Source: design, section 4."""
MOST_RETRIES = 2
"""Calls beyond one a level: a walk takes at most the depth of the tree + 2. Source: the same."""


@dataclass(frozen=True)
class Position:
    """Where a walk stands."""

    opened: tuple[str, ...]
    """Topics whose children are looked at next, the roots at first."""
    settled: tuple[str, ...] = ()
    """Topics in which it has ended."""

    @property
    def most(self) -> int:
        """Branches that may still be chosen."""
        return MOST_BRANCHES - len(self.settled)


def after(position: Position, choice: Choice, children: Mapping[str, int], *, at_roots: bool) -> Position:
    """Where the walk stands after a choice.

    A leaf that is chosen is where it ends; other branches are opened, unless the model says stop. Where it chooses
    nothing, it ends in what is open.

    Args:
        position: before.
        choice: what the model chose among what was offered.
        children: by topic offered, how many branches lie inside.
        at_roots: whether what is open are roots: nobody chose those.
    """
    if not choice.topics:
        return ended(position, at_roots=at_roots)
    ends = tuple(topic for topic in choice.topics if choice.stop or not children[topic])
    return Position(
        opened=tuple(topic for topic in choice.topics if topic not in ends), settled=(*position.settled, *ends))


def ended(position: Position, *, at_roots: bool) -> Position:
    """The walk ended in what is open."""
    return Position((), position.settled if at_roots else (*position.settled, *position.opened))


class TracedBranch(BaseModel):
    """A branch in numbers; its title is read when somebody asks."""

    model_config = ConfigDict(frozen=True)

    id: str
    messages: int | None
    branches: int


class TracedStep(BaseModel):
    """One level, without a word of it."""

    model_config = ConfigDict(frozen=True)

    offered: tuple[TracedBranch, ...]
    picked: tuple[str, ...]
    ignored: int
    calls: tuple[str, ...]


class TracedWalk(BaseModel):
    """A walk as it is kept with its recall: enough to explain it, and to replay the recall without a model."""

    model_config = ConfigDict(frozen=True)

    steps: tuple[TracedStep, ...]
    branches: tuple[str, ...]
    share: float
    fallback: bool
    beside: tuple[str, ...]
    """Ids of the messages that only the branches brought, not the flat search's lists."""
    model_calls: int
    tokens_in: int
    tokens_out: int
    fault: str | None

    @classmethod
    def of(cls, walk: Walk, beside: Sequence[str]) -> TracedWalk:
        """Of a walk, without its titles."""
        return cls(
            steps=tuple(
                TracedStep(
                    offered=tuple(TracedBranch(id=one.id, messages=one.messages, branches=one.branches)
                                  for one in step.offered),
                    picked=tuple(step.picked), ignored=step.ignored, calls=tuple(step.call_ids))
                for step in walk.steps),
            branches=tuple(one.id for one in walk.branches), share=walk.share, fallback=walk.fallback,
            beside=tuple(beside), model_calls=walk.model_calls, tokens_in=walk.tokens_in, tokens_out=walk.tokens_out,
            fault=walk.fault)

    @property
    def topics(self) -> frozenset[str]:
        """Ids of every topic that was offered."""
        return frozenset(one.id for step in self.steps for one in step.offered)

    def told(self, titles: Mapping[str, str]) -> Walk:
        """The walk with the titles that may be read; a branch without one has none."""
        offered = {
            one.id: WalkBranch(id=one.id, title=titles.get(one.id), messages=one.messages, branches=one.branches)
            for step in self.steps for one in step.offered}
        return Walk(
            steps=[
                WalkStep(offered=[offered[one.id] for one in step.offered], picked=list(step.picked),
                         ignored=step.ignored, call_ids=list(step.calls))
                for step in self.steps],
            branches=[offered[id] for id in self.branches], share=self.share, fallback=self.fallback,
            model_calls=self.model_calls, tokens_in=self.tokens_in, tokens_out=self.tokens_out, fault=self.fault)
