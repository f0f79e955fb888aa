"""Whether two embedders give vectors that can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_graph.embed.protocol import Embedder
from trace_graph.errors import EmbeddingFailed

PROBE = (
    "On 14 May Mira took the 9:40 train to Zürich to see her brother, who had baked a plum cake. "
    "她说下周五要去看牙医，然后和朋友一起吃晚饭。"
)
"""The sentence whose vector stands for the whole space: two scripts, a date, common and rare words, so that a
change of model, prefix, pooling or tokenizer shows. Never change it: stored fingerprints would no longer compare."""

SAME = 0.999
"""Cosine of two probe vectors from which on they are of one space: leaves room for half precision and another
processor (differences below .0005), not for another prefix or pooling. Source: guess."""

DECIMALS = 6
"""Kept of a probe vector: an error of the cosine below .00001."""


@dataclass(frozen=True)
class Fingerprint:
    """What is stored of an embedder to recognise its vectors."""

    name: str
    """For people; never compared."""
    dimension: int
    probe: list[float]
    """The unit vector of `PROBE`, rounded."""


async def fingerprint(embedder: Embedder) -> Fingerprint:
    """Embed the probe sentence.

    Raises: EmbeddingFailed where the embedder gives it no vector; whatever `Embedder.embed` raises.
    """
    [vector] = await embedder.embed([PROBE])
    if vector is None:
        raise EmbeddingFailed(f"The embedder {embedder.name} gives a plain sentence no vector.")
    return Fingerprint(embedder.name, len(vector), [round(float(number), DECIMALS) for number in vector])


def same_space(a: Fingerprint, b: Fingerprint) -> bool:
    """Tell by the probe vectors, never by the names, whether vectors of both can be compared.

    Another name with the same vectors is a renamed model and passes; the same name with other vectors does not.
    """
    if a.dimension != b.dimension or len(a.probe) != len(b.probe):
        return False
    first, second = np.asarray(a.probe, dtype=np.float64), np.asarray(b.probe, dtype=np.float64)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return lengths > 0 and float(first @ second) / lengths >= SAME
