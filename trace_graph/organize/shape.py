"""How the tree keeps its shape: a B-tree whose leaves hold segments and whose inner topics hold topics.

All leaves have the same depth. What overflows falls into two halves by 2-means, the larger of which keeps its id,
and the other goes to the parent, which may overflow in turn. The tree grows by a level when the root overflows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trace_graph.models.ids import TopicId
from trace_graph.organize.growing_tree import GrowingTree, Node
from trace_graph.organize.values import Decision, Reason, TopicState, Total
from trace_graph.organize.vectors import centred_centroid, halve, unit_rows, vector_total


def open_leaf(tree: GrowingTree, beside: TopicId | None, centroid: Total) -> tuple[TopicId, bool] | None:
    """Opens an empty leaf next to the given one, for something with this centroid.

    Returns its id, and whether it had to go below another parent because the tree is full around the given one;
    None, and nothing changes, where there is no room for a leaf in the whole tree.
    """
    wanted = tree.root if beside is None else tree.parent_of(beside)
    parent = _parent_with_room(tree, wanted, centroid)
    if parent is None:
        return None
    leaf = TopicId(tree.new_id())
    nothing = np.zeros_like(tree.mean)
    tree.nodes[leaf] = Node(TopicState(leaf, parent, tree.nodes[parent].state.depth + 1, nothing), complete=True)
    tree.index.put(leaf, nothing)
    _attach(tree, leaf, parent)
    return leaf, parent != wanted


def can_take_segment(tree: GrowingTree, leaf: TopicId) -> bool:
    """Whether one more segment fits into the leaf, if need be by splitting it."""
    if tree.nodes[leaf].state.segment_count < tree.settings.max_segments:
        return True
    return _parent_with_room(tree, tree.parent_of(leaf), tree.centroid(leaf)) is not None


def split_overfull(tree: GrowingTree, leaf: TopicId) -> None:
    """Splits the leaf until no part of it has more segments than allowed.

    Where it is not known what lies in it, it stays as it is and is noted as missing.
    """
    node = tree.nodes[leaf]
    if node.state.segment_count <= tree.settings.max_segments:
        return
    if not node.complete:
        tree.missing.add(leaf)
        return
    # By time first: two imports of one file give other ids, and should give the same tree.
    lying = sorted(node.lying.values(), key=lambda one: (one.last_at, one.id))
    rows = np.array([centred_centroid(one.vector_sum, one.vector_count, tree.mean) for one in lying])
    halves = halve(rows, tree.settings.min_split_segments)
    leaving, staying = sorted(halves, key=lambda half: (sum(lying[place].size for place in half), 0 in half))
    centroids = [unit_rows(vector_total(list(rows[half]), rows.shape[1])[None, :])[0] for half in (leaving, staying)]
    opened = open_leaf(tree, leaf, centroids[0])
    if opened is None:
        return
    other, elsewhere = opened
    tree.nodes[other].opened_by = "split"
    reason: Reason = "rebalance" if elsewhere else "split"
    for place in leaving:
        segment = lying[place]
        score, away = (float(rows[place] @ centroid) for centroid in centroids)
        segment.decision = segment.move = Decision(reason, score, score - away, leaf)
        tree.nodes[other].lying[segment.id] = node.lying.pop(segment.id)
        tree.place_of[segment.id] = other
    for part in (leaf, other):
        tree.recount(part)
        split_overfull(tree, part)


def _parent_with_room(tree: GrowingTree, wanted: TopicId, centroid: Total) -> TopicId | None:
    """The topic below which one more child can stand: the wanted one, or the most similar one of its level."""
    if _can_grow(tree, wanted):
        return wanted
    depth = tree.nodes[wanted].state.depth
    free = [topic for topic, node in tree.nodes.items() if node.state.depth == depth and node.children
            and len(node.children) < tree.settings.max_children]
    return max(free, key=lambda topic: float(tree.centroid(topic) @ centroid), default=None)


def _can_grow(tree: GrowingTree, topic: TopicId) -> bool:
    """Whether one more child of the topic fits, if need be by splitting it and what is above it."""
    place: TopicId | None = topic
    while place is not None:
        if len(tree.nodes[place].children) < tree.settings.max_children:
            return True
        place = tree.nodes[place].state.parent
    return max(node.state.depth for node in tree.nodes.values()) < tree.settings.max_depth


def _attach(tree: GrowingTree, child: TopicId, parent: TopicId) -> None:
    node = tree.nodes[child]
    node.state = replace(node.state, parent=parent, depth=tree.nodes[parent].state.depth + 1)
    tree.nodes[parent].children.append(child)
    tree.touch(child)
    if len(tree.nodes[parent].children) > tree.settings.max_children:
        _split_inner(tree, parent)


def _split_inner(tree: GrowingTree, topic: TopicId) -> None:
    children = tree.nodes[topic].children
    rows = np.array([tree.centroid(child) for child in children])
    halves = [[children[place] for place in half] for half in halve(rows, tree.settings.min_split_children)]
    leaving, staying = sorted(halves, key=lambda half: (
        sum(tree.current(child).message_count for child in half), children[0] in half))
    if topic == tree.root:
        tree.nodes[topic].children = []
        for node in tree.nodes.values():
            node.state = replace(node.state, depth=node.state.depth + (node.state.id != topic))
        for half in (staying, leaving):
            _attach(tree, _new_inner(tree, half), topic)
        return
    tree.nodes[topic].children = staying
    tree.touch(topic)
    _attach(tree, _new_inner(tree, leaving), tree.parent_of(topic))


def _new_inner(tree: GrowingTree, children: list[TopicId]) -> TopicId:
    """A topic that has these children, without a parent yet."""
    inner = TopicId(tree.new_id())
    state = TopicState(inner, None, tree.nodes[children[0]].state.depth - 1, np.zeros_like(tree.mean))
    tree.nodes[inner] = Node(state, children=children, opened_by="split")
    for child in children:
        node = tree.nodes[child]
        node.state = replace(node.state, parent=inner)
    return inner
