"""The embedder that needs no torch and no network: a table of token vectors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

from trace_graph.embed.protocol import Embedded, Vector
from trace_graph.embed.tensors import MODEL_FOLDER
from trace_graph.embed.token_table import TokenTable, load_table, rows_tensor
from trace_graph.embed.vectors import NO_VECTOR, embeddable, unit_rows
from trace_graph.errors import ConfigError

SHIPPED = Path(__file__).parent / "multilingual_static"

INLINE_CHARACTERS = 500
"""A single text up to this length is embedded on the event loop, in at most 0.5 ms; a thread would double the
0.2 ms of a short one. Source: measured on two busy cores, 0.9 ms for each 1,000 characters."""

TEXTS_A_STEP = 512
"""Texts tokenized at once; bounds the memory of a long list."""


class StaticEmbedder:
    """A static model (model2vec's format): a text's vector is the unit mean over all of its tokens.

    The vectors are model2vec's, except for texts beyond 512 tokens, which model2vec cuts and this does not.
    Weights load on the first `embed`. They are not hashed at each start (57 ms measured, half as long as all
    the rest): header, sizes and vocabulary are checked, and `fingerprint` notices other vectors.
    """

    def __init__(self, folder: Path, name: str, dimension: int) -> None:
        self.name = name
        self.dimension = dimension
        self._folder = folder
        self._table: TokenTable | None = None
        self._loading = threading.Lock()

    @classmethod
    def load(cls, folder: Path) -> StaticEmbedder:
        """Open the model in a folder with `model.safetensors` and `tokenizer.json`; reads only a header.

        Raises: ConfigError where there is no such model.
        """
        if not folder.is_dir():
            raise ConfigError(f"There is no folder {folder} for a static model.", fix=MODEL_FOLDER)
        dimension = rows_tensor(folder / "model.safetensors").shape[1]
        return cls(folder, f"static:{folder.resolve().name}", dimension)

    @classmethod
    def shipped(cls) -> StaticEmbedder:
        """Open the multilingual model that comes with trace-graph: 256 dimensions, about 30 languages."""
        dimension = rows_tensor(SHIPPED / "model.safetensors").shape[1]
        return cls(SHIPPED, "static:multilingual-static", dimension)

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed the texts; see `Embedder.embed`."""
        inline = self._table is not None and len(texts) <= 1 and sum(map(len, texts)) <= INLINE_CHARACTERS
        return self._embed(texts) if inline else await asyncio.to_thread(self._embed, texts)

    async def close(self) -> None:
        """Let go of the weights; a later `embed` loads them again."""
        self._table = None

    def _embed(self, texts: Sequence[str]) -> Embedded:
        places, refused = embeddable(texts)
        vectors: list[Vector | None] = [None] * len(texts)
        table = self._loaded()
        for start in range(0, len(places), TEXTS_A_STEP):
            step = places[start : start + TEXTS_A_STEP]
            rows, usable = unit_rows(table.means([texts[place] for place in step]))
            for place, row, is_usable in zip(step, rows, usable, strict=True):
                if is_usable:
                    vectors[place] = row
                else:
                    refused[place] = NO_VECTOR
        return Embedded(vectors, refused=refused)

    def _loaded(self) -> TokenTable:
        with self._loading:
            if self._table is None:
                self._table = load_table(self._folder)
            return self._table
