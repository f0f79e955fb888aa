"""Spaces to export, and what a test does with the files."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

from tests.store.looking import id_of
from tests.store.prepared import Graph
from tests.store.talk import EVERYTHING, START, SUBJECTS, conversation
from trace_graph.memory import Memory
from trace_graph.models import MessageInput

CHINESE = "北京的秋天很美，我们下周五去香山看红叶，然后和朋友一起吃晚饭。"
LABELS = ("Passage", "ModelCall", "Message", "SummaryRevision", "Topic", "Session", "Event", "Space")


async def fill(memory: Memory, space: str, *, rounds: int = 20) -> None:
    """A space organised twice: long messages, scripts, content, superseded revisions, placements that were closed."""
    long = " ".join(f"{word} {number}" for number in range(60) for word in ("rye", "loaf", "oven"))
    odd = [
        MessageInput(text=long, author="Mira", session="long", at=START, external_id="long"),
        MessageInput(text=CHINESE, author="李娜", session="long", at=START, content=[{"type": "text", "text": "½ ü"}]),
        MessageInput(text=EVERYTHING, author="Ola", session="odd", at="2024-01-01T00:30:00-03:30", agent="helper"),
        MessageInput(text="👋", session="odd", at=START + timedelta(microseconds=1)),
    ]
    await memory.add_many([*conversation(("bread", "boat")), *odd], space=space)
    await memory.organize(space=space)
    # Far apart in time, so that each is a segment of its own: more than a leaf topic may hold.
    more = [
        MessageInput(text=f"{text} Round {number}.", session=f"{number} {turn}", at=START + timedelta(days=number))
        for number in range(rounds) for turn, text in enumerate(SUBJECTS["bread"])
    ]
    await memory.add_many([*conversation(("garden", "work")), *more], space=space)
    await memory.organize(space=space)
    await memory.add_many([MessageInput(text="It waits.", session="last", at=START)], space=space)


async def exported(memory: Memory, space: str) -> bytes:
    out = io.BytesIO()
    await memory.export(space=space, out=out)
    return out.getvalue()


def records(export: bytes, kind: str) -> list[dict[str, Any]]:
    """The lines of one kind."""
    lines = [json.loads(line) for line in export.splitlines()[1:-1]]
    return [line for line in lines if line["kind"] == kind]


async def remove(graph: Graph, space: str) -> None:
    """Take a space out of a database, round the library."""
    id = await id_of(graph, space)
    for label in LABELS:
        where = "n.id = $id" if label == "Space" else "n.space = $id"
        await graph.rows(f"MATCH (n:{label}) WHERE {where} DETACH DELETE n", id=id)


async def nodes_of(graph: Graph, id: str) -> int:
    """How many nodes carry this id of a space."""
    rows = await graph.rows("MATCH (n) WHERE n.space = $id OR n.id = $id RETURN count(n) AS number", id=id)
    return int(rows[0]["number"])
