"""What was found, described: texts and whereabouts of the items, and the topics in which much was found."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trace_graph.access.scopes import Scope
from trace_graph.models import RecallTopic
from trace_graph.retrieve.packing import LONG_TOKENS, Described
from trace_graph.retrieve.question import Question
from trace_graph.retrieve.ranking import Scored
from trace_graph.retrieve.topics import behind_of_topics, paths_of_topics, topics_then
from trace_graph.store.connection import Store

RANKED_TOPICS_FROM = 100
"""Best messages whose topics are ranked: 94 % of the evidence lies among them (measured)."""
BEST_OF_TOPIC = 3
"""Messages whose mean score ranks a topic. Source: top-3 mean finds the right topic in 62 %, titles in 31 %."""
MOST_TOPICS = 5
"""Topics named in an answer. Guess."""


@dataclass(frozen=True)
class Description:
    """The items' texts by message id, and the topics in which most was found."""

    messages: dict[str, Described]
    topics: list[RecallTopic]


async def describe(
    store: Store, scope: Scope, question: Question, ranked: Sequence[Scored], head: Sequence[Scored]
) -> Description:
    """Read what is needed to show the head of a ranking, and to name the topics of its best messages."""
    parts = {one.candidate.id: one.candidate.part for one in head}
    best = ranked[:RANKED_TOPICS_FROM]
    ids = list(dict.fromkeys([*parts, *(one.candidate.id for one in best)]))
    rows = await store.read_lists("describe_messages", ids=ids, shown=list(parts), spaces=scope.ids)
    topic_of = {id: topic for id, topic, *_ in rows if topic is not None}
    if scope.is_past:
        topic_of = await topics_then(store, scope, ids)
    scores = _topic_scores(best, topic_of)
    wanted = {topic_of[id] for id in parts if id in topic_of} | set(scores)
    paths, behind = await asyncio.gather(
        paths_of_topics(store, scope, wanted), behind_of_topics(store, scope, scores))
    long = [row[0] for row in rows if row[0] in parts and parts[row[0]] is None and row[8] > LONG_TOKENS]
    if long:
        found = await store.read("best_passages", ids=long, terms=list(question.keys), spaces=scope.ids)
        parts.update({row["id"]: (row["start"], row["end"]) for row in found})
    described = {}
    for id, _, external_id, author, session, seq, occurred_at, offset, _, text in rows:
        if id in parts:
            described[id] = Described(
                id=id, external_id=external_id, text=text, part=parts[id], author=author, session=session, seq=seq,
                occurred_at=occurred_at, offset=offset, topic_path=paths.get(topic_of.get(id, ""), ()),
                topic=topic_of.get(id))
    return Description(described, _best_topics(scores, paths, behind))


def _topic_scores(best: Sequence[Scored], topic_of: Mapping[str, str]) -> dict[str, float]:
    """Topics by the mean score of their best messages: found from the messages up, never from their summaries."""
    scores: dict[str, list[float]] = defaultdict(list)
    for one in best:
        if one.candidate.id in topic_of:
            scores[topic_of[one.candidate.id]].append(one.score)
    means = {topic: sum(values[:BEST_OF_TOPIC]) / BEST_OF_TOPIC for topic, values in scores.items()}
    first = sorted(means, key=lambda topic: (-means[topic], topic))[:MOST_TOPICS]
    return {topic: means[topic] for topic in first}


def _best_topics(
    scores: Mapping[str, float], paths: Mapping[str, tuple[str, ...]], behind: Mapping[str, int]
) -> list[RecallTopic]:
    return [
        RecallTopic(id=topic, title=path[-1] if path else "", path=list(path), score=round(score, 6),
                    behind=behind.get(topic, 0))
        for topic, score in scores.items() for path in [paths.get(topic, ())]]
