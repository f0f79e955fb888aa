"""What a finished run gives, put together from its lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trace_graph.bench.circumstances import Circumstances
from trace_graph.bench.datasets import Dataset, Selection
from trace_graph.bench.figures import UNRANKED, by_group, compare, figures, parts
from trace_graph.bench.results import (
    DataDescription,
    Latency,
    Results,
    StoredTokens,
    System,
    Timings,
)
from trace_graph.bench.run_folder import Asked, Filled, RunFolder
from trace_graph.bench.scoring import mean, percentile
from trace_graph.config import Settings


def sum_up(
    selection: Selection, systems: Sequence[System], dataset: Dataset, folder: RunFolder, *, settings: Settings,
    about: Circumstances,
) -> Results:
    """The results of a run whose every question was asked."""
    asked = [folder.asked[question.id] for pool in dataset.pools for question in pool.questions]
    filled = [folder.filled[pool.name] for pool in dataset.pools]
    pools = [one.pool for one in filled]
    rows = [one.result for one in asked]
    ranked: list[System] = [system for system in systems if system not in UNRANKED]
    grouped = {part: by_group(dataset.name, there) for part, there in parts(rows).items()}
    return Results(
        benchmark=dataset.name, circumstances=about, data=_data(selection, dataset),
        recall_settings=settings.recall.model_dump(mode="json"), systems=list(systems),
        figures={
            part: {category: {system: figures(members, system) for system in ranked}
                   for category, members in there.items()}
            for part, there in grouped.items()},
        counts={part: {category: len(members) for category, members in there.items()}
                for part, there in grouped.items()},
        against_bm25=compare(dataset.name, rows, ranked),
        full_context_tokens=round(mean([pool.context_tokens for pool in pools for _ in range(pool.questions)]), 1),
        stored_tokens=_mean_stored([pool.stored for pool in pools if pool.stored is not None]),
        model_calls=sum(pool.model_calls for pool in pools), answers="not measured",
        timings=_timings(ranked, asked, filled), pools=pools, questions=rows)


def _data(selection: Selection, dataset: Dataset) -> DataDescription:
    return DataDescription(
        file=selection.path.name, sha256=dataset.sha256, pools=len(dataset.pools), pooled=selection.pooled,
        samples=list(selection.samples), half=selection.half, first_questions=selection.questions,
        messages=sum(len(pool.messages) for pool in dataset.pools), rejected=dataset.rejected,
        questions=sum(len(pool.questions) for pool in dataset.pools), unscored=dataset.unscored)


def _timings(systems: Sequence[System], asked: Sequence[Asked], filled: Sequence[Filled]) -> Timings:
    latency = {}
    for system in systems:
        milliseconds = [one.seconds[system] * 1000 for one in asked]
        latency[system] = Latency(
            p50=round(percentile(milliseconds, 50), 2), p95=round(percentile(milliseconds, 95), 2))
    return Timings(
        latency_ms=latency, import_seconds=_sum(one.import_seconds for one in filled),
        organize_seconds=_sum(one.organize_seconds for one in filled))


def _sum(seconds: Iterable[float | None]) -> float | None:
    known = list(seconds)
    return None if None in known else round(sum(one for one in known if one is not None), 2)


def _mean_stored(stored: Sequence[StoredTokens]) -> StoredTokens | None:
    if not stored:
        return None

    def of(values: Iterable[float | str]) -> float | None:
        known = [value for value in values if not isinstance(value, str)]
        return round(mean(known), 1) if len(known) == len(stored) else None

    facts, calls = of(one.facts for one in stored), of(one.calls for one in stored)
    return StoredTokens(
        messages=mean([one.messages for one in stored]), summaries=mean([one.summaries for one in stored]),
        current_summaries=mean([one.current_summaries for one in stored]),
        facts="not measured" if facts is None else facts, calls="not measured" if calls is None else calls)
