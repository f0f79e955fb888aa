"""What a text means to a static model: the mean of its tokens' vectors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from trace_graph.embed.tensors import AGAIN, MODEL_FOLDER, Tensor, read, tensors_of
from trace_graph.errors import ConfigError

ROW_NAMES = ("embeddings", "embedding.weight")
"""As model2vec and as sentence-transformers write them."""

TOKENS_A_SLICE = 4096
"""Tokens gathered at once, so that a text of a million tokens needs megabytes, not gigabytes."""


@dataclass(frozen=True)
class TokenTable:
    """A tokenizer and the vectors of its tokens, as model2vec stores them."""

    tokenizer: Tokenizer
    rows: NDArray[Any]
    """(rows, dimension), int8 or float, as stored."""
    row_of: NDArray[np.int64] | None
    """The row of each token id, where several tokens share one."""
    weights: NDArray[np.float32] | None
    """The weight of each token id."""
    unknown: int | None
    """The id that stands for whatever the vocabulary lacks; it counts for nothing."""

    def means(self, texts: list[str]) -> NDArray[np.float64]:
        """Take the mean of each text's token vectors: (texts, dimension); zeros where no token is known.

        A text is never cut: model2vec reads the first 512 tokens only, this all of them.
        """
        means = np.zeros((len(texts), self.rows.shape[1]), dtype=np.float64)
        if len(texts) == 1:
            encoded = [self.tokenizer.encode(texts[0], add_special_tokens=False)]
        else:
            encoded = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        for place, encoding in enumerate(encoded):
            ids = np.asarray(encoding.ids, dtype=np.int64)
            if self.unknown is not None:
                ids = ids[ids != self.unknown]
            if len(ids):
                means[place] = self._sum(ids) / len(ids)
        return means

    def _sum(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        if len(ids) > TOKENS_A_SLICE:
            cuts = range(0, len(ids), TOKENS_A_SLICE)
            slices = np.array([self._sum(ids[cut : cut + TOKENS_A_SLICE]) for cut in cuts])
            return np.asarray(slices.sum(axis=0), dtype=np.float64)
        vectors = self.rows[ids if self.row_of is None else self.row_of[ids]]
        if self.weights is not None:
            return np.asarray(self.weights[ids] @ vectors.astype(np.float32), dtype=np.float64)
        exact = np.int32 if vectors.dtype == np.int8 else np.float32
        return np.asarray(vectors.sum(axis=0, dtype=exact), dtype=np.float64)


def rows_tensor(path: Path) -> Tensor:
    """Find the token vectors in the model's file.

    Raises: ConfigError where there are none, or of a type that is not read here.
    """
    tensors = tensors_of(path)
    found = next((tensors[name] for name in ROW_NAMES if name in tensors), None)
    if found is None or len(found.shape) != 2 or found.dtype not in ("<i1", "<f2", "<f4", "<f8"):
        raise ConfigError(
            f"{path} holds no token vectors of a static model.",
            fix="Give the folder of a model2vec model: a matrix named embeddings, int8, float16 or float32.",
        )
    return found


def load_table(folder: Path) -> TokenTable:
    """Load `tokenizer.json` and `model.safetensors` of a folder.

    Raises: ConfigError where they are missing, damaged, or do not belong together.
    """
    path = folder / "model.safetensors"
    tensors = tensors_of(path)
    rows = read(path, rows_tensor(path))
    row_of = read(path, tensors["mapping"]).astype(np.int64) if "mapping" in tensors else None
    weights = read(path, tensors["weights"]).astype(np.float32) if "weights" in tensors else None
    tokenizer, unknown = _load_tokenizer(folder / "tokenizer.json")
    count = tokenizer.get_vocab_size()
    fits = len(rows) == count if row_of is None else len(row_of) >= count and _within(row_of, len(rows))
    if not fits or (weights is not None and (weights.ndim != 1 or len(weights) < count)):
        raise ConfigError(
            f"Tokenizer and vectors in {folder} do not belong together: {count} tokens, {len(rows)} vectors.",
            fix="Copy both files from the same model.",
        )
    return TokenTable(tokenizer, rows, row_of, weights, unknown)


def _within(row_of: NDArray[np.int64], count: int) -> bool:
    return row_of.ndim == 1 and bool((row_of >= 0).all()) and bool((row_of < count).all())


def _load_tokenizer(path: Path) -> tuple[Tokenizer, int | None]:
    try:
        written = path.read_bytes()
        tokenizer = Tokenizer.from_buffer(written)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", fix=MODEL_FOLDER) from error
    except ValueError as error:
        raise ConfigError(f"{path} is not a tokenizer of the tokenizers library.", fix=AGAIN) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, _unknown_id(tokenizer, written)


def _unknown_id(tokenizer: Tokenizer, written: bytes) -> int | None:
    """A unigram model tells its unknown id only in the file; the pattern spares parsing all of it (0.1 s)."""
    if hasattr(tokenizer.model, "unk_token"):
        token = tokenizer.model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    found = re.search(rb'"unk_id"\s*:\s*(\d+)', written)
    return int(found[1]) if found else None
