"""Scored answers become a table and a document. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.locomo import ANSWERABLE
from bench.questions import Question
from bench.scoring import BUDGETS, CUTS, Shown, mean, paired_interval, percentile, recall_at, recall_within

PRODUCT, BASELINE = "trace-graph", "bm25s"


@dataclass(frozen=True)
class Answered:
    """One question with what a system gave."""

    question: Question
    ranking: tuple[Shown, ...]
    """For R@k."""
    packed: tuple[Shown, ...]
    """What was packed into the largest budget, for T<B>."""
    seconds: float
    """Of the ranking."""


Answers = Mapping[str, Sequence[Answered]]
"""By system, each for the same questions in the same order."""


def groups(answers: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Answers by category: each of 1 to 4, these four together, and 5 on its own; empty ones are left out."""
    by_name = {
        **{name: [one for one in answers if one.question.category == name] for name in ANSWERABLE},
        "1-4": [one for one in answers if one.question.category in ANSWERABLE],
        "5": [one for one in answers if one.question.category == "5"],
    }
    return {name: part for name, part in by_name.items() if part}


def figures(answers: Sequence[Answered]) -> dict[str, float]:
    """R@k and T<B> of some answers: means over their questions."""
    recalls = {
        f"R@{k}": mean([recall_at(one.question.evidence, one.ranking, k) for one in answers]) for k in CUTS}
    contexts = {
        f"T{budget}": mean([recall_within(one.question.evidence, one.packed, budget) for one in answers])
        for budget in BUDGETS}
    return {**recalls, **contexts}


def differences(answers: Answers) -> dict[str, dict[str, float]]:
    """R@10 on categories 1-4 of every system less the product's own as filed, and the 95 % interval of each."""
    scores = {
        system: [
            recall_at(one.question.evidence, one.ranking, 10) for one in given
            if one.question.category in ANSWERABLE]
        for system, given in answers.items()}
    return {
        f"{system} - {PRODUCT}": asdict(paired_interval(values, scores[PRODUCT]))
        for system, values in scores.items() if system != PRODUCT}


def document(answers: Answers) -> dict[str, Any]:
    """Everything that was measured, by system and category; for each question the ranks of its evidence."""
    return {
        "systems": {
            system: {
                "latency_ms": latency(given),
                "categories": {
                    name: {"questions": len(part), **_rounded(figures(part))} for name, part in groups(given).items()},
            } for system, given in answers.items()},
        "differences_r10": {name: _rounded(values) for name, values in differences(answers).items()},
        "questions": [
            {
                "id": given[0].question.id, "category": given[0].question.category,
                "evidence": list(given[0].question.evidence),
                "ranks": {system: _ranks(one) for system, one in zip(answers, given, strict=True)},
            } for given in zip(*answers.values(), strict=True)],
    }


def table(answers: Answers) -> str:
    """The figures by system and category, then latencies and differences, for people."""
    columns = [f"R@{k}" for k in CUTS] + [f"T{budget}" for budget in BUDGETS]
    lines = [f"{'system':<22}{'cat':>4}{'n':>6}" + "".join(f"{column:>8}" for column in columns)]
    for system, given in answers.items():
        for name, part in groups(given).items():
            values = figures(part)
            lines.append(f"{system:<22}{name:>4}{len(part):>6}" + "".join(f"{values[one]:>8.3f}" for one in columns))
    lines.append("")
    for system, given in answers.items():
        p50, p95 = latency(given).values()
        lines.append(f"{system:<22} p50 {p50:.1f} ms, p95 {p95:.1f} ms")
    lines += [
        f"R@10, categories 1-4: {name}: {one['difference']:+.4f} [{one['low']:+.4f}, {one['high']:+.4f}] (95 %, paired)"
        for name, one in differences(answers).items()]
    return "\n".join(lines)


def latency(given: Sequence[Answered]) -> dict[str, float]:
    """Milliseconds of one question."""
    milliseconds = [one.seconds * 1000 for one in given]
    return {"p50": round(percentile(milliseconds, 50), 2), "p95": round(percentile(milliseconds, 95), 2)}


def _ranks(answered: Answered) -> list[int | None]:
    """The rank of each piece of evidence, from 1; None where the ranking does not have it."""
    places = {shown.id: place for place, shown in reversed(list(enumerate(answered.ranking, start=1)))}
    return [places.get(id) for id in answered.question.evidence]


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 5) for name, value in values.items()}
