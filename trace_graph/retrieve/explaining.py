"""How an answer came about: what was kept of a recall, with the texts that may be read now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trace_graph.access.scopes import Scope
from trace_graph.errors import NotFound
from trace_graph.models import ExplainedCandidate, RecallExplanation
from trace_graph.retrieve.topics import paths_of_topics
from trace_graph.retrieve.tracing import KeptRecall, Trace, TracedCandidate
from trace_graph.store.connection import Store


async def read_recall(store: Store, scope: Scope, id: str) -> KeptRecall:
    """A recall that was kept.

    Raises: NotFound where there is none, or one of its spaces must not be read: the two look the same.
    """
    rows = await store.read("read_recall", id=id, spaces=scope.ids)
    if not rows:
        raise NotFound(
            f"There is no recall {id!r}.",
            fix="The latest of each space are kept, as many as the setting recalls_kept says.")
    return KeptRecall.of(rows[0])


async def explain(store: Store, scope: Scope, recall: KeptRecall) -> RecallExplanation:
    """The explanation of a recall; `scope` is what may be read now. Raises: EngineUnavailable, StoreFailed."""
    ids = [one.id for one in recall.trace.candidates]
    rows = await store.read_lists("describe_messages", ids=ids, shown=ids, spaces=scope.ids) if ids else []
    said = {row[0]: row for row in rows}
    parameters, trace = recall.parameters, recall.trace
    offered = frozenset() if trace.walk is None else trace.walk.topics
    paths = await paths_of_topics(store, scope, {row[1] for row in rows if row[1] is not None} | offered)
    titles = {topic: path[-1] for topic, path in paths.items() if path}
    names: dict[str, str] = {space.id: space.name for space in scope.spaces}
    return RecallExplanation(
        recall_id=recall.id, query=recall.query, mode=parameters.mode, budget=parameters.budget,
        limit=parameters.limit, at=recall.at, asked_at=parameters.asked_at, known_at=parameters.known_at,
        actor=recall.actor, door=recall.door,
        change_seqs={names[space]: seq for space, seq in recall.bounds.items()},
        embedder=None if parameters.embedder is None else parameters.embedder.name, version=parameters.version,
        settings=parameters.settings, terms=list(trace.terms), names=list(trace.names),
        dates=list(trace.dates), found=trace.found, dropped=trace.dropped,
        walk=None if trace.walk is None else trace.walk.told(titles), answer=recall.answer,
        candidates=[
            _explained(place, one, trace, said.get(one.id), paths)
            for place, one in enumerate(trace.candidates, start=1)])


def _explained(
    place: int, one: TracedCandidate, trace: Trace, row: list[Any] | None, paths: Mapping[str, tuple[str, ...]]
) -> ExplainedCandidate:
    kept = ExplainedCandidate(
        place=place, rank=one.rank, dropped=one.dropped, id=one.id, part=one.part, score=one.score,
        signals=dict(zip(trace.signals, one.signals, strict=True)), found_by=list(one.found_by), tokens=one.tokens)
    if row is None:
        return kept
    _, topic, external_id, author, session, _, occurred_at, _, _, text = row
    return kept.model_copy(update={
        "external_id": external_id, "author": author, "session": session, "topic_path": list(paths.get(topic, ())),
        "occurred_at": occurred_at, "text": text if one.part is None else text[one.part[0]:one.part[1]].strip()})
