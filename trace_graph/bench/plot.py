"""The plot: what a context holds over what it costs, and how long a question takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from trace_graph.bench.results import Part, Results, System
from trace_graph.bench.scoring import BUDGETS

LOOKS: dict[System, tuple[str, str]] = {
    "trace-graph": ("#0b5394", "o"), "bm25": ("#cc4125", "s"), "vectors": ("#6aa84f", "^"), "rrf": ("#8e63a8", "D"),
    "last": ("#888888", "v"),
}
"""Colour and marker; told apart without colours too."""


def draw(results: Results, file: Path) -> None:
    """Write the plot as PNG: two panels, all questions (of the half that was asked) of the categories that count."""
    part: Part = "all" if "all" in results.figures else next(iter(results.figures))
    category = next(iter(results.figures[part]))
    figure = Figure(figsize=(11, 4.6), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    quality, latency = figure.subplots(1, 2, width_ratios=(3, 2))
    _quality(quality, results, part, category)
    _latency(latency, results)
    questions = results.counts[part][category]
    named = "" if category == "all" else f" of category {category}"
    half = "" if part == "all" else f" of the {part} half"
    figure.suptitle(f"{results.benchmark}: {questions:,} questions{named}{half}", fontsize=12)
    figure.savefig(file, metadata={"Software": None})


def _quality(axes: Any, results: Results, part: Part, category: str) -> None:
    by_system = results.figures[part][category]
    for system, values in by_system.items():
        colour, marker = LOOKS[system]
        axes.plot(
            BUDGETS, [values[f"T{budget}"] for budget in BUDGETS], color=colour, marker=marker, label=system,
            linewidth=2.4 if system == "trace-graph" else 1.4, zorder=3 if system == "trace-graph" else 2)
    axes.set_xscale("log", base=2)
    axes.set_xticks(BUDGETS, [f"{budget:,}" for budget in BUDGETS])
    axes.minorticks_off()
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(f"tokens of the context (all that was said: {results.full_context_tokens:,.0f})")
    axes.set_ylabel("share of the evidence in it")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="best")


def _latency(axes: Any, results: Results) -> None:
    # The last messages are the same whatever is asked: nothing is computed.
    systems = [(name, one) for name, one in reversed(results.timings.latency_ms.items()) if name != "last"]
    for row, (system, one) in enumerate(systems):
        colour = LOOKS[system][0]
        axes.plot([one.p50, one.p95], [row, row], color=colour, linewidth=2)
        axes.plot(one.p50, row, "o", color=colour)
        axes.plot(one.p95, row, "|", color=colour, markersize=14, markeredgewidth=2)
        axes.annotate(
            f"{one.p50:.3g} / {one.p95:.3g}", ((one.p50 * one.p95) ** 0.5 or one.p95, row), xytext=(0, 9),
            textcoords="offset points", ha="center", fontsize=9)
    axes.set_yticks(range(len(systems)), [system for system, _ in systems])
    axes.set_ylim(-0.5, len(systems) - 0.2)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.margins(x=0.2)
    axes.set_xlabel("ms a question, p50 and p95\n(trace-graph: through the database; others: in memory)", fontsize=9)
    axes.grid(alpha=0.3, axis="x")
