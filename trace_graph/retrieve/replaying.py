"""A recall run again: its question, parameters and settings, on the memory as it stood then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from trace_graph.access.scopes import Scope, Space
from trace_graph.config import RecallSettings
from trace_graph.models import ReplayChange, ReplayDifference, ReplayReport
from trace_graph.retrieve.comparing import Evidence, changes_since, differences
from trace_graph.retrieve.guided import answer_again
from trace_graph.retrieve.known_then import set_back
from trace_graph.retrieve.recall import Answer, Embed, RecallRequest, answer
from trace_graph.retrieve.tracing import KeptRecall, Parameters, Trace, TracedEmbedder, trace_of
from trace_graph.store.connection import Store
from trace_graph.text.tokens import TokenCounter
from trace_graph.version import VERSION


async def replay(
    store: Store, scope: Scope, recall: KeptRecall, *, embed: Embed, settings: RecallSettings, count: TokenCounter,
    in_use: Callable[[], TracedEmbedder | None],
) -> ReplayReport:
    """Run a recall again and compare; a guided one with the walk that was kept, so no model is asked.

    Args:
        store: where it was kept.
        scope: what may be read now; the recall's spaces are among it.
        recall: as it was kept.
        embed: gives the question's vector.
        settings: those of now; the replay takes those of then.
        count: counts the tokens of a text.
        in_use: the embedder of the database, once it was asked for a vector.

    Raises: EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
    """
    by_id: dict[str, Space] = {space.id: space for space in scope.spaces}
    then = await set_back(store, Scope(tuple(by_id[id] for id in recall.spaces)), recall.bounds)
    parameters = recall.parameters
    request = RecallRequest(
        query=recall.query, asked_at=parameters.asked_at, budget=parameters.budget, limit=parameters.limit,
        known_at=parameters.known_at)

    walk = recall.trace.walk if parameters.mode == "guided" else None

    async def again(only: Collection[str] | None) -> Answer:
        with_what = partial(
            answer_again, walk=walk) if walk is not None else answer
        return await with_what(
            store, then, request, embed=embed, settings=_settings_of(parameters), count=count,
            new_id=lambda: recall.id, only=only)

    found = await again(None)
    changes = changes_since(parameters, parameters.model_copy(update={
        "settings": settings.model_dump(), "version": VERSION,
        "embedder": in_use() if found.question.has_meaning else None}))
    differing = await _compared(store, scope, recall, trace_of(request, found), changes)
    scored = recall.trace.scored
    if differing and scored is not None and scored != {one.candidate.id for one in found.ranked}:
        changes.append(_other_lists(recall, found))
        differing = await _compared(store, scope, recall, trace_of(request, await again(scored)), changes)
    return ReplayReport(
        recall_id=recall.id, equal=not differing, items=len(recall.shown), differences=differing, changes=changes)


async def _compared(
    store: Store, scope: Scope, recall: KeptRecall, trace: Trace, changes: Sequence[ReplayChange]
) -> list[ReplayDifference]:
    ids = {one.id for one in (*recall.trace.candidates, *trace.candidates)}
    rows = await store.read("recorded_in", ids=sorted(ids | (recall.trace.scored or set())), spaces=scope.ids)
    return differences(recall, trace, Evidence(changes, {row["id"] for row in rows}))


def _other_lists(recall: KeptRecall, found: Answer) -> ReplayChange:
    """The lists are cut by scores that count the words of the whole index: with more in it they end elsewhere."""
    then = recall.trace.scored or frozenset()
    now = {one.candidate.id for one in found.ranked}
    return ReplayChange(
        kind="index", name="candidates", then=f"{len(then)}", now=f"{len(now)}, {len(now - then)} of them others",
        replayed=True)


def _settings_of(parameters: Parameters) -> RecallSettings:
    """The settings of then, as far as this version knows them."""
    known = RecallSettings.model_fields
    return RecallSettings.model_validate({name: value for name, value in parameters.settings.items() if name in known})

