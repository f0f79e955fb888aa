"""What a space holds, without what two runs cannot have in common: equal memories read equal.

Ids are replaced by what they stand for: messages by their external ids, topics, revisions and segments by the order in
which they came to be. That is the order of changes: the clock, and with it an id, may jump back between two processes.
Clocks, `change_seq`, the ledger and bookkeeping (locks, leases) are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from trace_graph import Memory
from trace_graph.store.ledger import CACHES

CLOCKS = frozenset({"recorded_at", "change_seq", "retired_seq", "last_recorded_at", "event_seq"})
BOOKKEEPING = frozenset({"lock", "lease_owner", "lease_until"})
OWN_NAMES = frozenset({"id", "space", "name", "key", "place_key", "external_key", "root"})
"""Of the space itself, or made of its id."""
FILED = CACHES["Message"] - {"terms"}
"""What a message says of how far the organiser is; it is no part of what was stored when the message was added."""
MOST_DIFFERENCES = 20
"""Lines that are shown of two contents that differ."""

Rows = list[dict[str, Any]]
NODES = {
    "messages": "MATCH (n:Message {space: $space}) RETURN properties(n) AS p",
    "passages": "MATCH (n:Passage {space: $space}) RETURN properties(n) AS p",
    "sessions": "MATCH (n:Session {space: $space}) RETURN properties(n) AS p",
    "topics": "MATCH (n:Topic {space: $space}) RETURN properties(n) AS p",
    "revisions": "MATCH (n:SummaryRevision {space: $space}) RETURN properties(n) AS p",
    "events": "MATCH (n:Event {space: $space}) RETURN properties(n) AS p",
    "spaces": "MATCH (n:Space {id: $space}) RETURN properties(n) AS p",
}
EDGES = {
    kind: f"MATCH (a:{label} {{space: $space}})-[r:{kind}]->(b) RETURN a.id AS a, b.id AS b, properties(r) AS p"
    for label, kind in (
        ("Message", "HAS_PASSAGE"), ("Message", "NEXT"), ("Topic", "PARENT_OF"), ("Topic", "HAS_REVISION"),
        ("SummaryRevision", "DERIVED_FROM"), ("SummaryRevision", "SUPERSEDES"))
}


@dataclass(frozen=True)
class Graph:
    """Everything of one space, as it lies in the database."""

    nodes: dict[str, Rows]
    """Properties, by the names of NODES."""
    edges: dict[str, Rows]
    """`a`, `b` (ids) and `p` (properties), by type."""


async def read_graph(memory: Memory, space: str) -> Graph:
    """All nodes and relationships of a space; at most 10,000 of a kind."""
    id = next(one.id for one in await memory.spaces() if one.name == space)

    async def rows(query: str) -> Rows:
        found = await memory.cypher(query, {"space": id})
        assert not found.cut, "a space of this size cannot be compared"
        return list(found)

    return Graph(
        {name: [row["p"] for row in await rows(query)] for name, query in NODES.items()},
        {kind: await rows(query) for kind, query in EDGES.items()})


@dataclass(frozen=True)
class Content:
    """A space in a form that can be compared: lines of JSON, sorted."""

    messages: dict[str, str]
    """By external id: the message with its passages and the one before it in its session."""
    tree: list[str]
    """Topics, placements live and closed, where each message is filed, revisions and where they come from."""
    counts: list[str]
    """What sessions and the space count."""


def content_of(graph: Graph) -> Content:
    """The content of a space."""
    names = _names(graph)
    prefix = f"{graph.nodes['spaces'][0]['key']}_"

    def line(kind: str, properties: Mapping[str, Any], hidden: frozenset[str] = frozenset()) -> str:
        kept = {
            name: _plain(name, value, names, prefix) for name, value in properties.items()
            if value is not None and name not in CLOCKS | BOOKKEEPING | OWN_NAMES | hidden}
        return f"{kind} {json.dumps(kept, sort_keys=True)}"

    def edges(kind: str) -> list[str]:
        return [
            line(f"{names[row['a']]} {kind} {names[row['b']]}", row["p"]) for row in graph.edges[kind]]

    tree = [
        *(line(names[row["id"]], row) for part in ("topics", "revisions") for row in graph.nodes[part]),
        *(line(f"{names[row['id']]} filed", {name: row.get(name) for name in FILED})
          for row in graph.nodes["messages"]),
        *(one for kind in ("PARENT_OF", "HAS_REVISION", "DERIVED_FROM", "SUPERSEDES") for one in edges(kind))]
    counts = [
        *(line(f"session {row['name']}", row) for row in graph.nodes["sessions"]),
        *(line("space", row) for row in graph.nodes["spaces"])]
    passages = {names[row["id"]]: line(names[row["id"]], row) for row in graph.nodes["passages"]}
    messages = {names[row["id"]]: [line("message", row, FILED)] for row in graph.nodes["messages"]}
    for row in graph.edges["HAS_PASSAGE"]:
        messages[names[row["a"]]].append(passages[names[row["b"]]])
    for row in graph.edges["NEXT"]:
        messages[names[row["b"]]].append(f"after {names[row['a']]}")
    return Content(
        {name: "\n".join(sorted(lines)) for name, lines in messages.items()}, sorted(tree), sorted(counts))


def _names(graph: Graph) -> dict[str, str]:
    """What every id stands for."""
    names = {row["id"]: row["external_id"] for row in graph.nodes["messages"]}
    for kind, made in (
        ("topic", [(row.get("change_seq", 0), row["id"]) for row in graph.nodes["topics"]]),
        ("revision", [(row.get("change_seq", 0), row["id"]) for row in graph.nodes["revisions"]]),
        ("segment", _segments(graph)),
    ):
        names |= {id: f"{kind} {place}" for place, (_, id) in enumerate(sorted(made))}
    names |= {
        row["id"]: f"{names.get(row['message'], 'no message')}[{row['start']}:{row['end']}]"
        for row in graph.nodes["passages"]}
    return names | {row[own]: "the space" for row in graph.nodes["spaces"] for own in ("id", "name")}


def _segments(graph: Graph) -> list[tuple[int, str]]:
    """Each segment with the change that first placed something of it."""
    first: dict[str, int] = {}
    for row in graph.edges["PARENT_OF"]:
        if segment := row["p"].get("segment"):
            first[segment] = min(first.get(segment, row["p"].get("change_seq", 0)), row["p"].get("change_seq", 0))
    return [(change, segment) for segment, change in first.items()]


def _plain(name: str, value: Any, names: Mapping[str, str], prefix: str) -> Any:
    if name == "retired_at":
        return True
    if name == "terms":
        return " ".join(term.removeprefix(prefix) for term in value.split())
    if isinstance(value, list) and value and isinstance(value[0], float):
        return hashlib.sha256(json.dumps(value).encode()).hexdigest()
    if isinstance(value, list):
        return [_plain("", part, names, prefix) for part in value]
    return names.get(value, value) if isinstance(value, str) else str(value)


def differences(found: Content, wanted: Content) -> list[str]:
    """What one content has and the other has not; nothing where they are equal."""
    more, less = [], []
    for field in fields(Content):
        left, right = (_lines(getattr(one, field.name)) for one in (found, wanted))
        more += [f"{field.name}: too much: {line}" for line in sorted((left - right).elements())]
        less += [f"{field.name}: missing: {line}" for line in sorted((right - left).elements())]
    return more[: MOST_DIFFERENCES // 2] + less[: MOST_DIFFERENCES // 2]


def _lines(part: Mapping[str, str] | Sequence[str]) -> Counter[str]:
    return Counter(f"{name} {line}" for name, line in part.items()) if isinstance(part, Mapping) else Counter(part)


def faults(graph: Graph, wanted: Content, acknowledged: set[str]) -> list[str]:
    """What a space that is being filled must not be: an acknowledged message missing, a message in part, a gap.

    `wanted` is the content once all of it is there.
    """
    found = content_of(graph)
    there = graph.nodes["messages"]
    faulty = [f"lost: {name}" for name in sorted(acknowledged - found.messages.keys())]
    faulty += [f"in part: {text}" for name, text in found.messages.items() if wanted.messages.get(name) != text]
    counted = Counter(row["session"] for row in there)
    for session, count in counted.items():
        places = sorted(row["seq"] for row in there if row["session"] == session)
        if places != list(range(1, count + 1)):
            faulty.append(f"session {session} has the places {places}")
    ends = {row["name"]: row["last_seq"] for row in graph.nodes["sessions"]}
    if ends != dict(counted):
        faulty.append(f"sessions end at {ends} and hold {dict(counted)}")
    if len(graph.edges["HAS_PASSAGE"]) != len(graph.nodes["passages"]):
        faulty.append("a passage is without its message")
    space = graph.nodes["spaces"][0]
    if (space["message_count"], space["passage_count"]) != (len(there), len(graph.nodes["passages"])):
        faulty.append(f"the space counts {space['message_count']} messages, {space['passage_count']} passages")
    return faulty + _faults_of_ledger(graph)


def _faults_of_ledger(graph: Graph) -> list[str]:
    events = graph.nodes["events"]
    added = sorted(id for row in events if row["action"] == "messages.added" for id in row["targets"])
    faulty = []
    if sorted(row["seq"] for row in events) != list(range(1, len(events) + 1)):
        faulty.append("the ledger has a gap")
    if added != sorted(row["id"] for row in graph.nodes["messages"]):
        faulty.append("the ledger does not name every message once")
    return faulty
