"""What a recall returns."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field


class Why(BaseModel):
    """The signals that gave an item its score, each as it entered the sum."""

    text: float = 0.0
    """Keywords (BM25) in the message and its neighbours, weighted."""
    vector: float = 0.0
    """Similarity of meaning of the message and its neighbours, weighted."""
    speaker: float = 0.0
    """The question names this speaker."""
    date: float = 0.0
    """The question names a date near this one."""
    found_by: list[str] = Field(default_factory=list)
    """Which lists brought it: text, vector, passage text, passage vector, neighbour."""
    words: list[str] = Field(default_factory=list)
    """The question's terms that occur in it."""


class RecallItem(BaseModel):
    """One thing that was remembered."""

    rank: int
    """From 1; the best first."""
    kind: Literal["message", "fact", "summary"] = "message"
    id: str
    external_id: str | None
    text: str
    """The whole message, or the best passage of a long one (then `part` says which)."""
    part: tuple[int, int] | None = None
    """Start and end (characters) of the passage shown, where the message is too long to show whole."""
    author: str
    occurred_at: datetime
    session: str
    topic_path: list[str]
    """Titles from below the root; empty while the message waits to be filed."""
    score: float
    tokens: int
    """Words of the text shown x 1.33."""
    why: Why


class RecallTopic(BaseModel):
    """A topic in which much was found."""

    id: str
    title: str
    path: list[str]
    score: float
    """Mean score of its three best messages."""


class RecallResult(BaseModel):
    """The answer to one recall."""

    recall_id: str
    query: str
    mode: Literal["fast", "guided"] = "fast"
    tokens: int
    """Of all items shown."""
    context: str
    """The items in reading order: by time, grouped by session, with dates and speakers."""
    items: list[RecallItem]
    topics: list[RecallTopic]
    """Best first; ranked by what was found in them, never by their summaries."""
    searchable: bool = True
    """False where the question held nothing to search for: no word beside the commonest, and no meaning."""
    smallest_budget: int | None = None
    """Tokens of the first hit, where no item fits the budget; None where any does, or nothing was found."""
    recovered: list[str] = Field(default_factory=list)
    """Ids that the flat search found outside the branches walked; empty in the fast mode."""
