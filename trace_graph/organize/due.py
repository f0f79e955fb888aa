"""Whether a topic is worded anew by the model, or its wording stays for now. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from trace_graph.llm_settings import SummarySettings
from trace_graph.organize.values import Total, WaitingMessage
from trace_graph.organize.vectors import centred_centroid, vector_total

_LONGEST_REST = timedelta(days=1)
# Between two tries of a topic whose wording was refused again and again (guess).


@dataclass(frozen=True)
class Standing:
    """What is known of a topic and of the wording that it has."""

    method: str | None
    """Of the current wording; None where there is none."""
    message_count: int
    worded_count: int | None
    """Messages that it had when it was worded; None for a wording of an earlier release."""
    word_at: datetime | None
    """From when on the model is to be asked even where nothing changes; None where it is not."""
    failed: int
    """Wordings that were refused since the last one that was not."""

    @property
    def by_model(self) -> bool:
        """Whether the wording is none that quotes: an extractive one takes its place no more."""
        return self.method not in (None, "extractive")


@dataclass(frozen=True)
class Change:
    """What came of a topic since its wording."""

    share: float
    """Of its messages that came, or of its sources that went, whichever is more; 0 to 1."""
    drift: float = 0.0
    """1 - cosine of its centroid to that of the sources that are still there."""


@dataclass(frozen=True)
class Again:
    """When the model is to be asked for a topic again, and after how many wordings that were refused."""

    at: datetime
    failed: int = 0


def is_due(standing: Standing, change: Change, now: datetime, settings: SummarySettings) -> bool:
    """Whether the model is asked now."""
    resting = standing.word_at is not None and standing.word_at > now
    if resting and standing.failed:
        return False
    if not standing.by_model or (standing.word_at is not None and not resting):
        return True
    return (change.share > 0 and change.share >= settings.changed) or change.drift >= settings.drift


def left_behind(standing: Standing, now: datetime, settings: SummarySettings) -> Again:
    """For a topic whose wording stays although it has changed: the first time says until when."""
    return Again(standing.word_at or now + timedelta(days=settings.days), standing.failed)


def refused(standing: Standing, now: datetime, settings: SummarySettings) -> Again:
    """For a topic whose new wording could not be used: each time the pause is twice as long."""
    pause = min(timedelta(minutes=settings.retry_minutes) * 2 ** min(standing.failed, 20), _LONGEST_REST)
    return Again(now + pause, standing.failed + 1)


def not_asked(standing: Standing, now: datetime) -> Again:
    """For a topic for which no model could be asked: the next run tries it."""
    return Again(now, standing.failed)


def change_of_leaf(
    standing: Standing, sources: Collection[str], messages: Sequence[WaitingMessage], mean: Total
) -> Change:
    """What came of a leaf with these messages, whose wording was made from these sources."""
    if not sources:
        return Change(1.0)
    stayed = [message for message in messages if message.id in sources]
    gone = len(sources) - len(stayed)
    share = max(_came(standing, gone), gone / len(sources))
    return Change(share, 1 - _cosine(stayed, messages, mean))


def change_of_parent(standing: Standing, worded: Collection[str], children: Mapping[str, int]) -> Change:
    """What came of a parent with these children (topic to messages), whose wording was made from those of `worded`."""
    if not worded:
        return Change(1.0)
    uncovered = sum(count for topic, count in children.items() if topic not in worded)
    gone = len(set(worded) - children.keys()) / len(set(worded))
    return Change(max(_came(standing, 0), uncovered / max(sum(children.values()), 1), gone))


def _came(standing: Standing, gone: int) -> float:
    if standing.worded_count is None:
        return 1.0
    came = standing.message_count - (standing.worded_count - gone)
    return max(came, 0) / max(standing.message_count, 1)


def _cosine(some: Sequence[WaitingMessage], all_of_them: Sequence[WaitingMessage], mean: Total) -> float:
    centroids = [_centroid(messages, mean) for messages in (some, all_of_them)]
    if any(not one.any() for one in centroids):
        return 1.0
    return float(centroids[0] @ centroids[1])


def _centroid(messages: Sequence[WaitingMessage], mean: Total) -> Total:
    """Centred, of unit length; zero where no message has a vector."""
    vectors = [message.vector for message in messages if message.vector is not None]
    return centred_centroid(vector_total(vectors, len(mean)), len(vectors), mean)
