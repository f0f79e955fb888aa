"""Does a model help, and can a bad one harm? Trees of known messages, by models right in a share of what they decide.

    python -m bench.routing [--seeds 11 12 ...] [--right 100 80 50 20 0] [--by-session] [--out FILE.json]
    python -m bench.routing --locomo conv-26 [--right 100]

Everything runs in memory: cutting, planning and asking are the organiser's own, the models are scripted. "Controls
always" is a model that errs in the grey zone only, where no control shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from itertools import groupby
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from pydantic import BaseModel

from bench.interleaved import MESSAGES, REPORT_SEEDS, START, Said, interleaved
from bench.locomo import default_file, messages
from bench.routing_space import RoutingSpace, run
from tests.scripted_model import ScriptedModel
from trace_graph.embed.background import background_mean
from trace_graph.embed.protocol import Vector
from trace_graph.embed.static import StaticEmbedder
from trace_graph.llm.purposes.descend import DescendReply
from trace_graph.llm.purposes.route import AskedSegment, Pick, RouteInputs, RouteReply
from trace_graph.llm.values import Request
from trace_graph.models.ids import MessageId, TopicId
from trace_graph.organize.descending import Descent
from trace_graph.organize.organizing import BATCH, MODEL_BATCH, Routing
from trace_graph.organize.routing import RECONSIDERED, Cascade, Router
from trace_graph.organize.values import ShapeSettings, WaitingMessage

WAYS: tuple[Routing, ...] = ("cascade", "descent")


@dataclass(frozen=True)
class Figures:
    """How good a tree is, 0 to 1, and what it took."""

    purity: float
    """Share of messages whose leaf is mostly about their subject."""
    path: float
    """Share of messages that are so, and below whose leaf every topic up to the root is mostly about their task."""
    together: float
    """Mean share of a message's subject that lies in its leaf: many small leaves are pure, and no help."""
    leaves: float
    calls_a_message: float


class Oracle:
    """Answers rightly in a share of its decisions, and otherwise with any other label that it is offered."""

    def __init__(self, space: RoutingSpace, truth: Mapping[str, str], right: float, seed: int, easy: bool) -> None:
        self._space, self._truth, self._right, self._easy = space, truth, right, easy
        self._chance = random.Random(seed)

    def __call__(self, request: Request[Any]) -> BaseModel | None:
        """The reply to a request."""
        inputs = RouteInputs.model_validate(request.inputs)
        about = {topic.label: self._subjects(topic.topic, topic.messages) for topic in inputs.topics}
        picked = [self._pick(one, about, one.label in inputs.controls) for one in inputs.segments]
        return RouteReply(picks=picked) if request.purpose == "route" else DescendReply(picks=picked)

    def _pick(self, asked: AskedSegment, about: Mapping[str, set[str]], control: bool) -> Pick:
        subject = _most([self._truth[id] for id in asked.messages])
        good = [one for one in asked.offered if subject in about.get(one, ())]
        good = good or [one for one in asked.offered if one.startswith("NEW")][:1]
        bad = [one for one in asked.offered if one not in good]
        right = self._chance.random() < self._right or (self._easy and control)
        choice = self._chance.choice(good if right or not bad else bad)
        title = subject if right else f"{subject} {self._chance.randint(1, 99)}"
        return Pick(segment=asked.label, choice=choice, title=title if choice.startswith("NEW") else None)

    def _subjects(self, topic: str | None, latest: Sequence[str]) -> set[str]:
        """What the leaves at or below a topic are mostly about."""
        leaves = self._space.leaves_below(TopicId(topic)) if topic else [list(map(MessageId, latest))]
        return {_most([self._truth[id] for id in lying]) for lying in leaves if lying}


def _most(values: Sequence[str]) -> str:
    return min(Counter(values).items(), key=lambda one: (-one[1], one[0]))[0] if values else ""


def waiting_of(said: Sequence[Said], embedder: StaticEmbedder) -> list[WaitingMessage]:
    """The messages as the organiser reads them, with ids m00000, m00001, ..."""
    vectors = asyncio.run(embedder.embed([one.text for one in said]))
    return [WaitingMessage(MessageId(f"m{place:05d}"), one.session, place, one.author, one.text, vector, one.at)
            for place, (one, vector) in enumerate(zip(said, vectors, strict=True))]


def figures_of(space: RoutingSpace, said: Sequence[Said], calls: int) -> Figures:
    """How well the tree of a space tells subjects and tasks apart."""
    subject = {MessageId(f"m{place:05d}"): one.subject for place, one in enumerate(said)}
    task = {MessageId(f"m{place:05d}"): one.task for place, one in enumerate(said)}
    below: dict[TopicId, list[MessageId]] = defaultdict(list)
    for id in space.place:
        for topic in space.path(id):
            below[topic].append(id)
    main = {topic: _most([subject[id] for id in ids]) for topic, ids in below.items()}
    main_task = {topic: _most([task[id] for id in ids]) for topic, ids in below.items()}
    pure = [main[space.place[id]] == subject[id] for id in space.place]
    on_path = [is_pure and all(main_task[topic] == task[id] for topic in space.path(id)[1:])
               for id, is_pure in zip(space.place, pure, strict=True)]
    size = Counter(subject.values())
    shared = Counter((space.place[id], subject[id]) for id in space.place)
    together = mean(shared[space.place[id], subject[id]] / size[subject[id]] for id in space.place)
    return Figures(mean(pure), mean(on_path), together, len(set(space.place.values())), calls / len(said))


