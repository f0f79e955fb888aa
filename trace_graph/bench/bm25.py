"""The baseline BM25 of single messages and their speakers, by bm25s, over terms made as the project makes them."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s  # type: ignore[import-untyped]  # it ships no types
import numpy as np
from numpy.typing import NDArray

from trace_graph.models import MessageInput
from trace_graph.text.terms import terms

K1, B = 1.2, 0.75
"""Source: the retrieval study; the same as in the project's own ranking."""


class Bm25:
    """An index over the messages of one pool."""

    def __init__(self, messages: Sequence[MessageInput]) -> None:
        self._index = bm25s.BM25(k1=K1, b=B)
        # With the speaker, without whom the baseline finds .037 less (R@10, LoCoMo's report half).
        said = [f"{message.author or message.role}: {message.text}" for message in messages]
        self._index.index([terms(text) for text in said], show_progress=False)

    def places(self, question: str) -> NDArray[np.intp]:
        """The messages that hold a term of the question, best first; equal scores in the order they were said."""
        wanted = [term for term in dict.fromkeys(terms(question)) if term in self._index.vocab_dict]
        if not wanted:
            return np.empty(0, np.intp)
        scores = self._index.get_scores(wanted)
        order = np.argsort(-scores, kind="stable")
        places: NDArray[np.intp] = order[scores[order] > 0]
        return places
