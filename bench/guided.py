"""What a walk down the tree brings to recall, and what a wrong one costs: LoCoMo, with walkers that are known.

    python -m bench.guided [--uri URI] [--half tune|report] [--samples conv-44 ...] [--out FILE.json]

Each conversation is imported and organised without a model. Then each question is walked by a perfect walker, by one
that is always wrong, and by one that is wrong and takes what looks best; the evidence within 1,000 tokens is counted
for shares of the budget from 0 to .5, and once more by recall itself with the settings as they are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.locomo import default_file
from bench.walkers import WALKERS, Walker, contents, walker
from trace_graph import Memory, TraceGraphError
from trace_graph.bench.asking import fill, shown
from trace_graph.bench.datasets import LOCOMO_ANSWERABLE, Pool, Selection, read_dataset
from trace_graph.bench.engine import engine_title
from trace_graph.bench.questions import Question
from trace_graph.bench.scoring import Shown, mean, recall_within, tokens_of, tokens_to
from trace_graph.config import RecallSettings, Settings
from trace_graph.llm.values import Model
from trace_graph.models import uuid7
from trace_graph.retrieve.blending import blend, walked_share
from trace_graph.retrieve.guided import InBranches, read_branches
from trace_graph.retrieve.ranking import Scored
from trace_graph.retrieve.recall import RecallRequest, Searched, search
from trace_graph.retrieve.walking import Asking, walk_down

BUDGET = 1000
SHARES = (0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5)


@dataclass(frozen=True)
class Walked:
    """One question, walked by one walker."""

    within: Mapping[float, float]
    """By share: how much of the evidence stands in the first 1,000 tokens."""
    recalled: float
    """The same of a recall with the settings as they are."""
    outside: float
    """Of the evidence, what that recall shows although it lies outside the walk."""
    named: float
    """Of that, what `recovered` names; 1 where there is none."""


@dataclass(frozen=True)
class Filled:
    """A conversation in its space."""

    memory: Memory
    space: str
    below: Mapping[str, frozenset[str]]
    external: Mapping[str, str]
    """External ids by id."""
    tokens: Mapping[str, float]
    """Of each message, by external id."""


async def measure(settings: Settings, selection: Selection) -> dict[Walker, list[Walked]]:
    """Walk every question that has an answer, by each of the walkers."""
    found: dict[Walker, list[Walked]] = {kind: [] for kind in WALKERS}
    run = uuid7()[-6:]
    async with Memory(settings=settings) as memory:
        for pool in read_dataset(selection).pools:
            filled = await _filled(memory, f"bench-{run}-{pool.name}", pool)
            questions = [one for one in pool.questions if one.category in LOCOMO_ANSWERABLE]
            for question in questions:
                for kind, walked in (await _question(filled, pool, question)).items():
                    found[kind].append(walked)
            print(f"{pool.name}: {len(questions)} questions", file=sys.stderr, flush=True)
    return found


async def _filled(memory: Memory, space: str, pool: Pool) -> Filled:
    await fill(memory, space, pool, lambda *_: None)
    tree = await memory.tree(space=space, messages=True)
    external: dict[str, str] = {}
    stack = [tree]
    while stack:
        node = stack.pop()
        external.update({message.id: str(message.external_id) for message in node.messages})
        stack += node.children
    return Filled(
        memory, space, contents(tree), external,
        {str(message.external_id): tokens_of(message.text) for message in pool.messages})


async def _question(filled: Filled, pool: Pool, question: Question) -> dict[Walker, Walked]:
    opened, scope = await filled.memory._scope(filled.space)
    settings = filled.memory.settings.recall
    request = RecallRequest(question.text, pool.asked_at(question), BUDGET, None)
    found = await search(opened.store, scope, request, embed=opened.embedder.embed_question, settings=settings)
    scores = {filled.external[one.candidate.id]: one.score for one in found.ranked}
    result: dict[Walker, Walked] = {}
    for kind in WALKERS:
        model = walker(kind, question.evidence, filled.below, scores, question.id)
        walk = await walk_down(
            opened.store, scope, question.text, request.asked_at, Asking(model, _forget, uuid7))
        inside = await read_branches(
            opened.store, scope, found, [one.id for one in walk.branches], settings=settings)
        model = walker(kind, question.evidence, filled.below, scores, question.id)
        result[kind] = Walked(
            {share: _within(filled, question, _blended(found, inside, settings, share)) for share in SHARES},
            *await _recalled(filled, pool, question, model))
    return result


async def _forget(_: object) -> None:
    """The calls of a scripted model are not kept."""


def _blended(found: Searched, inside: InBranches, settings: RecallSettings, share: float) -> list[Scored]:
    """The two rankings in one, at a share."""
    at = settings.model_copy(update={"walked_share": share})
    return blend(found.ranked, inside.ranked, walked_share(inside.score, inside.best, at), settings.walked_reach)


def _within(filled: Filled, question: Question, order: Sequence[Scored]) -> float:
    """The evidence in the first tokens of an order."""
    ids = [filled.external[one.candidate.id] for one in order]
    return recall_within(tokens_to(question.evidence, [Shown(id, filled.tokens[id]) for id in ids]), BUDGET)


async def _recalled(filled: Filled, pool: Pool, question: Question, model: Model) -> tuple[float, float, float]:
    """Of the evidence: what a guided recall shows, what of that lies outside its walk, what of that it names."""
    filled.memory._modelling = replace(filled.memory._modelling, given=model)
    answer = await filled.memory.recall(
        question.text, space=filled.space, budget=BUDGET, mode="guided", asked_at=pool.asked_at(question))
    assert answer.walk is not None
    walked = frozenset[str]().union(*(filled.below[branch.id] for branch in answer.walk.branches))
    there = {one.id for one in shown(answer)} & set(question.evidence)
    outside = there - walked
    recovered = {filled.external[id] for id in answer.recovered}
    within = recall_within(tokens_to(question.evidence, shown(answer)), BUDGET)
    return within, len(outside) / len(question.evidence), len(outside & recovered) / len(outside) if outside else 1.0


def document(found: Mapping[Walker, Sequence[Walked]]) -> dict[str, Any]:
    """The means over the questions, by walker."""
    return {
        kind: {
            "questions": len(rows),
            "by share": {str(share): mean([row.within[share] for row in rows]) for share in SHARES},
            "recalled": mean([row.recalled for row in rows]),
            "found outside the walk": mean([row.outside for row in rows]),
            "of that, recovered": mean([row.named for row in rows]),
        }
        for kind, rows in found.items()}


def table(measured: Mapping[str, Any]) -> str:
    """The figures by walker, for people."""
    lines = [f"{'walker':<16}" + "".join(f"{share:>8.2f}" for share in SHARES)
             + f"{'recalled':>10}{'outside':>9}{'recovered':>11}"]
    for kind in WALKERS:
        row = measured[kind]
        lines.append(
            f"{kind:<16}" + "".join(f"{row['by share'][str(share)]:>8.4f}" for share in SHARES)
            + f"{row['recalled']:>10.4f}{row['found outside the walk']:>9.4f}{row['of that, recovered']:>11.4f}")
    return "\n".join(lines)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.guided", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI, whose password is in NEO4J_PASSWORD")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--half", choices=("tune", "report"), default="report", help="of the conversations")
    parser.add_argument("--samples", nargs="+", default=[], help="conversations of it; default: all of the half")
    parser.add_argument("--questions", type=int, help="only the first so many of each conversation")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    return parser.parse_args(given)


async def run(chosen: argparse.Namespace) -> None:
    """Measure, print the table, and write the document where that was asked for."""
    selection = Selection(
        "locomo", chosen.data, tuple(chosen.samples), half=chosen.half, questions=chosen.questions)
    async with engine_of(chosen.uri) as settings:
        found = await measure(settings, selection)
        about = circumstances(await engine_title(settings), settings.embedder)
    measured = {"circumstances": about, **document(found)}
    print(f"{about}\n\n{table(measured)}")
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """The exit code."""
    try:
        asyncio.run(run(arguments()))
    except TraceGraphError as error:
        print(f"{error} {error.fix}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