@dataclass(frozen=True)
class Way:
    """How a tree is made."""

    right: float | None = None
    """Share of right decisions, 0 to 1; None for no model."""
    routing: Routing = "cascade"
    easy: bool = False
    """It errs in the grey zone only, never on controls."""
    batch: int = MODEL_BATCH


@dataclass(frozen=True)
class Made:
    """One tree, and how it came about."""

    figures: Figures
    space: RoutingSpace
    router: Router | None


def make(
    said: Sequence[Said], waiting: Sequence[WaitingMessage], prior: Vector, way: Way, *, seed: int,
    settings: ShapeSettings | None = None, by_session: bool = False,
) -> Made:
    """Organise these messages in memory, all together or session by session."""
    shape = settings or ShapeSettings(most_reconsidered=0 if way.right is None else RECONSIDERED)
    space = RoutingSpace(prior, shape)
    router: Router | None = None
    if way.right is not None:
        truth = {f"m{place:05d}": one.subject for place, one in enumerate(said)}
        model = ScriptedModel(Oracle(space, truth, way.right, seed, way.easy))
        router = (Descent if way.routing == "descent" else Cascade)(model, space, space.new_id)
    parts = [list(part) for _, part in groupby(waiting, lambda one: one.session)] if by_session else [waiting]
    calls = sum(run(space, part, way.batch, router) for part in parts)
    return Made(figures_of(space, said, calls), space, router)


def ways(right: Sequence[int]) -> dict[str, Way]:
    """What is compared."""
    found = {"no model": Way(), "no model, batches of 1,000": Way(batch=BATCH)}
    for routing in WAYS:
        found |= {f"{routing}, {share} % right": Way(share / 100, routing) for share in right}
    return found | {f"cascade, {share} % right, controls always": Way(share / 100, easy=True) for share in (50, 20, 0)}


def measure(seeds: Sequence[int], right: Sequence[int], *, by_session: bool = False) -> dict[str, list[Figures]]:
    """The figures of each way, by seed."""
    embedder = StaticEmbedder.shipped()
    prior = asyncio.run(background_mean(embedder))
    found: dict[str, list[Figures]] = defaultdict(list)
    for seed in seeds:
        said = interleaved(seed)
        waiting = waiting_of(said, embedder)
        for name, way in ways(right).items():
            found[name].append(make(said, waiting, prior, way, seed=seed, by_session=by_session).figures)
    return found


def table(found: Mapping[str, Sequence[Figures]]) -> str:
    """Means over the seeds, with the standard deviation of purity."""
    names = [one.name for one in fields(Figures)]
    lines = [f"{'':<40}" + "".join(f"{name:>17}" for name in names) + f"{'sd of purity':>17}"]
    for way, rows in found.items():
        means = [mean(getattr(row, name) for row in rows) for name in names]
        spread = stdev([row.purity for row in rows]) if len(rows) > 1 else 0.0
        lines.append(f"{way:<40}" + "".join(f"{value:>17.3f}" for value in (*means, spread)))
    return "\n".join(lines)


def calls_of_locomo(sample: str, file: Path, right: float) -> dict[str, float]:
    """Calls a message for routing one conversation of LoCoMo, in bulk and session by session.

    What its messages are about is not known: to the scripted model it is the session they are of.
    """
    embedder = StaticEmbedder.shipped()
    prior = asyncio.run(background_mean(embedder))
    said = [Said(one.text, one.author or "", str(one.session), one.at if isinstance(one.at, datetime) else START,
                 str(one.session), str(one.session)) for one in messages(file, [sample])]
    waiting = waiting_of(said, embedder)
    return {
        f"{routing}, {'session by session' if by_session else 'in bulk'}": make(
            said, waiting, prior, Way(right, routing), seed=0, by_session=by_session).figures.calls_a_message
        for routing in WAYS for by_session in (False, True)}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.routing", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(REPORT_SEEDS))
    parser.add_argument("--right", type=int, nargs="+", default=[100, 80, 50, 20, 0], help="per cent")
    parser.add_argument("--by-session", action="store_true", help="organise after each session")
    parser.add_argument("--locomo", help="a conversation of LoCoMo whose calls are counted instead, such as conv-26")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--out", type=Path, help="a file for the figures, as JSON")
    return parser.parse_args(given)


def main() -> int:
    """The exit code."""
    chosen = arguments()
    if chosen.locomo:
        for name, calls in calls_of_locomo(chosen.locomo, chosen.data, chosen.right[0] / 100).items():
            print(f"{name:<32}{calls:>8.4f} calls a message")
        return 0
    found = measure(chosen.seeds, chosen.right, by_session=chosen.by_session)
    print(f"{MESSAGES} messages, seeds {', '.join(map(str, chosen.seeds))}\n\n{table(found)}")
    if chosen.out:
        figures = {way: [asdict(row) for row in rows] for way, rows in found.items()}
        chosen.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
