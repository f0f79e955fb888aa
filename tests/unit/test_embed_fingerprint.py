from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence

import numpy as np
import pytest

from trace_graph.embed.background import EVERYDAY, background_mean, centred
from trace_graph.embed.fingerprint import PROBE, Fingerprint, fingerprint, same_space
from trace_graph.embed.protocol import Embedder, Vector
from trace_graph.embed.static import StaticEmbedder
from trace_graph.embed.vectors import unit
from trace_graph.errors import EmbeddingFailed

ROTATION, _ = np.linalg.qr(np.random.default_rng(7).normal(size=(384, 384)))


class Fake:
    """Random directions by text; `turn` rotates the space, `prefix` goes before each text, `noise` is added."""

    def __init__(self, name: str = "fake", *, turn: bool = False, prefix: str = "", noise: float = 0.0) -> None:
        self.name, self.dimension = name, 384
        self._turn, self._prefix, self._noise = turn, prefix, noise

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self._vector(self._prefix + text) for text in texts]

    def _vector(self, text: str) -> Vector | None:
        numbers = np.random.default_rng(zlib.crc32(text.encode())).normal(size=384)
        numbers = ROTATION @ numbers if self._turn else numbers
        return unit(numbers + self._noise * np.random.default_rng(1).normal(size=384))

    async def close(self) -> None:
        pass


class Mute(Fake):
    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return [None] * len(texts)


def of(embedder: Embedder) -> Fingerprint:
    return asyncio.run(fingerprint(embedder))


def test_a_fingerprint_is_name_dimension_and_the_rounded_probe_vector() -> None:
    embedder = StaticEmbedder.shipped()
    [vector] = asyncio.run(embedder.embed([PROBE]))
    assert vector is not None

    rounded = [round(float(number), 6) for number in vector]
    assert of(embedder) == Fingerprint("static:multilingual-static", 256, rounded)


def test_a_renamed_model_is_the_same_space() -> None:
    """PC-149."""
    assert same_space(of(Fake("app-embed")), of(Fake("embed:latest")))


def test_a_little_noise_of_another_processor_is_the_same_space() -> None:
    assert same_space(of(Fake()), of(Fake(noise=0.002)))


def test_a_rotation_a_prefix_and_another_model_of_the_same_name_are_other_spaces() -> None:
    """PC-148."""
    own = of(Fake())

    others = [Fake(turn=True), Fake(prefix="query: "), Fake(noise=0.2)]
    assert [same_space(own, of(other)) for other in others] == [False] * 3


def test_another_dimension_or_a_useless_probe_is_never_the_same_space() -> None:
    own = Fingerprint("a", 2, [1.0, 0.0])
    others = [
        Fingerprint("a", 3, [1.0, 0.0, 0.0]), Fingerprint("a", 2, []), Fingerprint("a", 2, [0.0, 0.0]),
        Fingerprint("a", 2, [float("nan"), 1.0]),
    ]

    assert same_space(own, own)
    assert [same_space(own, other) for other in others] == [False] * 4
    assert not same_space(Fingerprint("a", 1, [0.0]), Fingerprint("a", 1, [0.0]))


def test_an_embedder_without_a_vector_for_the_probe_has_failed() -> None:
    with pytest.raises(EmbeddingFailed, match="gives a plain sentence no vector"):
        of(Mute())
    with pytest.raises(EmbeddingFailed, match="gives no everyday sentence a vector"):
        asyncio.run(background_mean(Mute()))


def test_the_background_is_the_mean_of_the_everyday_sentences() -> None:
    embedder = StaticEmbedder.shipped()
    vectors = [vector for vector in asyncio.run(embedder.embed(EVERYDAY)) if vector is not None]
    mean = asyncio.run(background_mean(embedder))

    assert (len(vectors), mean.shape, mean.dtype.name) == (61, (256,), "float32")
    np.testing.assert_allclose(mean, np.mean(vectors, axis=0), atol=1e-6)


def test_everyday_sentences_are_sixty_one_and_all_different() -> None:
    assert len(EVERYDAY) == len(set(EVERYDAY)) == 61


def test_a_centred_question_ranks_as_if_every_vector_had_lost_the_mean() -> None:
    random = np.random.default_rng(3)
    rows = random.normal(size=(20, 8)) + 1.0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    mean, question = rows.mean(axis=0), rows[0] + 0.2 * rows[5]

    by_question = rows @ centred(question, mean, 1.0)
    by_all = (rows - mean) @ (question - mean)

    np.testing.assert_array_equal(np.argsort(-by_question), np.argsort(-(by_all + mean @ (question - mean))))


def test_a_question_that_is_the_mean_itself_stays_as_it_is() -> None:
    mean = np.array([0.6, 0.8], dtype=np.float32)

    np.testing.assert_array_equal(centred(mean, mean, 1.0), mean)
