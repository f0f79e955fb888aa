"""Guided recall: what lies in the branches that a model walked, beside the flat search, which is always there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.models import Dropped, NewId, Walk
from trace_graph.retrieve.blending import blend, bottom_up, recovered, walked_share
from trace_graph.retrieve.candidates import Candidate, with_neighbours
from trace_graph.retrieve.ranking import Scored, rank
from trace_graph.retrieve.recall import Answer, Embed, RecallRequest, Searched, search, shown
from trace_graph.retrieve.topics import topics_then
from trace_graph.retrieve.walked import TracedWalk
from trace_graph.retrieve.walking import Asking, topics_below, walk_down
from trace_graph.store.connection import Store
from trace_graph.text.tokens import TokenCounter


@dataclass(frozen=True)
class InBranches:
    """What lies in walked branches."""

    ranked: Sequence[Scored]
    """Best first: of what the flat search scored, and of what only the branches brought."""
    beside: tuple[str, ...]
    """Ids of the latter."""
    score: float
    """Bottom-up: the mean of the three best."""
    best: float
    """The same of the topic that is best by the flat search."""

    @property
    def ids(self) -> frozenset[str]:
        """Of the messages."""
        return frozenset(one.candidate.id for one in self.ranked)


async def answer_guided(
    store: Store, scope: Scope, request: RecallRequest, asking: Asking, *, fallback: bool, embed: Embed,
    settings: RecallSettings, count: TokenCounter, new_id: NewId,
) -> Answer:
    """Walk the tree with a model, and answer with what lies there and what the flat search found.

    Where the model gives no answer at all the fast mode's stands, and the walk says why.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    found = await search(store, scope, request, embed=embed, settings=settings)
    walk = await walk_down(store, scope, request.query, request.asked_at, asking)
    walk = walk.model_copy(update={"fallback": fallback})
    return await _put_together(
        store, scope, request, found, walk, settings=settings, count=count, new_id=new_id, beside=None)


async def answer_again(
    store: Store, scope: Scope, request: RecallRequest, walk: TracedWalk, *, embed: Embed, settings: RecallSettings,
    count: TokenCounter, new_id: NewId, only: Collection[str] | None = None,
) -> Answer:
    """The same with a walk that was kept, and no model.

    With `only` those messages are scored, as it was then, and the branches bring what they brought then.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    flat = None if only is None else set(only).difference(walk.beside)
    found = await search(store, scope, request, embed=embed, settings=settings, only=flat)
    return await _put_together(
        store, scope, request, found, walk.told({}), settings=settings, count=count, new_id=new_id,
        beside=None if only is None else walk.beside)


async def _put_together(
    store: Store, scope: Scope, request: RecallRequest, found: Searched, walk: Walk, *, settings: RecallSettings,
    count: TokenCounter, new_id: NewId, beside: Collection[str] | None,
) -> Answer:
    if walk.fault and walk.fallback and not walk.branches:
        fast = await shown(store, scope, request, found, found.ranked, count=count, new_id=new_id)
        return _with_walk(fast, walk, (), guided=False)
    inside = await read_branches(
        store, scope, found, [one.id for one in walk.branches], settings=settings, beside=beside)
    share, order = 1.0, list(inside.ranked)
    if walk.fallback:
        share = round(walked_share(inside.score, inside.best, settings), 6)
        order = blend(found.ranked, inside.ranked, share, settings.walked_reach)
    answer = await shown(store, scope, request, found, order, count=count, new_id=new_id)
    outside = recovered([item.id for item in answer.result.items], inside.ids)
    answer = replace(answer, result=answer.result.model_copy(update={"recovered": outside}))
    answer = _with_rest(answer, found.ranked)
    return _with_walk(answer, walk.model_copy(update={"share": share}), inside.beside, guided=True)


def _with_walk(answer: Answer, walk: Walk, beside: Sequence[str], *, guided: bool) -> Answer:
    result = answer.result.model_copy(update={"walk": walk, "mode": "guided" if guided else "fast"})
    return replace(answer, result=result, walk=TracedWalk.of(walk, beside))


def _with_rest(answer: Answer, ranked: Sequence[Scored]) -> Answer:
    """What the flat search scored and the walk alone does not show is kept as well, with the reason."""
    there = {one.candidate.id for one in answer.ranked}
    rest = [one for one in ranked if one.candidate.id not in there]
    why: dict[str, Dropped] = {one.candidate.id: "not walked" for one in rest}
    return replace(answer, ranked=[*answer.ranked, *rest], passed_over={**answer.passed_over, **why})


async def read_branches(
    store: Store, scope: Scope, found: Searched, branches: Collection[str], *, settings: RecallSettings,
    beside: Collection[str] | None = None,
) -> InBranches:
    """Rank what lies in branches as the flat search ranks.

    Beside what that found, the branches bring the messages that are nearest in meaning, as many as a ranked list holds;
    with `beside` these and no others.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    topic_of = await topics_then(store, scope, [one.candidate.id for one in found.ranked])
    best = max(_by_topic(found.ranked, topic_of).values(), default=0.0)
    if not branches:
        return InBranches((), (), 0.0, best)
    below = await topics_below(store, scope, branches)
    rows = await store.read_lists(
        "branch_messages_then" if scope.is_past else "branch_messages", topics=sorted(below), spaces=scope.ids,
        bounds=scope.bounds, k=settings.candidates, vector=None if found.vector is None else found.vector.tolist())
    lying = {id for id, topic in topic_of.items() if topic in below}
    brought = [id for id, _ in rows if id not in topic_of] if beside is None else list(beside)
    inside = [one for one in found.ranked if one.candidate.id in lying]
    ranked = _merged(inside, await _scored(store, scope, found, brought, settings=settings))
    return InBranches(
        ranked, tuple(one.candidate.id for one in ranked if one.candidate.id not in lying),
        bottom_up([one.score for one in ranked]), best)


def _merged(inside: Sequence[Scored], more: Sequence[Scored]) -> list[Scored]:
    """Both, best first; what the flat search scored keeps its score, and stands first among equals."""
    return sorted([*inside, *more], key=lambda one: -one.score)


async def _scored(
    store: Store, scope: Scope, found: Searched, brought: Sequence[str], *, settings: RecallSettings
) -> list[Scored]:
    """What only the branches brought, scored among all that the flat search scored."""
    if not brought:
        return []
    known = {one.id for one in found.candidates}
    rows = await with_neighbours(store, scope, found.question, found.vector, brought)
    more = [_brought(one, brought) for one in rows if one.id not in known]
    return [
        one for one in rank([*found.candidates, *more], found.question, settings)
        if one.candidate.id in brought and one.candidate.id not in known]


def _brought(one: Candidate, brought: Sequence[str]) -> Candidate:
    return one._replace(found_by=("walk",) if one.id in brought else ("neighbour",))


def _by_topic(ranked: Sequence[Scored], topic_of: Mapping[str, str]) -> dict[str, float]:
    """The bottom-up score of each topic."""
    scores: dict[str, list[float]] = defaultdict(list)
    for one in ranked:
        if one.candidate.id in topic_of:
            scores[topic_of[one.candidate.id]].append(one.score)
    return {topic: bottom_up(values) for topic, values in scores.items()}
