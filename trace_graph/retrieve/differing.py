"""In what two trees over the same messages differ. Pure.

Ids say nothing across two spaces: a message is known by session, place and text, a topic by the messages below it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import comb

from trace_graph.models.differences import MessageMove, SummaryDifference, TopicDifference, TreeDifference
from trace_graph.models.trees import TopicNode, TreeMessage

_Key = tuple[str, int, str]
"""Of a message: session, place, text."""


@dataclass(frozen=True)
class _Topic:
    node: TopicNode
    path: tuple[str, ...]
    keys: frozenset[_Key]
    """Of all messages in it and below it."""

    @property
    def leaf(self) -> bool:
        return not self.node.children


@dataclass(frozen=True)
class _Tree:
    topics: Mapping[str, _Topic]
    """By id, parents before their children; the root among them."""
    place_of: Mapping[_Key, str]
    """The topic of each message."""
    messages: Mapping[_Key, TreeMessage]
    root: str


def differences(old: TopicNode, new: TopicNode, *, names: tuple[str, str]) -> TreeDifference:
    """What has to change for the first tree to become the second; both whole, with their messages.

    Topics that share most of their messages count as one (leaves with leaves, others with others; the most alike
    first); what then lies in a topic that is not its old topic's counterpart has moved.
    """
    first, second = _tree(old), _tree(new)
    counterpart = _counterparts(first, second)
    both = sorted(first.messages.keys() & second.messages.keys())
    return TreeDifference(
        old=names[0], new=names[1], compared=len(both), only_old=len(first.messages) - len(both),
        only_new=len(second.messages) - len(both),
        agreement=_agreement([(first.place_of[key], second.place_of[key]) for key in both]),
        topics=list(_topics(first, second, counterpart)), summaries=list(_summaries(first, second, counterpart)),
        moves=[_move(first, second, key) for key in both
               if counterpart.get(first.place_of[key]) != second.place_of[key]])


def _tree(root: TopicNode) -> _Tree:
    topics: dict[str, _Topic] = {}
    place_of: dict[_Key, str] = {}
    messages: dict[_Key, TreeMessage] = {}

    def visit(node: TopicNode, path: tuple[str, ...]) -> frozenset[_Key]:
        topics[node.id] = _Topic(node, path, frozenset())  # at its place before its children
        own = {(one.session, one.seq, one.text): one for one in node.messages}
        messages.update(own)
        place_of.update(dict.fromkeys(own, node.id))
        keys = frozenset(own).union(*(visit(child, (*path, child.title)) for child in node.children))
        topics[node.id] = _Topic(node, path, keys)
        return keys

    visit(root, ())
    return _Tree(topics, place_of, messages, root.id)


def _counterparts(first: _Tree, second: _Tree) -> dict[str, str]:
    """The topic of the second tree that a topic of the first one became, by the share of messages in common."""
    shared: Counter[tuple[str, str]] = Counter()
    above = {tree.root: _above(tree) for tree in (first, second)}
    for key in first.messages.keys() & second.messages.keys():
        for old in above[first.root][first.place_of[key]]:
            for new in above[second.root][second.place_of[key]]:
                if first.topics[old].leaf is second.topics[new].leaf:
                    shared[old, new] += 1

    def alike(pair: tuple[str, str]) -> float:
        sizes = len(first.topics[pair[0]].keys) + len(second.topics[pair[1]].keys)
        return shared[pair] / (sizes - shared[pair])

    found = {first.root: second.root}
    taken = {second.root}
    for old, new in sorted(shared, key=lambda pair: (-alike(pair), -shared[pair], pair)):
        if old not in found and new not in taken and old != first.root and new != second.root:
            found[old] = new
            taken.add(new)
    return found


def _above(tree: _Tree) -> dict[str, list[str]]:
    """For each topic itself and all topics above it, but for the root."""
    chains: dict[str, list[str]] = {tree.root: []}
    for topic, one in tree.topics.items():  # parents come first
        for child in one.node.children:
            chains[child.id] = [*chains[topic], child.id]
    return chains


def _topics(first: _Tree, second: _Tree, counterpart: Mapping[str, str]) -> Iterator[TopicDifference]:
    was = {new: old for old, new in counterpart.items()}
    for id, topic in second.topics.items():
        old = first.topics[was[id]].node.title if id in was else None
        if old is None or (old != topic.node.title and id != second.root):
            yield _topic("added" if old is None else "renamed", topic, old)
    for id, topic in first.topics.items():
        if id not in counterpart:
            yield _topic("gone", topic, None)


def _topic(change: str, topic: _Topic, was: str | None) -> TopicDifference:
    return TopicDifference.model_validate({
        "change": change, "id": topic.node.id, "title": topic.node.title, "was": was, "path": list(topic.path),
        "messages": topic.node.message_count})


def _summaries(first: _Tree, second: _Tree, counterpart: Mapping[str, str]) -> Iterator[SummaryDifference]:
    for old, new in counterpart.items():
        was, now = first.topics[old].node.summary, second.topics[new].node.summary
        if was != now:
            yield SummaryDifference(id=new, old_id=old, title=second.topics[new].node.title, was=was, now=now)


def _move(first: _Tree, second: _Tree, key: _Key) -> MessageMove:
    message = second.messages[key]
    return MessageMove(
        id=message.id, external_id=message.external_id, session=message.session, seq=message.seq,
        author=message.author, text=message.text, was=list(first.topics[first.place_of[key]].path),
        now=list(second.topics[second.place_of[key]].path))


def _agreement(places: Iterable[tuple[str, str]]) -> float | None:
    """The adjusted Rand index; 1.0 for one message, None for none."""
    together = Counter(places)
    if not together:
        return None
    rows: defaultdict[str, int] = defaultdict(int)
    columns: defaultdict[str, int] = defaultdict(int)
    for (old, new), count in together.items():
        rows[old] += count
        columns[new] += count
    both = sum(comb(count, 2) for count in together.values())
    left = sum(comb(count, 2) for count in rows.values())
    right = sum(comb(count, 2) for count in columns.values())
    pairs = comb(sum(rows.values()), 2)
    expected = left * right / pairs if pairs else 0.0
    most = (left + right) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)
