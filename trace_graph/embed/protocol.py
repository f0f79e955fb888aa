"""What an embedder is: text in, unit vectors out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""Shape (dimension,), length 1. Two of one embedder are compared by their cosine, the dot product."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Kind and model, such as `static:multilingual-static`; for people, `fingerprint` tells vectors apart."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers of a vector; an embedder that has to ask its model knows it after the first `embed` only.

        Raises: EmbeddingFailed before that.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed the texts: one entry a text, in their order.

        None stands where a text has no vector: it is blank, holds no token the model knows, its vector is
        zero or not finite, or the endpoint refuses it. An embedder that can say why returns an `Embedded`.

        Raises: EmbeddingFailed, ConfigError (the model cannot be loaded).
        """
        ...

    async def close(self) -> None:
        """Give back connections, threads and weights; may be called twice."""
        ...


class Embedded(list[Vector | None]):
    """The vectors of a list of texts, in their order, and what is worth knowing about them."""

    def __init__(
        self, vectors: Iterable[Vector | None], *, refused: Mapping[int, str], split: int = 0
    ) -> None:
        super().__init__(vectors)
        self.refused = dict(refused)
        """Why a text that is not blank has no vector, by its place in the list. Never the text itself."""
        self.split = split
        """Texts too long for the model, embedded in parts whose mean was taken."""
