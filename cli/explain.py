"""`trace-graph explain` and `trace-graph replay`: how an answer came about, and whether it would come again."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import counted, decimals, moment, table
from trace_graph.text.display import clip, visible

if TYPE_CHECKING:
    from trace_graph.models import (
        ExplainedCandidate,
        KeptAnswer,
        RecallExplanation,
        ReplayReport,
        Walk,
        WalkBranch,
    )

DROPPED_SHOWN = 10
"""Candidates that were not shown, of which the best are printed. Guess; --json lists all that are kept."""
EXCERPT = 60
"""Characters of a message in the table. Guess."""

RecallId = Annotated[str, typer.Argument(
    metavar="RECALL_ID", help="A recall's id: recall says it on stderr, and as recall_id with --json.")]


def explain(context: typer.Context, recall_id: RecallId) -> Coroutine[Any, Any, int]:
    """Show how the answer to a recall came about.

    Prints what was asked of which state of the memory, how the question was read, and what was scored: by which
    signals, and why it was shown or not. The latest recalls of a space are kept (setting recalls_kept).
    """
    return _explain(options_of(context), recall_id)


def replay(context: typer.Context, recall_id: RecallId) -> Coroutine[Any, Any, int]:
    """Run a recall again on the memory as it was then, and compare.

    Prints whether the same messages came in the same places with the same scores, or what differs and why. Exits with 1
    where it differs.
    """
    return _replay(options_of(context), recall_id)


async def _explain(options: GlobalOptions, recall_id: str) -> int:
    async with memory_of(options) as memory:
        explanation = await memory.explain(recall_id)
    show(options, explanation, lambda: explanation_words(explanation))
    return 0


async def _replay(options: GlobalOptions, recall_id: str) -> int:
    async with memory_of(options) as memory:
        report = await memory.replay(recall_id)
    show(options, report, lambda: _report(report))
    return 0 if report.equal else 1


def explanation_words(explanation: RecallExplanation) -> str:
    """An explanation for people: its circumstances, the question, the candidates."""
    shown = [one for one in explanation.candidates if one.rank is not None]
    dropped = [one for one in explanation.candidates if one.rank is None]
    parts = [table(("RECALL", explanation.recall_id), _circumstances(explanation))]
    if explanation.walk is not None:
        parts.append(walk_words(explanation.walk))
    if explanation.answer is not None:
        parts.append(answer_table(explanation.answer))
    if shown:
        parts.append(_candidates(shown, "RANK", [one.rank for one in shown]))
    else:
        parts.append("Nothing was shown.")
    if dropped:
        few = dropped[:DROPPED_SHOWN]
        parts.append(_candidates(few, "DROPPED FOR", [one.dropped for one in few]))
    reasons = ", ".join(f"{number:,} for {reason}" for reason, number in explanation.dropped.items())
    parts.append(
        f"{counted(explanation.found, 'message')} scored, {len(shown)} shown"
        + (f"; dropped: {reasons}" if reasons else ""))
    return "\n\n".join(parts)


def _circumstances(explanation: RecallExplanation) -> list[tuple[str, Any]]:
    limit = explanation.limit
    wanted = f"{explanation.budget:,} tokens" if limit is None else counted(limit, "item")
    rows: list[tuple[str, Any]] = [
        ("question", explanation.query),
        ("asked for", f"{wanted}, {explanation.mode}"),
        ("answered", f"{moment(explanation.at)}, for {explanation.actor} ({explanation.door})"),
        ("moment of the question", moment(explanation.asked_at)),
        *([("known at", moment(explanation.known_at))] if explanation.known_at else []),
        ("spaces", ", ".join(f"{name} at change {seq}" for name, seq in explanation.change_seqs.items())),
        ("words", ", ".join(explanation.terms)),
        ("speakers", ", ".join(explanation.names)),
        ("dates", ", ".join(first if first == last else f"{first} to {last}" for first, last in explanation.dates)),
        ("embedder", explanation.embedder or "none asked"),
        ("trace-graph", explanation.version),
    ]
    return [(name, value or "none") for name, value in rows]


def walk_words(walk: Walk) -> str:
    """The levels of a walk: what was offered, and what the model chose."""
    rows = [
        (number, "yes" if one.id in step.picked else "", _title(one), one.messages, one.branches,
         ", ".join(step.call_ids))
        for number, step in enumerate(walk.steps, start=1) for one in step.offered]
    led = ", ".join(_title(one) for one in walk.branches) or "nowhere"
    share = f"; {walk.share:.0%} of the budget for it" if walk.fallback else "; nothing else was shown"
    said = f"The walk led to {visible(led, one_line=True)}{share}; {counted(walk.model_calls, 'model call')}."
    if walk.fault is not None:
        said += f" It ended early: {visible(walk.fault, one_line=True)}"
    shown = [table(("LEVEL", "PICKED", "BRANCH", "MESSAGES", "BRANCHES INSIDE", "MODEL CALL"), rows)] if rows else []
    return "\n\n".join([*shown, said])


def _title(branch: WalkBranch) -> str:
    return branch.title or branch.id


def answer_table(answer: KeptAnswer) -> str:
    """What a model answered, and what it cites."""
    rows = [
        ("answered", answer.text), ("held by the memory", "yes" if answer.found else "no"),
        ("cites", ", ".join(f"[{number}] {id}" for number, id in enumerate(answer.citations, start=1)) or "nothing"),
        ("citations taken out", answer.dropped), ("model call", ", ".join(answer.call_ids) or "none")]
    return table(("ANSWER", ""), rows)


def _candidates(candidates: list[ExplainedCandidate], mark: str, marks: list[Any]) -> str:
    names = list(candidates[0].signals)
    return table(
        (mark, "SCORE", *(name.upper() for name in names), "TOKENS", "FOUND BY", "WHO", "WHAT"),
        [
            (str(sign), decimals(one.score), *(decimals(one.signals[name]) for name in names), one.tokens,
             ", ".join(one.found_by), one.author or "", _excerpt(one))
            for sign, one in zip(marks, candidates, strict=True)])


def _excerpt(one: ExplainedCandidate) -> str:
    if one.text is None:
        return f"{one.id} (erased)"
    return clip(visible(one.text, one_line=True), EXCERPT)


def _report(report: ReplayReport) -> str:
    parts = []
    if report.equal:
        parts.append(f"Equal: {counted(report.items, 'item')}, each in its place with its score.")
    else:
        parts += ["It is not equal.", table(
            ("WHAT", "MESSAGE", "THEN", "NOW", "WHY"),
            [(one.kind, one.id, _value(one.then), _value(one.now), one.why) for one in report.differences])]
    if report.changes:
        parts += ["Changed since:", table(
            ("WHAT", "THEN", "NOW", "REPLAYED WITH"),
            [(one.name, one.then, one.now, "then" if one.replayed else "now") for one in report.changes])]
    return "\n\n".join(parts)


def _value(value: Any) -> Any:
    return "" if value is None else value
