"""The baseline: BM25 of single messages and their speakers, by bm25s, over terms made as the project makes them."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s  # type: ignore[import-untyped]  # it ships no types
import numpy as np

from bench.scoring import Shown, tokens_of
from trace_graph.models import MessageInput
from trace_graph.text.terms import terms

K1, B = 1.2, 0.75
"""Source: the retrieval study; the same as in the project's own ranking."""


class Bm25:
    """An index over the messages of one conversation."""

    def __init__(self, messages: Sequence[MessageInput]) -> None:
        self._shown = [Shown(str(message.external_id), tokens_of(message.text)) for message in messages]
        self._index = bm25s.BM25(k1=K1, b=B)
        # With the speaker, without whom the baseline finds .037 less (R@10, LoCoMo's report half).
        said = [f"{message.author or message.role}: {message.text}" for message in messages]
        self._index.index([terms(text) for text in said], show_progress=False)

    def ranking(self, question: str) -> tuple[Shown, ...]:
        """The messages that hold a term of the question, best first; equal scores in the order they were said."""
        wanted = [term for term in dict.fromkeys(terms(question)) if term in self._index.vocab_dict]
        if not wanted:
            return ()
        scores = self._index.get_scores(wanted)
        order = np.argsort(-scores, kind="stable")
        return tuple(self._shown[place] for place in order if scores[place] > 0)
