"""Walkers whose choices are known: one that is always right, and two that are always wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, get_args

from tests.scripted_model import ScriptedModel
from trace_graph.llm.purposes.walk import WalkReply
from trace_graph.llm.values import Request
from trace_graph.models import TopicNode
from trace_graph.retrieve.blending import bottom_up

Walker = Literal["perfect", "wrong", "wrong and alike"]
"""Perfect: the branches with most of the evidence. Wrong: three branches without any, drawn by chance. Wrong and alike:
those without any whose messages score highest, which nothing but the evidence tells from right ones."""
WALKERS: tuple[Walker, ...] = get_args(Walker)

Preference = Callable[[str], float | None]
"""How much a topic is wanted; None: not at all."""


def contents(tree: TopicNode) -> dict[str, frozenset[str]]:
    """The external ids of the messages in each topic and below it."""
    found: dict[str, frozenset[str]] = {}

    def visit(node: TopicNode) -> frozenset[str]:
        own = frozenset(str(message.external_id) for message in node.messages)
        found[node.id] = own.union(*map(visit, node.children))
        return found[node.id]

    visit(tree)
    return found


def walker(
    kind: Walker, evidence: Collection[str], below: Mapping[str, frozenset[str]], scores: Mapping[str, float], seed: str
) -> ScriptedModel:
    """A model that walks so for one question.

    Args:
        kind: which.
        evidence: external ids of the messages that answer the question.
        below: what lies in each topic and below it.
        scores: of messages, by external id, as the flat search ranks them.
        seed: of what is drawn.
    """
    return ScriptedModel(_picking(_preference(kind, frozenset(evidence), below, scores, random.Random(seed))))


def _preference(
    kind: Walker, evidence: frozenset[str], below: Mapping[str, frozenset[str]], scores: Mapping[str, float],
    draw: random.Random,
) -> Preference:
    def wanted(topic: str) -> float | None:
        found = len(below[topic] & evidence)
        if kind == "perfect":
            return found or None
        if found:
            return None
        if kind == "wrong":
            return draw.random()
        return bottom_up([scores.get(id, 0.0) for id in below[topic]])

    return wanted


def _picking(preference: Preference) -> Callable[[Request[Any]], WalkReply]:
    def answer(request: Request[Any]) -> WalkReply:
        wanted = {one["label"]: value for one in request.inputs["offered"]
                  if (value := preference(one["topic"])) is not None}
        best = sorted(wanted, key=lambda label: -wanted[label])[:request.inputs["most"]]
        return WalkReply(pick=best, stop=not best)

    return answer
