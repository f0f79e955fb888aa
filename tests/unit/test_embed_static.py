from __future__ import annotations

import asyncio
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import Unigram, WordLevel
from tokenizers.pre_tokenizers import Whitespace

from trace_graph.embed import static
from trace_graph.embed.protocol import Embedded, Vector
from trace_graph.embed.static import SHIPPED, StaticEmbedder
from trace_graph.embed.vectors import NO_VECTOR, NOT_TEXT
from trace_graph.errors import ConfigError

TYPES = {"int8": "I8", "float16": "F16", "float32": "F32", "int64": "I64", "float64": "F64", "uint16": "BF16"}
WORDS = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3}
ROWS = np.array([[99, 99], [2, 0], [0, 2], [-4, 0]], dtype=np.int8)

OF_MODEL2VEC = {
    "I went to the pottery class with Mira last Tuesday.": [-0.036941, 0.005473, 0.031468, 0.0301],
    "她下周五要去看牙医。": [-0.042461, -0.012132, 0.067938, -0.019411],
    "Wo habe ich den Schlüssel hingelegt?": [-0.019065, 0.064127, -0.017332, -0.03293],
    "price: 4,417.50 €": [0.00455, -0.040952, -0.010617, 0.028818],
    "ROOM B-12 😀 ok": [0.01073, -0.019672, -0.001788, -0.046498],
    "a": None,
}
"""The first four numbers that model2vec 0.10 gives with the shipped model; None where it gives zeros."""


@pytest.fixture(scope="module")
def shipped() -> StaticEmbedder:
    return StaticEmbedder.shipped()


def embed(embedder: StaticEmbedder, texts: list[str]) -> Embedded:
    vectors = asyncio.run(embedder.embed(texts))
    assert isinstance(vectors, Embedded)
    return vectors


def one(embedder: StaticEmbedder, text: str) -> Vector:
    [vector] = embed(embedder, [text])
    assert vector is not None
    return vector


def lists(vectors: list[Vector | None]) -> list[list[float] | None]:
    return [None if vector is None else [round(float(number), 4) for number in vector] for vector in vectors]


def write_tensors(path: Path, **arrays: np.ndarray[Any, Any]) -> None:
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        start, data = len(data), data + array.tobytes()
        offsets = [start, len(data)]
        header[name] = {"dtype": TYPES[array.dtype.name], "shape": list(array.shape), "data_offsets": offsets}  # type: ignore[dict-item]
    written = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(written)) + written + data)


def write_model(folder: Path, **arrays: np.ndarray[Any, Any]) -> Path:
    write_tensors(folder / "model.safetensors", **arrays)
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_truncation(3)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def test_the_shipped_weights_are_those_of_the_checksums() -> None:
    """Checked here and not at each start: hashing takes a third as long as loading."""
    lines = (SHIPPED / "SHA256SUMS").read_text().split("\n")
    expected = {name: digest for digest, name in (line.split() for line in lines if line)}

    assert {name: hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest() for name in expected} == expected


def test_the_shipped_model_gives_the_vectors_of_model2vec(shipped: StaticEmbedder) -> None:
    vectors = embed(shipped, list(OF_MODEL2VEC))

    assert (shipped.name, shipped.dimension) == ("static:multilingual-static", 256)
    assert {(vector.shape, vector.dtype.name) for vector in vectors if vector is not None} == {((256,), "float32")}
    first = [None if vector is None else vector[:4] for vector in vectors]
    assert first == [numbers and pytest.approx(numbers, abs=2e-6) for numbers in OF_MODEL2VEC.values()]


def test_meaning_is_near_across_words_and_languages(shipped: StaticEmbedder) -> None:
    question = one(shipped, "Which pet does she have?")
    near, far = one(shipped, "她养了一只猫。"), one(shipped, "The invoice was paid in March.")

    assert question @ near > question @ far


def test_one_text_has_the_vector_it_has_in_a_batch(shipped: StaticEmbedder) -> None:
    texts = ["We met in Lisbon.", "她喜欢爬山。", "", "plain words " * 900, "We met in Lisbon."]

    alone = [embed(shipped, [text])[0] for text in texts]

    assert lists(embed(shipped, texts)) == lists(alone)


@settings(deadline=None)
@given(texts=st.lists(st.text(max_size=80), max_size=8))
def test_any_texts_give_unit_vectors_or_none_in_their_order(shipped: StaticEmbedder, texts: list[str]) -> None:
    vectors = embed(shipped, texts)

    assert len(vectors) == len(texts)
    for place, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        if vector is None:
            assert (place in vectors.refused) == bool(text.strip())
        else:
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_blank_and_unreadable_texts_have_no_vector_and_do_not_fail_the_others(shipped: StaticEmbedder) -> None:
    vectors = embed(shipped, ["hello", "", "\n\n", "half \ud800", "hello"])

    assert [vector is None for vector in vectors] == [False, True, True, True, False]
    assert vectors.refused == {3: NOT_TEXT}


def test_the_end_of_a_very_long_text_counts(shipped: StaticEmbedder) -> None:
    """PC-155: 3,000 words, and the only mention of the locker in the last sentence."""
    filler = "We talked about the weather and what to cook for dinner. " * 270
    question = one(shipped, "locker 4417")

    assert one(shipped, filler + "My locker is number 4417.") @ question > one(shipped, filler) @ question + 0.001


