"""Does a model help, and can a bad one harm? Trees of known messages, by models right in a share of what they decide.

    python -m bench.routing [--seeds 11 12 ...] [--right 100 80 50 20 0] [--batch 150] [--easy] [--out FILE.json]

Everything runs in memory: cutting, planning and asking are the organiser's own, the models are scripted. `--easy` lets
a model err in the grey zone only, where no control shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from pydantic import BaseModel

from bench.interleaved import MESSAGES, REPORT_SEEDS, Said, interleaved
from bench.routing_space import RoutingSpace, run
from tests.scripted_model import ScriptedModel
from trace_graph.embed.background import background_mean
from trace_graph.embed.static import StaticEmbedder
from trace_graph.llm.purposes.route import Pick, RouteInputs, RouteReply
from trace_graph.llm.values import Request
from trace_graph.models.ids import MessageId, TopicId
from trace_graph.organize.routing import Router
from trace_graph.organize.values import ShapeSettings, WaitingMessage


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
        about = {topic.label: self._subject(topic.topic, topic.messages) for topic in inputs.topics}
        return RouteReply(picks=[self._pick(inputs, one.label, about) for one in inputs.segments])

    def _pick(self, inputs: RouteInputs, label: str, about: Mapping[str, str]) -> Pick:
        asked = next(one for one in inputs.segments if one.label == label)
        subject = _most([self._truth[id] for id in asked.messages])
        good = [one for one in asked.offered if about.get(one) == subject]
        good = good or [one for one in asked.offered if one.startswith("NEW")][:1]
        bad = [one for one in asked.offered if one not in good]
        right = self._chance.random() < self._right or (self._easy and label in inputs.controls)
        choice = self._chance.choice(good if right or not bad else bad)
        title = subject if right else f"{subject} {self._chance.randint(1, 99)}"
        return Pick(segment=label, choice=choice, title=title if choice.startswith("NEW") else None)

    def _subject(self, topic: str | None, latest: Sequence[str]) -> str:
        lying = self._space.lying_in(TopicId(topic)) if topic else []
        return _most([self._truth[id] for id in (lying or latest)])


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
    on_path = [main[space.place[id]] == subject[id] and all(main_task[topic] == task[id] for topic in space.path(id)[1:])
               for id in space.place]
    size = Counter(subject.values())
    shared = Counter((space.place[id], subject[id]) for id in space.place)
    together = mean(shared[space.place[id], subject[id]] / size[subject[id]] for id in space.place)
    return Figures(mean(pure), mean(on_path), together, len(set(space.place.values())), calls / len(said))


def measure(
    said: Sequence[Said], waiting: Sequence[WaitingMessage], prior: Any, right: float | None, *, seed: int,
    batch: int, easy: bool = False, settings: ShapeSettings | None = None,
) -> tuple[Figures, RoutingSpace, Router | None]:
    """One tree; `right` is the share of right decisions, None for no model."""
    space = RoutingSpace(prior, settings or ShapeSettings())
    router = None
    if right is not None:
        truth = {f"m{place:05d}": one.subject for place, one in enumerate(said)}
        router = Router(ScriptedModel(Oracle(space, truth, right, seed, easy)), space, space.new_id)
    calls = run(space, waiting, batch, router)
    return figures_of(space, said, calls), space, router
