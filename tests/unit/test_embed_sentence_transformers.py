"""With a scripted model; the real library is in tests/extra."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.scripted_openai import vector_of
from trace_graph.embed import sentence_transformers as module
from trace_graph.embed.protocol import Embedded
from trace_graph.embed.sentence_transformers import SentenceTransformersEmbedder
from trace_graph.embed.vectors import NO_VECTOR, NOT_TEXT, unit
from trace_graph.errors import EmbeddingFailed


class Scripted:
    """A model that reads `max_seq_length` words, two of them its own, and fails on texts beyond."""

    def __init__(self, limit: float | None = 8, prompts: dict[str, str] | None = None) -> None:
        self.max_seq_length = limit
        self.prompts = prompts or {}
        self.default_prompt_name = next(iter(self.prompts), None)
        self.encoded: list[str] = []
        self.threads: set[str] = set()

    def tokenizer(self, text: str, *, truncation: bool, verbose: bool) -> dict[str, list[int]]:
        assert (truncation, verbose) == (False, False)
        return {"input_ids": [0] * (len(text.split()) + 2)}

    def encode(
        self, sentences: list[str], *, normalize_embeddings: bool, convert_to_numpy: bool, show_progress_bar: bool
    ) -> np.ndarray[Any, Any]:
        assert (normalize_embeddings, convert_to_numpy, show_progress_bar) == (True, True, False)
        self.threads.add(threading.current_thread().name)
        self.encoded += sentences
        if "out of memory" in sentences:
            raise RuntimeError("CUDA out of memory")
        return np.array([vector_of(text) if text != "..." else vector_of("") for text in sentences], dtype=np.float32)


def opened(monkeypatch: pytest.MonkeyPatch, model: Scripted) -> SentenceTransformersEmbedder:
    monkeypatch.setattr(module, "_load", lambda name: model)
    return SentenceTransformersEmbedder("org/some-model")


def embed(embedder: SentenceTransformersEmbedder, texts: Sequence[str]) -> Embedded:
    vectors = asyncio.run(embedder.embed(texts))
    asyncio.run(embedder.close())
    assert isinstance(vectors, Embedded)
    return vectors


def rounded(vectors: Sequence[np.ndarray[Any, Any] | None]) -> list[list[float] | None]:
    return [None if vector is None else vector.round(5).tolist() for vector in vectors]


def test_places_are_kept_and_blank_texts_are_not_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted()

    vectors = embed(opened(monkeypatch, model), ["one two", "", "\n", "...", "half \ud800", "three"])

    assert rounded(vectors) == rounded([unit(vector_of("one two")), None, None, None, None, unit(vector_of("three"))])
    assert (vectors.refused, vectors.split) == ({3: NO_VECTOR, 4: NOT_TEXT}, 0)
    assert model.encoded == ["one two", "...", "three"]


@pytest.mark.parametrize(("prompts", "parts"), [
    ({}, ["a b c d e f", " g h i j k l"]),
    ({"passage": "this is: "}, ["a b c", " d e f", " g h i", " j k l"]),
])
def test_a_text_beyond_the_limit_is_averaged_over_windows(
    monkeypatch: pytest.MonkeyPatch, prompts: dict[str, str], parts: list[str],
) -> None:
    """PC-155; the prompt that the model puts before each text takes its share of the limit."""
    model = Scripted(prompts=prompts)

    vectors = embed(opened(monkeypatch, model), ["x", "a b c d e f g h i j k l"])

    assert model.encoded == ["x", *parts]
    assert vectors.split == 1
    units = [np.array(vector_of(part)) / np.linalg.norm(vector_of(part)) for part in parts]
    mean = np.average(units, axis=0, weights=[len(part) for part in parts])
    assert rounded(vectors) == rounded([unit(vector_of("x")), unit(mean)])


@pytest.mark.parametrize("limit", [None, float("inf")])
def test_a_model_without_a_limit_gets_whole_texts(monkeypatch: pytest.MonkeyPatch, limit: float | None) -> None:
    model = Scripted(limit)

    assert embed(opened(monkeypatch, model), ["word " * 500]).split == 0
    assert model.encoded == ["word " * 500]


def test_the_model_is_used_by_one_thread_only_and_not_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted()
    embedder = opened(monkeypatch, model)

    async def several() -> None:
        await asyncio.gather(*(embedder.embed([f"text {number}"]) for number in range(8)))
        await embedder.close()

    asyncio.run(several())

    assert len(model.encoded) == 8
    assert model.threads == {"trace-graph-embed_0"}


def test_the_dimension_is_known_after_the_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = opened(monkeypatch, Scripted())

    with pytest.raises(EmbeddingFailed, match="not known before the first text"):
        _ = embedder.dimension
    embed(embedder, ["one"])
    assert (embedder.name, embedder.dimension) == ("sentence-transformers:org/some-model", 16)


def test_a_model_that_breaks_down_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EmbeddingFailed, match="failed while it was embedding"):
        embed(opened(monkeypatch, Scripted()), ["out of memory"])
