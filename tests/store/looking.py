"""What the tests look up in the graph, round the library."""

from __future__ import annotations

from typing import Any

from tests.store.prepared import Graph
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.memory import Memory

MESSAGES = "MATCH (m:Message {space: $space}) RETURN properties(m) AS m ORDER BY m.session, m.seq"
EVENTS = "MATCH (e:Event {space: $space}) RETURN properties(e) AS e ORDER BY e.seq"


async def id_of(graph: Graph, name: str) -> str:
    rows = await graph.rows("MATCH (s:Space {name: $name}) RETURN s.id AS id", name=name)
    return str(rows[0]["id"])


async def stored(graph: Graph, name: str) -> list[dict[str, Any]]:
    """The Message nodes of a space, by session and place."""
    space = await id_of(graph, name)
    return [row["m"] for row in await graph.rows(MESSAGES, space=space)]


async def events(graph: Graph, name: str) -> list[dict[str, Any]]:
    space = await id_of(graph, name)
    return [row["e"] for row in await graph.rows(EVENTS, space=space)]


def opened(settings: Settings, **more: Any) -> Memory:
    return Memory(settings=settings, embedder=StaticEmbedder.shipped(), **more)
