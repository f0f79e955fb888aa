"""What a run of the benchmark gives: `results.json`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from trace_graph.bench.circumstances import Circumstances

NotMeasured = Literal["not measured"]
System = Literal["trace-graph", "bm25", "vectors", "rrf", "last", "full"]
Part = Literal["report", "tune", "all"]
Figures = dict[str, float]
"""`R@k`: mean share of the evidence among the first k messages. `MRR`: of the first piece. `T<B>`: mean share inside a
context of B tokens. `F<B>`: share of the questions whose evidence is in it whole."""


class Found(BaseModel):
    """Where one system has the evidence of one question."""

    model_config = ConfigDict(frozen=True)

    ranks: list[int | None]
    """By piece of evidence, from 1; None beyond the first 50 messages."""
    tokens: list[float | None]
    """By piece of evidence, the smallest context that holds it; None beyond 4,000."""


class QuestionResult(BaseModel):
    """One question and where its evidence was found."""

    id: str
    pool: str
    """The conversation, or what was pooled."""
    category: str
    half: Literal["tune", "report"] | None
    asked_at: datetime
    evidence: list[str]
    found: dict[System, Found]


class StoredTokens(BaseModel):
    """Tokens that a space stores, as counted when they were written; of a conversation."""

    messages: float
    summaries: float
    """All wordings, the superseded ones too."""
    current_summaries: float
    facts: float | NotMeasured
    calls: float | NotMeasured
    """What was sent to a model and came back."""


class PoolResult(BaseModel):
    """One space of the run."""

    name: str
    messages: int
    questions: int
    context_tokens: float
    """Of all messages: what the full context costs a question."""
    stored: StoredTokens | None
    """None where trace-graph is not among the systems."""
    model_calls: int


class Comparison(BaseModel):
    """R@10 of a system less that of BM25, on the same questions; 95 % interval of a paired bootstrap."""

    system: System
    part: Part
    category: str
    questions: int
    difference: float
    low: float
    high: float
    below: bool
    """The whole interval lies below 0."""


class DataDescription(BaseModel):
    """What was measured on."""

    file: str
    sha256: str
    """Of the file; of a folder, of the hashes of its files, one a line."""
    pools: int
    pooled: bool
    samples: list[str]
    """Those that were asked for; all where there are none."""
    half: Literal["tune", "report"] | None
    first_questions: int | None
    messages: int
    rejected: int
    questions: int
    """Asked: they name evidence."""
    unscored: int
    """Not asked: they name none."""


class Latency(BaseModel):
    """Milliseconds of one question."""

    p50: float
    p95: float


class Timings(BaseModel):
    """What depends on the machine and the moment."""

    latency_ms: dict[System, Latency]
    """trace-graph: a recall of 50 items through the database. The others: a ranking of messages held in memory."""
    import_seconds: float | None
    organize_seconds: float | None
    """Of all pools; None where one was broken off in the middle."""


class Results(BaseModel):
    """Everything that a run measured. Two runs of one version on the same data differ in circumstances and timings."""

    benchmark: str
    circumstances: Circumstances
    data: DataDescription
    recall_settings: dict[str, Any]
    systems: list[System]
    figures: dict[Part, dict[str, dict[System, Figures]]]
    """By half, category and system; the categories that count together first."""
    counts: dict[Part, dict[str, int]]
    """Questions by half and category."""
    against_bm25: list[Comparison]
    """Categories with at least 30 questions."""
    full_context_tokens: float
    """Mean over questions: what the answer would cost without a memory."""
    stored_tokens: StoredTokens | None
    """Mean over conversations."""
    model_calls: int
    answers: NotMeasured
    """Answering and judging need a model."""
    timings: Timings
    pools: list[PoolResult]
    questions: list[QuestionResult]
