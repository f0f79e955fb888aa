"""The systems that trace-graph is compared with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from trace_graph.bench.asking import Baselines
from trace_graph.bench.baselines import Head, Vectors, fused, last_messages
from trace_graph.bench.bm25 import Bm25
from trace_graph.bench.datasets import Pool
from trace_graph.bench.questions import Question
from trace_graph.embed.protocol import Vector
from trace_graph.models import MessageInput

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class CountingLetters:
    """An embedder whose vector is how often a, b and c occur."""

    name = "test:letters"
    dimension = 3

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        vectors = [np.array([text.count(letter) for letter in "abc"], np.float32) for text in texts]
        return [vector / np.linalg.norm(vector) if vector.any() else None for vector in vectors]

    async def close(self) -> None:
        """Nothing to give back."""


def said(*texts: str) -> list[MessageInput]:
    return [
        MessageInput(text=text, external_id=str(place), at=NOON + timedelta(hours=place))
        for place, text in enumerate(texts)]


def test_bm25_ranks_by_rare_words_and_leaves_out_what_shares_none() -> None:
    index = Bm25(said("The kiln is hot", "Kilns and glaze", "Nothing of it", "The kiln again"))

    assert index.places("Which glaze was in the kiln?").tolist() == [1, 3, 0]
    assert index.places("Who else?").tolist() == []


def test_bm25_reads_the_speaker() -> None:
    messages = [MessageInput(text="A kiln", author=author, external_id=author) for author in ("Ola", "Mira")]

    assert Bm25(messages).places("What did Mira say?").tolist() == [1]


def test_vectors_rank_all_messages_and_those_without_one_last() -> None:
    async def ask() -> list[list[int]]:
        vectors = await Vectors.of(said("zz", "ab", "aa", "cc"), CountingLetters())
        return [(await vectors.places(question)).tolist() for question in ("a", "z")]

    assert asyncio.run(ask()) == [[2, 1, 0, 3], []]


def test_the_last_messages_are_those_said_last_wherever_they_stand_in_the_file() -> None:
    assert last_messages([NOON, NOON + timedelta(days=2), NOON + timedelta(days=1)]).tolist() == [1, 2, 0]


def test_fusion_prefers_what_both_rank_and_leaves_out_what_none_does() -> None:
    """1/61 + 1/62 for place 1, 1/61 for 0 and 1/62 for 3."""
    assert fused([np.array([0, 1]), np.array([1, 3])], 5).tolist() == [1, 0, 3]


def test_a_ranking_is_kept_as_far_as_the_figures_look() -> None:
    """3,800 words are 5,054 tokens; the message that bursts 4,000 is the last that is kept."""
    short, long = Head(said(*["one"] * 100)), Head(said(*["word " * 38] * 100))
    few = Head(said(*["word " * 3800] * 100))

    assert [len(head.of(np.arange(100))) for head in (short, long, few)] == [100, 80, 50]
    assert short.tokens == pytest.approx(133.0)


def test_each_question_is_put_to_the_systems_that_are_wanted() -> None:
    question = Question("q", "kiln a", "1", ("1", "2"), "s")
    pool = Pool("p", tuple(said("a boat", "the kiln", "b")), (question,))

    async def ask() -> dict[str, list[int | None]]:
        baselines = await Baselines.of(pool, ("trace-graph", "rrf", "last", "full"), CountingLetters())
        return {system: found.ranks for system, (found, _) in (await baselines.ask(question)).items()}

    assert asyncio.run(ask()) == {"rrf": [1, 3], "last": [2, 1]}
