"""Whether what was filed with a small margin belongs to a topic that was opened since."""

from __future__ import annotations

from trace_graph.models.ids import TopicId
from trace_graph.organize.growing_tree import GrowingTree, Lying
from trace_graph.organize.shape import can_take_segment, split_overfull
from trace_graph.organize.values import Decision
from trace_graph.organize.vectors import centred_centroid


def reconsider(growing: GrowingTree) -> None:
    """Moves segments out of the leaves nearest to each leaf that this plan opened for something new.

    The rule: a segment moves when vectors filed it with a margin below `small_margin` (what a model chose stays), and
    the new leaf is nearer to it than the rest of its own leaf by `reconsider_margin`. At most `most_reconsidered`
    segments move in a plan, the clearest first of each new leaf. Where it is not known what lies in a leaf, that is
    noted as missing.
    """
    left = growing.settings.most_reconsidered
    for leaf in [leaf for leaf in growing.leaves() if _is_new(growing, leaf)]:
        if left <= 0:
            return
        for gain, segment, here in _better_off(growing, leaf)[:left]:
            if len(growing.nodes[here].lying) < 2 or not can_take_segment(growing, leaf):
                continue
            left -= 1
            score = _cosine(growing, segment, leaf)
            growing.take(segment.id)
            segment.decision = segment.move = Decision("reconsidered", score, gain, here)
            growing.put(segment, leaf)
            split_overfull(growing, leaf)


def _is_new(growing: GrowingTree, leaf: TopicId) -> bool:
    return leaf not in growing.before and growing.nodes[leaf].opened_by in ("new topic", "named")


def _better_off(growing: GrowingTree, leaf: TopicId) -> list[tuple[float, Lying, TopicId]]:
    """The segments of the nearest leaves that would lie clearly better in this one, the clearest first."""
    found = []
    near = growing.index.nearest(growing.centroid(leaf), without=(leaf,), most=growing.settings.leaves_reconsidered)
    for _, here in near:
        if not growing.nodes[here].complete:
            growing.missing.add(here)
            continue
        for segment in growing.nodes[here].lying.values():
            gain = _gain(growing, segment, here, leaf)
            if gain is not None and gain >= growing.settings.reconsider_margin:
                found.append((gain, segment, here))
    return sorted(found, key=lambda one: (-one[0], one[1].last_at, one[1].id))


def _gain(growing: GrowingTree, segment: Lying, here: TopicId, leaf: TopicId) -> float | None:
    """How much nearer the new leaf is than the rest of the segment's own; None where it is not in doubt."""
    margin = segment.margin
    if segment.decision is not None:
        margin = segment.decision.margin if segment.decision.decided_by == "vector" else None
    if margin is None or margin >= growing.settings.small_margin or segment.vector_count == 0:
        return None
    state = growing.nodes[here].state
    others = state.vector_count - segment.vector_count
    if others == 0:
        return None
    rest = centred_centroid(state.vector_sum - segment.vector_sum, others, growing.mean)
    own = centred_centroid(segment.vector_sum, segment.vector_count, growing.mean)
    return _cosine(growing, segment, leaf) - float(rest @ own)


def _cosine(growing: GrowingTree, segment: Lying, leaf: TopicId) -> float:
    return float(growing.centroid(leaf) @ centred_centroid(segment.vector_sum, segment.vector_count, growing.mean))
