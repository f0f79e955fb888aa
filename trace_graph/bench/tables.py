"""The results in tables and sentences, for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trace_graph.bench.results import Part, Results, StoredTokens, System
from trace_graph.bench.scoring import BUDGETS, CUTS

OF_PART: Mapping[Part, str] = {
    "report": "the report half (nothing was tuned on it)", "tune": "the tune half", "all": "all questions"}
BY_CATEGORY = ("R@10", "T2000")
"""The figures that are shown by category."""
BY_LANGUAGE = ("R@5", "MRR")
"""The same of the set across languages, whose pool fits a context."""


class Table(NamedTuple):
    """A table under its title."""

    title: str
    header: list[str]
    rows: list[list[str]]


def tables(results: Results) -> list[Table]:
    """For each half: the categories that count together, then each category; last what depends on the machine."""
    made = []
    for part, by_category in results.figures.items():
        together = next(iter(by_category))
        of_category = "" if together == "all" else f" of category {together}"
        whole = f"{OF_PART[part]}, {results.counts[part][together]:,}{of_category}"
        made.append(_whole(f"Share of the evidence: {whole}", by_category[together], [
            *(f"R@{k}" for k in CUTS), "MRR", *(f"T{budget}" for budget in BUDGETS)]))
        made.append(_whole(f"Questions whose evidence is in the context whole: {whole}", by_category[together], [
            f"F{budget}" for budget in BUDGETS]))
        if len(by_category) > 1:
            chosen = BY_LANGUAGE if results.benchmark == "multilingual" else BY_CATEGORY
            made += [_by_category(results, part, figure) for figure in chosen]
    latency = results.timings.latency_ms
    made.append(Table(
        "Milliseconds a question (trace-graph: through the database; the others: in memory)", ["system", "p50", "p95"],
        [[system, f"{one.p50:.1f}", f"{one.p95:.1f}"] for system, one in latency.items()]))
    return made


def sentences(results: Results) -> list[str]:
    """What the tables leave out."""
    return [
        *below_bm25(results),
        f"Full context: {results.full_context_tokens:,.0f} tokens a question.",
        *_stored(results.stored_tokens),
        f"Model calls: {results.model_calls}. Answers judged by a model: {results.answers}.",
    ]


def below_bm25(results: Results) -> list[str]:
    """Whether trace-graph lies below BM25 anywhere by more than chance; nothing where the two were not compared."""
    mine = [one for one in results.against_bm25 if one.system == "trace-graph"]
    if not mine:
        return []
    below = [one for one in mine if one.below]
    if not below:
        return [f"Against BM25 (R@10, groups of at least 30 questions: {len(mine)}): trace-graph lies below it in none "
                "by more than the 95 % interval of a paired bootstrap."]
    return [
        f"Against BM25 (R@10): BELOW it in category {one.category} of {OF_PART[one.part]}: {one.difference:+.3f} "
        f"[{one.low:+.3f}, {one.high:+.3f}] over {one.questions} questions (95 %, paired bootstrap)." for one in below]


def as_markdown(results: Results) -> str:
    """Everything as one page."""
    about, data = results.circumstances, results.data
    head = (
        f"# {results.benchmark}\n\n`{about.command}`, {about.date:%Y-%m-%d %H:%M} UTC, trace-graph {about.version}"
        f"{f' at {about.commit}' if about.commit else ''}, {about.engine or 'no database'}, embedder {about.embedder}, "
        f"{about.machine}, {about.cores} cores, load {about.load}.\n`{data.file}`, SHA-256 {data.sha256}: "
        f"{data.messages:,} messages in {data.pools} spaces, {data.questions:,} questions with evidence.\n")
    return "\n".join([head, *map(_markdown, tables(results)), *(f"- {line}" for line in sentences(results)), ""])


def _whole(title: str, by_system: Mapping[System, Mapping[str, float]], figures: Sequence[str]) -> Table:
    return Table(title, ["system", *figures], [
        [system, *(_share(values[figure]) for figure in figures)] for system, values in by_system.items()])


def _by_category(results: Results, part: Part, figure: str) -> Table:
    by_category = results.figures[part]
    systems = list(next(iter(by_category.values())))
    return Table(f"{figure} by category: {OF_PART[part]}", ["category", "questions", *systems], [
        [category, str(results.counts[part][category]), *(_share(values[system][figure]) for system in systems)]
        for category, values in by_category.items()])


def _stored(stored: StoredTokens | None) -> list[str]:
    if stored is None:
        return []
    facts, calls = (one if isinstance(one, str) else f"{one:,.0f}" for one in (stored.facts, stored.calls))
    return [f"Stored tokens a conversation: messages {stored.messages:,.0f}, summaries {stored.summaries:,.0f} "
            f"(current {stored.current_summaries:,.0f}), facts {facts}, calls {calls}."]


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _markdown(table: Table) -> str:
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return f"{table.title}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"
