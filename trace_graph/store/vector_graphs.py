"""The graphs of the vector indexes, built at the end of a load instead of within a question's deadline."""

from __future__ import annotations

from trace_graph.store.connection import Store


async def build_vector_graphs(store: Store) -> None:
    """Have the engine build what it would otherwise build when it is first asked for neighbours.

    ArcadeDB does: 15 s after 20,000 messages (measured on two busy cores), half of the default deadline. Where the
    graph stands, it answers in milliseconds.
    Raises: EngineTimeout, EngineUnavailable, StoreFailed.
    """
    if store.engine.kind == "arcadedb":
        await store.read_unhurried("build_vector_graphs")
