"""From where each piece of evidence was found to figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from trace_graph.bench.datasets import Name, groups
from trace_graph.bench.results import Comparison, Figures, Part, QuestionResult, System
from trace_graph.bench.scoring import (
    BUDGETS,
    CUTS,
    mean,
    paired_interval,
    recall_at,
    recall_within,
    reciprocal_rank,
)

FEWEST_COMPARED = 30
"""Questions of a category that is compared with BM25. Source: issue 5."""
UNRANKED: frozenset[System] = frozenset({"full"})
"""Systems that only have a size."""

Rows = Sequence[QuestionResult]


def parts(rows: Rows) -> dict[Part, Rows]:
    """The report half first, then all; one of them where the other holds the same."""
    report = [row for row in rows if row.half == "report"]
    if len(report) == len(rows):
        return {"report": report}
    if rows and all(row.half == "tune" for row in rows):
        return {"tune": rows}
    return {"report": report, "all": rows} if report else {"all": rows}


def by_group(name: Name, rows: Rows) -> dict[str, Rows]:
    """The questions of each category, and of those that count together."""
    wanted = groups(name, [row.category for row in rows])
    return {title: [row for row in rows if row.category in part] for title, part in wanted.items()}


def figures(rows: Rows, system: System) -> Figures:
    """Means over the questions."""
    found = [row.found[system] for row in rows]
    values = {f"R@{k}": mean([recall_at(one.ranks, k) for one in found]) for k in CUTS}
    values["MRR"] = mean([reciprocal_rank(one.ranks) for one in found])
    for budget in BUDGETS:
        inside = [recall_within(one.tokens, budget) for one in found]
        values[f"T{budget}"] = mean(inside)
        values[f"F{budget}"] = mean([float(share == 1.0) for share in inside])
    return {title: round(value, 5) for title, value in values.items()}


def compare(name: Name, rows: Rows, systems: Sequence[System]) -> list[Comparison]:
    """Every system against BM25, in every group of enough questions; nothing where BM25 was not asked."""
    return [
        _comparison(system, part, category, members)
        for part, there in parts(rows).items()
        for category, members in by_group(name, there).items() if len(members) >= FEWEST_COMPARED
        for system in systems if "bm25" in systems and system != "bm25" and system not in UNRANKED]


def _comparison(system: System, part: Part, category: str, rows: Rows) -> Comparison:
    mine, theirs = (
        [recall_at(row.found[each].ranks, 10) for row in rows] for each in (system, "bm25"))
    interval = paired_interval(mine, theirs)
    return Comparison(
        system=system, part=part, category=category, questions=len(rows), difference=round(interval.difference, 5),
        low=round(interval.low, 5), high=round(interval.high, 5), below=interval.high < 0)
