"""What a recall returns."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from trace_graph.models.kept_answers import KeptAnswer
from trace_graph.models.walks import Walk

Mode = Literal["fast", "guided"]

Dropped = Literal["budget", "limit", "duplicate", "below floor", "not readable", "not walked"]
"""Why a candidate was not shown: the budget or the limit was reached before it, its content is shown already, it is too
weak, it may not be read (or was erased) by the time it was to be shown, or it lies outside the branches that were
walked, which alone were to be shown."""


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
    role: float = 0.0
    """The question asks for what the user said, or what the assistant said, and this is of that kind."""
    near: float = 0.0
    """What it loses, where many things are asked for, beside an item that stands above it; 0 or less."""
    found_by: list[str] = Field(default_factory=list)
    """Which lists brought it: text, vector, passage text, passage vector, neighbour; walk: only a walked branch."""
    words: list[str] = Field(default_factory=list)
    """The question's terms that occur in it."""


class Place(BaseModel):
    """Where else the same was said."""

    id: str
    external_id: str | None
    session: str
    occurred_at: datetime


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
    also: list[Place] = Field(default_factory=list)
    """Further messages of the same author with the same text, in rank order: they are not shown again."""
    why: Why


class RecallTopic(BaseModel):
    """A topic in which much was found."""

    id: str
    title: str
    path: list[str]
    score: float
    """Mean score of its three best messages."""
    behind: int = 0
    """Messages that were filed in it since its title was worded; 0 where that is up to date, or the past was asked."""


class RecallResult(BaseModel):
    """The answer to one recall."""

    recall_id: str
    query: str
    mode: Mode = "fast"
    """How it was answered: the fast mode stands in where the model gives a guided recall no answer."""
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
    """Ids of items that the flat search found outside the branches walked; empty in the fast mode."""
    walk: Walk | None = None
    """How the tree was walked; None where the fast mode was asked for."""
    explanation: RecallExplanation | None = None
    """How the answer came about; only where it was asked for."""


class ExplainedCandidate(BaseModel):
    """One message that was scored, and what became of it."""

    place: int
    """In the ranking, from 1."""
    rank: int | None
    """Among the items shown; None where it was not shown."""
    dropped: Dropped | None
    """Why it was not shown; None where it was."""
    id: str
    external_id: str | None = None
    text: str | None = None
    """The message, or the part that stands for it, as it may be read now; None where it was erased since."""
    part: tuple[int, int] | None = None
    """Start and end (characters) of the passage that stands for a long message."""
    author: str | None = None
    occurred_at: datetime | None = None
    session: str | None = None
    topic_path: list[str] = Field(default_factory=list)
    """Titles from below the root as they are now."""
    score: float
    signals: dict[str, float]
    """What each signal gave to the score."""
    found_by: list[str]
    """Which lists brought it."""
    tokens: int
    """Of what was shown of it; of the whole message where it was not shown."""


class RecallExplanation(BaseModel):
    """How the answer to one recall came about. Numbers are those of then, texts those that may be read now."""

    recall_id: str
    query: str
    mode: Mode
    budget: int | None
    limit: int | None
    at: datetime
    """When it was answered."""
    asked_at: datetime
    """The moment of the question, for words like 'last week'."""
    known_at: datetime | None
    """The memory was asked as it stood at this moment; None: as it was when it was asked."""
    actor: str
    door: str
    change_seqs: dict[str, int]
    """The last change of each space, by name, that the answer could know of."""
    embedder: str | None
    """None where no vector was compared."""
    version: str
    """Of trace-graph."""
    settings: dict[str, Any]
    """The constants of the ranking."""
    terms: list[str]
    """The words that were looked for, stemmed."""
    names: list[str]
    """Speakers that the question names."""
    dates: list[tuple[str, str]]
    """First and last day (ISO) of each stretch of days that the question names; without a year where it names none."""
    found: int
    """Messages that were scored; `candidates` holds the best of them."""
    dropped: dict[Dropped, int]
    """How many of all scored were not shown, by reason."""
    candidates: list[ExplainedCandidate]
    """Best first."""
    walk: Walk | None = None
    """How the tree was walked, with the titles of now; None where the fast mode was asked for."""
    answer: KeptAnswer | None = None
    """What a model answered from it; None where it was only recalled."""


class ReplayDifference(BaseModel):
    """One thing in which a replay is not what the recall was."""

    kind: Literal["missing", "added", "rank", "score", "part", "tokens", "topic"]
    """Missing: shown then and not by the replay; added: the other way round."""
    id: str
    """Of the message."""
    then: Any
    now: Any
    why: str


class ReplayChange(BaseModel):
    """Something around a recall that is not what it was then."""

    kind: Literal["setting", "embedder", "version", "index"]
    """Index: the database's ranked lists would bring other candidates today; the replay scored those of then."""
    name: str
    then: Any
    now: Any
    replayed: bool
    """Whether the replay used the one of then; otherwise it may be a cause of differences."""


class ReplayReport(BaseModel):
    """Whether a recall gives again what it gave, with its parameters and the memory as it was then."""

    recall_id: str
    equal: bool
    """The same messages in the same places with the same scores, parts and tokens."""
    items: int
    """How many the recall had shown."""
    differences: list[ReplayDifference]
    changes: list[ReplayChange]
    """Also where the replay is equal."""
