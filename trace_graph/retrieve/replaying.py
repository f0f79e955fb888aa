"""A recall run again: its question, parameters and settings, on the memory as it stood then."""

from __future__ import annotations

from collections.abc import Callable

from trace_graph.access.scopes import Scope, Space
from trace_graph.config import RecallSettings
from trace_graph.models import ReplayReport
from trace_graph.retrieve.comparing import Evidence, Place, changes_since, differences
from trace_graph.retrieve.known_then import set_back
from trace_graph.retrieve.recall import Embed, RecallRequest, answer
from trace_graph.retrieve.tracing import KeptRecall, Parameters, Trace, TracedEmbedder, trace_of
from trace_graph.store.connection import Store
from trace_graph.text.tokens import TokenCounter
from trace_graph.version import VERSION


async def replay(
    store: Store, scope: Scope, recall: KeptRecall, *, embed: Embed, settings: RecallSettings, count: TokenCounter,
    in_use: Callable[[], TracedEmbedder | None],
) -> ReplayReport:
    """Run a recall again and compare.

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
    found = await answer(
        store, then, request, embed=embed, settings=_settings_of(parameters), count=count, new_id=lambda: recall.id)
    trace = trace_of(request, found)
    now = parameters.model_copy(update={
        "settings": settings.model_dump(), "version": VERSION,
        "embedder": in_use() if found.question.has_meaning else None})
    changes = changes_since(parameters, now)
    found_differences = differences(recall, trace, Evidence(changes, await _places(store, scope, recall, trace)))
    return ReplayReport(
        recall_id=recall.id, equal=not found_differences, items=len(recall.shown), differences=found_differences,
        changes=changes)


def _settings_of(parameters: Parameters) -> RecallSettings:
    """The settings of then, as far as this version knows them."""
    known = RecallSettings.model_fields
    return RecallSettings.model_validate({name: value for name, value in parameters.settings.items() if name in known})


async def _places(store: Store, scope: Scope, recall: KeptRecall, trace: Trace) -> dict[str, Place]:
    ids = {one.id for one in (*recall.trace.candidates, *trace.candidates)}
    rows = await store.read("recorded_in", ids=sorted(ids), spaces=scope.ids)
    return {row["id"]: Place(row["space"], row["change_seq"]) for row in rows}