def test_a_text_longer_than_one_slice_is_the_mean_of_all_its_tokens(tmp_path: Path) -> None:
    embedder = StaticEmbedder.load(write_model(tmp_path, embeddings=ROWS))

    vector = one(embedder, "red " * 6000 + "green " * 8000)

    np.testing.assert_allclose(vector, [0.6, 0.8], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_unknown_words_count_for_nothing_in_every_type_of_numbers(tmp_path: Path, dtype: str) -> None:
    embedder = StaticEmbedder.load(write_model(tmp_path, embeddings=ROWS.astype(dtype)))

    vectors = embed(embedder, ["red mauve green", "mauve", "blue red red", "blue"])

    assert lists(vectors) == [[0.7071, 0.7071], None, None, [-1, 0]]
    assert vectors.refused == {1: NO_VECTOR, 2: NO_VECTOR}


def test_weights_and_shared_rows_of_a_compressed_vocabulary_are_honoured(tmp_path: Path) -> None:
    folder = write_model(
        tmp_path,
        embeddings=np.array([[1, 0], [0, 1]], dtype=np.float32),
        mapping=np.array([0, 0, 1, 1], dtype=np.int64),
        weights=np.array([1, 3, 4, 8], dtype=np.float64),
    )

    assert lists(embed(StaticEmbedder.load(folder), ["red green", "red blue blue"])) == [[0.6, 0.8], [0.1843, 0.9829]]


def test_the_unknown_token_of_a_unigram_model_counts_for_nothing(tmp_path: Path) -> None:
    vocabulary = [("▁", -1.0), ("<unk>", -9.0), ("a", -1.0)]
    Tokenizer(Unigram(vocabulary, unk_id=1)).save(str(tmp_path / "tokenizer.json"))
    write_tensors(tmp_path / "model.safetensors", embeddings=np.array([[0, 1], [9, 9], [1, 0]], dtype=np.int8))

    assert lists(embed(StaticEmbedder.load(tmp_path), ["az", "z"])) == [[1, 0], None]


def test_rows_that_are_not_finite_give_no_vector(tmp_path: Path) -> None:
    rows = ROWS.astype(np.float32)
    rows[1] = np.nan

    assert lists(embed(StaticEmbedder.load(write_model(tmp_path, embeddings=rows)), ["red", "green"])) == [None, [0, 1]]


def test_opening_reads_no_weights(tmp_path: Path) -> None:
    folder = write_model(tmp_path, embeddings=ROWS)
    (folder / "tokenizer.json").unlink()

    embedder = StaticEmbedder.load(folder)

    assert (embedder.name, embedder.dimension) == (f"static:{tmp_path.name}", 2)
    with pytest.raises(ConfigError, match=r"tokenizer\.json cannot be read: No such file or directory"):
        embed(embedder, ["red"])


def test_concurrent_first_uses_load_the_weights_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path] = []

    def counted(folder: Path) -> Any:
        loads.append(folder)
        return load(folder)

    load = static.load_table
    monkeypatch.setattr(static, "load_table", counted)
    embedder = StaticEmbedder.shipped()

    async def both() -> list[list[Vector | None]]:
        return await asyncio.gather(*(embedder.embed(["hello there", text]) for text in ("a", "b", "c")))

    first, second, third = asyncio.run(both())

    assert loads == [SHIPPED]
    assert lists(first[:1]) == lists(second[:1]) == lists(third[:1])


def test_a_closed_embedder_can_be_used_again(tmp_path: Path) -> None:
    embedder = StaticEmbedder.load(write_model(tmp_path, embeddings=ROWS))

    async def reopened() -> list[Vector | None]:
        await embedder.embed(["red"])
        await embedder.close()
        await embedder.close()
        return await embedder.embed(["red"])

    assert lists(asyncio.run(reopened())) == [[1, 0]]


def test_a_model_that_is_not_one_is_refused_when_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no folder"):
        StaticEmbedder.load(tmp_path / "missing")
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory"):
        StaticEmbedder.load(tmp_path)
    path = tmp_path / "model.safetensors"
    for damaged in (b"", b"short", b"\xff" * 64, struct.pack("<Q", 5) + b"[1,2]", struct.pack("<Q", 4) + b"{bad"):
        path.write_bytes(damaged)
        with pytest.raises(ConfigError, match="safetensors file"):
            StaticEmbedder.load(tmp_path)
    for other in ({"words": ROWS}, {"embeddings": ROWS.astype(np.uint16)}, {"embeddings": ROWS[0]}):
        write_tensors(path, **other)
        with pytest.raises(ConfigError, match="holds no token vectors"):
            StaticEmbedder.load(tmp_path)


def test_a_file_cut_short_is_refused_when_opened(tmp_path: Path) -> None:
    write_tensors(tmp_path / "model.safetensors", embeddings=ROWS)
    os.truncate(tmp_path / "model.safetensors", (tmp_path / "model.safetensors").stat().st_size - 1)

    with pytest.raises(ConfigError, match="is not a whole safetensors file"):
        StaticEmbedder.load(tmp_path)


@pytest.mark.parametrize("arrays", [
    {"embeddings": ROWS[:3]},
    {"embeddings": ROWS, "mapping": np.array([0, 1, 2, 4], dtype=np.int64)},
    {"embeddings": ROWS, "mapping": np.array([0, 1, 2], dtype=np.int64)},
    {"embeddings": ROWS, "weights": np.array([1, 1, 1], dtype=np.float32)},
])
def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    with pytest.raises(ConfigError, match="do not belong together"):
        embed(StaticEmbedder.load(write_model(tmp_path, **arrays)), ["red"])


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    (write_model(tmp_path, embeddings=ROWS) / "tokenizer.json").write_text("{}")

    with pytest.raises(ConfigError, match="is not a tokenizer of the tokenizers library"):
        embed(StaticEmbedder.load(tmp_path), ["red"])
