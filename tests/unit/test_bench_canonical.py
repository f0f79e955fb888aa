"""What the kill test compares: planted losses, halves and differences are all named."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from bench.canonical import Content, Graph, content_of, differences, faults

Plant = Callable[[Graph], object]


def message(place: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"m{place}", "external_id": str(place), "session": "day", "seq": place, "text": f"Text {place}.",
        "terms": f"s1_text s1_{place}", "embedding": [0.5, float(place)], "recorded_at": place, "change_seq": place,
        "space": "space-id", **more}


def edge(a: str, b: str, **properties: Any) -> dict[str, Any]:
    return {"a": a, "b": b, "p": properties}


def graph() -> Graph:
    """A space of two messages, the second with a passage, filed under one topic."""
    passage = {"id": "p1", "message": "m2", "start": 0, "end": 4, "terms": "s1_text", "embedding": [0.5, 0.5]}
    space = {
        "id": "space-id", "name": "s", "key": "s1", "message_count": 2, "passage_count": 1, "lock": "x",
        "lease_owner": "y"}
    return Graph(
        {
            "messages": [message(1), message(2)],
            "passages": [passage],
            "sessions": [{"id": "x", "key": "k", "name": "day", "last_seq": 2, "last_id": "m2"}],
            "topics": [{"id": "t1", "kind": "root", "title": "s"}, {"id": "t2", "kind": "topic", "title": "texts"}],
            "revisions": [{"id": "r1", "topic": "t2", "number": 1, "text": "Text 1."}],
            "events": [{"seq": 1, "action": "messages.added", "targets": ["m1", "m2"]}],
            "spaces": [space],
        },
        {
            "HAS_PASSAGE": [edge("m2", "p1")], "NEXT": [edge("m1", "m2")], "SUPERSEDES": [],
            "PARENT_OF": [
                edge("t1", "t2"), edge("t2", "m1", segment="g1", live_key="m1"),
                edge("t2", "m2", segment="g1", live_key="m2")],
            "HAS_REVISION": [edge("t2", "r1")], "DERIVED_FROM": [edge("r1", "m1", recorded_at=3)],
        })


def renamed(value: Any) -> Any:
    """The same with other ids, clocks, name and key."""
    ids = {"m1": "m8", "m2": "m9", "p1": "p9", "t1": "t8", "t2": "t9", "r1": "r9", "g1": "g9", "space-id": "other-id"}
    if isinstance(value, list):
        return [renamed(part) for part in value]
    if isinstance(value, dict):
        return {name: 77 if name in ("recorded_at", "change_seq") else renamed(part) for name, part in value.items()}
    text = ids.get(value, value) if isinstance(value, str) else value
    return text.replace("s1_", "s2_") if isinstance(text, str) else text


WANTED = content_of(graph())
WHOLE = {"1", "2"}


def test_two_runs_of_the_same_read_equal() -> None:
    found = Graph(renamed(graph().nodes), renamed(graph().edges))
    found.nodes["spaces"][0].update(name="other", key="s2", lock="z")
    found.nodes["topics"][0]["title"] = "other"

    assert differences(content_of(found), WANTED) == []
    assert faults(found, WANTED, WHOLE) == []


def without_last_message(planted: Graph) -> None:
    planted.nodes["messages"].pop()
    planted.nodes["passages"].clear()
    planted.edges["HAS_PASSAGE"].clear()
    planted.edges["NEXT"].clear()
    planted.edges["PARENT_OF"].pop()


PLANTED: dict[str, tuple[Plant, str]] = {
    "lost": (without_last_message, "lost: 2"),
    "no vector": (lambda one: one.nodes["messages"][0].update(embedding=None), "in part: "),
    "no terms": (lambda one: one.nodes["messages"][0].pop("terms"), "in part: "),
    "no NEXT": (lambda one: one.edges["NEXT"].clear(), "in part: "),
    "a loose passage": (lambda one: one.edges["HAS_PASSAGE"].clear(), "in part: "),
    "a gap": (lambda one: one.nodes["messages"][1].update(seq=3), "session day has the places [1, 3]"),
    "twice": (
        lambda one: one.nodes["messages"].append(message(2, id="m3")), "session day has the places [1, 2, 2]"),
    "a session behind": (
        lambda one: one.nodes["sessions"][0].update(last_seq=1), "sessions end at {'day': 1} and hold {'day': 2}"),
    "a count": (
        lambda one: one.nodes["spaces"][0].update(message_count=1), "the space counts 1 messages, 1 passages"),
    "no event": (lambda one: one.nodes["events"].clear(), "the ledger does not name every message once"),
    "an event missing": (lambda one: one.nodes["events"][0].update(seq=2), "the ledger has a gap"),
}


@pytest.mark.parametrize(("plant", "said"), PLANTED.values(), ids=PLANTED)
def test_a_planted_fault_is_named(plant: Plant, said: str) -> None:
    planted = copy.deepcopy(graph())
    plant(planted)

    assert [line for line in faults(planted, WANTED, WHOLE) if line.startswith(said)] != []


DIFFERENT: dict[str, Plant] = {
    "a placement": lambda one: one.edges["PARENT_OF"][1].update(a="t1"),
    "a closed placement": lambda one: one.edges["PARENT_OF"][1]["p"].update(retired_at="then"),
    "a message that waits": lambda one: one.nodes["messages"][0].update(waiting=True),
    "a segment": lambda one: one.edges["PARENT_OF"][1]["p"].update(segment="g0"),
    "a title": lambda one: one.nodes["topics"][1].update(title="other"),
    "a summary": lambda one: one.nodes["revisions"][0].update(text="Text 2."),
    "its source": lambda one: one.edges["DERIVED_FROM"][0].update(b="m2"),
    "a revision twice": lambda one: one.nodes["revisions"].append({**one.nodes["revisions"][0], "id": "r0"}),
}


@pytest.mark.parametrize("plant", DIFFERENT.values(), ids=DIFFERENT)
def test_another_tree_reads_different(plant: Plant) -> None:
    planted = copy.deepcopy(graph())
    plant(planted)
    found: Content = content_of(planted)

    assert differences(found, WANTED) != []
