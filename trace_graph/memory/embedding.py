"""The embedder of a database: opened when first needed, and refused when the database holds vectors of another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trace_graph.config import Settings
from trace_graph.embed.background import background_mean, centred
from trace_graph.embed.choose import open_embedder
from trace_graph.embed.fingerprint import Fingerprint, fingerprint, same_space
from trace_graph.embed.protocol import Embedder, Vector
from trace_graph.errors import EmbedderMismatch
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row
from trace_graph.store.schema import ensure_vector_indexes


class CheckedEmbedder:
    """An embedder whose vectors are known to be of the same space as those in the database."""

    def __init__(self, store: Store, settings: Settings, embedder: Embedder | None = None) -> None:
        self._store = store
        self._embedder = embedder or configured_embedder(settings)
        self._everyday: Vector | None = None
        self._checked = False
        self.in_use: Fingerprint | None = None
        """Of the vectors in the database, once the embedder was checked against them."""
        self._lock = asyncio.Lock()

    async def ready(self) -> Embedder:
        """The embedder, checked against the database at the first call.

        Raises: EmbedderMismatch, EmbeddingFailed, ConfigError.
        """
        async with self._lock:
            if not self._checked:
                await self._check()
                self._checked = True
        return self._embedder

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Vectors of texts, in their order; None where a text has none."""
        if not texts:
            return []
        return await (await self.ready()).embed(texts)

    async def embed_question(self, text: str, centre: float) -> Vector | None:
        """The vector of a question; None also where the database has no vectors yet: reading adopts no embedder.

        That of a static embedder has the share `centre` of the everyday mean taken off (measured for those only).
        """
        if not self._checked:
            rows = await self._store.read("read_meta")
            if not rows or rows[0]["embedder"] is None:
                return None
        vector = (await self.embed([text]))[0]
        if vector is None or not centre or not self._embedder.name.startswith("static:"):
            return vector
        if self._everyday is None:
            self._everyday = await background_mean(self._embedder)
        return centred(vector, self._everyday, centre)

    async def ready_for(self, other: Fingerprint | None) -> None:
        """Make the database ready for vectors of another one's embedder; None where there are none.

        Raises: EmbedderMismatch before the database adopts an embedder whose vectors cannot be compared with those.
        """
        if other is not None:
            rows = await self._store.read("read_meta")
            fresh = not rows or rows[0]["embedder"] is None
            mine = await fingerprint(self._embedder) if fresh else _fingerprint(rows[0])
            if not same_space(mine, other):
                raise EmbedderMismatch(
                    f"The export holds vectors of {other.name} ({other.dimension} numbers), this database those of "
                    f"{mine.name} ({mine.dimension} numbers).",
                    fix=f"Restore it into an empty database with TRACE_GRAPH_EMBEDDER={other.name}, or import the "
                        "messages from their source.")
        await self.ready()

    async def fault(self) -> str | None:
        """What keeps the embedder from the vectors that are there, in a sentence; None where nothing does.

        Nothing is adopted. Raises: EmbeddingFailed, ConfigError.
        """
        rows = await self._store.read("read_meta")
        if not rows or rows[0]["embedder"] is None:
            return None
        mine, stored = await fingerprint(self._embedder), _fingerprint(rows[0])
        return None if same_space(mine, stored) else _mismatch(mine, stored)

    async def close(self) -> None:
        """Give back the embedder's connections."""
        await self._embedder.close()

    async def _check(self) -> None:
        mine = await fingerprint(self._embedder)
        rows = await self._store.read("read_meta")
        if not rows or rows[0]["embedder"] is None:
            rows = await self._store.write(
                lambda transaction: transaction.run(
                    "adopt_embedder", embedder=mine.name, dimension=mine.dimension, probe=mine.probe),
                "adopt_embedder")
        stored = _fingerprint(rows[0])
        if not same_space(mine, stored):
            raise EmbedderMismatch(_mismatch(mine, stored))
        if not rows[0]["indexed"]:
            # Also where another process adopted it and has not come to the indexes yet, or was killed before them.
            await ensure_vector_indexes(self._store, mine.dimension)
            await self._store.write(lambda transaction: transaction.run("mark_indexed"), "mark_indexed")
        if mine.name != stored.name:
            await self._store.write(
                lambda transaction: transaction.run("rename_embedder", embedder=mine.name), "rename_embedder")
        self.in_use = Fingerprint(mine.name, stored.dimension, stored.probe)


def _mismatch(mine: Fingerprint, stored: Fingerprint) -> str:
    return (
        f"The database holds vectors of {stored.name} ({stored.dimension} numbers); {mine.name} "
        f"({mine.dimension} numbers) gives others, and the two cannot be compared.")


def _fingerprint(row: Row) -> Fingerprint:
    return Fingerprint(row["embedder"], row["dimension"], row["probe"])


def configured_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name. Raises: ConfigError."""
    base_url, key = settings.embedder_endpoint
    return open_embedder(
        settings.embedder, openai_base_url=base_url, openai_api_key=key.get_secret_value() if key else None)
