"""Segments are filed wrongly on purpose: a share of them is moved to random other leaf topics.

It goes through the organiser's own write path, so the graph stays a valid one: the live placements are closed, new
ones opened, counts and centroids follow, the ledger has its event, and the summaries of all topics concerned are due.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import cast
from uuid import UUID, uuid5

import numpy as np

from trace_graph.config import Settings
from trace_graph.models import TopicId, uuid7
from trace_graph.organize.filing import Filing, carry_out
from trace_graph.organize.growing_tree import GrowingTree
from trace_graph.organize.lease import Lease, release_lease, take_lease
from trace_graph.organize.state import read_contents, read_topics
from trace_graph.organize.values import (
    Decision,
    FiledSegment,
    MovedPlacement,
    Plan,
    Reason,
    ShapeSettings,
    TopicState,
    Total,
)
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import find_spaces
from trace_graph.text.times import utc_now

MISFILED = Decision(cast(Reason, "misfiled by the benchmark"))


async def misfile(settings: Settings, space_name: str, *, share: float, seed: int, dimension: int = 256) -> int:
    """Misfile a share of a space's segments; returns how many messages that moves. Done once for a share and a seed.

    Raises: NotFound, EngineUnavailable, StoreFailed.
    """
    store = await Store.connect(settings)
    try:
        space = (await find_spaces(store, [space_name]))[0]
        tree = await read_topics(store, space.id, dimension)
        leaves = [topic for topic, state in tree.items() if state.parent is not None and state.child_count == 0]
        contents = await read_contents(store, space.id, leaves)
        sums = (await store.read("space_mean", spaces=[space.id]))[0]
        total = np.array(sums["vector_sum"], dtype=np.float64)
        plan = scattered(tree, contents, total / sums["vector_count"], share=share, seed=seed)
        lease = Lease(space.id, uuid7(), utc_now)
        await take_lease(store, lease)
        # The event's id is the same each time: a second run finds it and changes nothing.
        event_id = str(uuid5(UUID(space.id), f"misfile {share} {seed}"))
        await carry_out(
            store, space, Filing(plan, total, sums["vector_count"]), lease, actor=Actor("bench", "library"),
            new_id=lambda: event_id)
        await release_lease(store, lease)
        return len(plan.moved)
    finally:
        await store.close()


def scattered(
    tree: Mapping[TopicId, TopicState], contents: Mapping[TopicId, Sequence[FiledSegment]], mean: Total, *,
    share: float, seed: int,
) -> Plan:
    """The plan that moves `share` of the segments, each to a leaf drawn from all the others."""
    growing = GrowingTree(tree, contents, mean, uuid7, ShapeSettings())
    leaves, draw = sorted(contents), random.Random(seed)
    segments = sorted((segment for filed in contents.values() for segment in filed), key=_when_it_began)
    moved = []
    for segment in draw.sample(segments, round(share * len(segments))) if len(leaves) > 1 else ():
        target = draw.choice([leaf for leaf in leaves if leaf != segment.topic])
        growing.put(growing.take(segment.id), target)
        moved += [
            MovedPlacement(message.id, segment.topic, target, segment.id, MISFILED) for message in segment.messages]
    stale = [topic for topic in tree if growing.nodes[topic].stale]
    return Plan(
        moved=tuple(moved), states={topic: growing.current(topic) for topic in stale},
        stale=tuple(sorted(stale, key=lambda topic: (-tree[topic].depth, topic))))


def _when_it_began(segment: FiledSegment) -> tuple[object, ...]:
    # Not by id: ids are new in each import, and the same seed should move the same segments.
    return segment.messages[0].occurred_at, len(segment.messages), segment.id
