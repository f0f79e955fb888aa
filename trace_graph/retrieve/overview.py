"""The memory as a whole: its spaces, its counts, its queries."""

from __future__ import annotations

from trace_graph.access.scopes import Scope
from trace_graph.models import QueryInfo, SpaceInfo, Stats
from trace_graph.store.connection import Store
from trace_graph.store.queries import shipped_queries


async def list_spaces(store: Store) -> list[SpaceInfo]:
    """All spaces, by name."""
    return [SpaceInfo(**row) for row in await store.read("describe_spaces")]


async def read_stats(store: Store, scope: Scope, name: str | None) -> Stats:
    """Counts over the spaces of a scope."""
    counts = (await store.read("count_nodes", spaces=scope.ids))[0]
    shape = (await store.read("tree_shape", spaces=scope.ids))[0]
    return Stats(space=name, **counts, **shape)


def list_queries() -> list[QueryInfo]:
    """Every named query; where engines differ, once for each."""
    return [
        QueryInfo(
            name=query.name if query.variant == "any" else f"{query.name} ({query.variant})",
            description=query.description, mode=query.mode, parameters=sorted(query.parameters), text=query.text)
        for query in shipped_queries().all()]
