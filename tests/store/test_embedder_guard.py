"""One embedder a database: another one is refused, a renamed one passes, and texts without a vector are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.store.conftest import Run
from tests.store.prepared import Graph
from trace_graph.config import Settings
from trace_graph.embed.protocol import Vector
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import EmbedderMismatch
from trace_graph.memory import Memory, embedding
from trace_graph.models import MessageInput, RecallResult
from trace_graph.store.local_server import LocalServer


class Changed:
    """The shipped embedder under another name, its vectors changed."""

    def __init__(self, name: str, change: Callable[[Vector], Vector | None] = lambda vector: vector) -> None:
        self.name = name
        self._plain = StaticEmbedder.shipped()
        self._change = change

    @property
    def dimension(self) -> int:
        return self._plain.dimension

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return [None if one is None else self._change(one) for one in await self._plain.embed(texts)]

    async def close(self) -> None:
        await self._plain.close()


def rotated(vector: Vector) -> Vector:
    """As far from the plain one as a vector of another model, of the same length."""
    return np.roll(vector, 1)


def shorter(vector: Vector) -> Vector:
    half = vector[:128]
    return np.asarray(half / np.linalg.norm(half), dtype=np.float32)


class Shorter(Changed):
    @property
    def dimension(self) -> int:
        return 128


@pytest.mark.parametrize(
    ("other", "numbers"),
    [
        (Changed("static:rotated", rotated), 256),
        (Changed("static:multilingual-static", rotated), 256),
        (Shorter("static:half", shorter), 128),
    ],
    ids=["same dimension", "same name", "other dimension"],
)
def test_vectors_of_another_space_are_refused_before_anything_is_written_or_compared(
    settings: Settings, graph: Graph, run: Run, space: str, other: Changed, numbers: int
) -> None:
    """PC-148, PC-149."""

    async def add() -> Any:
        async with Memory(settings=settings, embedder=other) as memory:
            return await memory.add("Hello.", space=space)

    async def recall() -> Any:
        async with Memory(settings=settings, embedder=other) as memory:
            return await memory.recall("Hello?")

    for use in (add, recall):
        with pytest.raises(EmbedderMismatch) as refused:
            run(use())
        assert refused.value.message == (
            f"The database holds vectors of static:multilingual-static (256 numbers); {other.name} ({numbers} numbers) "
            "gives others, and the two cannot be compared."
        )
        assert refused.value.fix == (
            "Set TRACE_GRAPH_EMBEDDER to the embedder the database was made with, or use another database."
        )
    assert run(graph.rows("MATCH (m:Message {text: 'Hello.', session: $space}) RETURN m.id AS id", space=space)) == []


def test_the_same_vectors_under_another_name_are_accepted_and_the_name_is_taken_over(
    settings: Settings, graph: Graph, run: Run, space: str
) -> None:
    """PC-149."""

    async def name() -> str:
        return str((await graph.rows("MATCH (n:Meta) RETURN n.embedder AS name"))[0]["name"])

    async def use() -> tuple[str, str, list[str | None]]:
        async with Memory(settings=settings, embedder=Changed("static:renamed")) as memory:
            await memory.add("The Petrel is blue.", space=space, external_id="a")
            renamed = await name()
        async with Memory(settings=settings, embedder=StaticEmbedder.shipped()) as memory:
            found = await memory.recall("Which colour is the Petrel?", space=space)
            return renamed, await name(), [item.external_id for item in found.items]

    assert run(use()) == ("static:renamed", "static:multilingual-static", ["a"])


def without_vector(vector: Vector) -> Vector | None:
    return None


class Selective(Changed):
    """Gives texts that hold a mark no vector, as an endpoint does that refuses them."""

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        plain = await super().embed(texts)
        return [None if "Δ" in text else vector for text, vector in zip(texts, plain, strict=True)]


def test_a_text_without_a_vector_is_stored_filed_and_found_by_its_words(
    settings: Settings, graph: Graph, run: Run, space: str
) -> None:
    """PC-151, PC-152, PC-154: a query without one asks the keywords alone."""
    given = [
        MessageInput(text=text, external_id=id)
        for id, text in (
            ("plain", "The Petrel lies in the harbour."),
            ("none", "Δ The locker has number 4417."),
            ("emoji", "👋🙂"),
            ("dots", "..."),
            ("last", "Nothing else happened."),
        )
    ]

    async def use() -> tuple[list[bool], list[int], list[str | None], list[str | None], int]:
        async with Memory(settings=settings, embedder=Selective("static:multilingual-static")) as memory:
            receipts = await memory.add_many(given, space=space)
            rows = await graph.rows(
                "MATCH (s:Space {name: $name}) MATCH (m:Message {space: s.id}) "
                "RETURN m.embedding IS NULL AS none ORDER BY m.seq",
                name=space,
            )
            by_vector: RecallResult = await memory.recall("Which number has the locker?", space=space)
            by_words: RecallResult = await memory.recall("Δ locker 4417", space=space)
            report = await memory.organize(space=space)
            return (
                [row["none"] for row in rows],
                [receipt.without_vector for receipt in receipts],
                [item.external_id for item in by_vector.items][:1],
                [item.external_id for item in by_words.items if "text" in item.why.found_by],
                report.filed,
            )

    missing, told, first, words, filed = run(use())

    assert missing[:2] == [False, True]
    assert told == [int(none) for none in missing]
    assert first == ["none"]
    assert words == ["none"]
    assert filed == 5


def test_a_process_that_was_killed_before_the_vector_indexes_leaves_them_to_the_next(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a folder of its own: the embedder is adopted, the indexes are not there yet."""
    settings = Settings(uri=f"local:{tmp_path / 'data'}", heap_mb=512)

    class Killed(Exception):
        pass

    async def killed(*_: object, **__: object) -> None:
        raise Killed

    async def use() -> list[str | None]:
        monkeypatch.setattr(embedding, "ensure_vector_indexes", killed)
        async with Memory(settings=settings, embedder=StaticEmbedder.shipped()) as memory:
            with pytest.raises(Killed):
                await memory.add("Lost.", space="s")
        monkeypatch.undo()
        index_only = settings.model_copy(update={"recall": settings.recall.model_copy(update={"candidates": 1})})
        async with Memory(settings=index_only, embedder=StaticEmbedder.shipped()) as memory:
            await memory.add_many(
                [
                    MessageInput(text=f"The Petrel lies at pier {number}.", external_id=str(number))
                    for number in range(9)
                ],
                space="s",
            )
            # Nine squared is more than twice nine: the list of vectors comes from the index.
            return [item.external_id for item in (await memory.recall("pier 4?", space="s", limit=1)).items]

    try:
        assert run(use()) == ["4"]
    finally:
        run(LocalServer(settings.data_folder).stop())
