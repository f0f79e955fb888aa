"""What the doctor finds."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field


class Problem(BaseModel):
    """One invariant that does not hold, in one space or in the database."""

    invariant: str
    """Its short name; where the query `doctor_` + this name exists, that query finds the offenders."""
    space: str | None
    """Name of the space; None where the fault is the database's."""
    ids: list[str]
    """Of the offenders, sorted, at most 20: nodes, or the child of a placement; of an index, what it covers."""
    count: int
    """How many offenders there are."""
    says: str
    """What is wrong, in a sentence."""
    mends: str
    """What mends it, in a sentence."""


class SpaceHealth(BaseModel):
    """What of a space is worth knowing and no fault."""

    space: str
    messages: int
    waiting: int
    """Messages that are not filed yet."""
    waiting_since: datetime | None
    """When the oldest of them was stored."""
    stale_topics: int
    """Topics whose summary the next run of the organiser revises."""
    without_vector: int
    """Messages that the embedder gave no vector: found by their words alone."""
    organiser_until: datetime | None
    """Until when an organiser holds the space; None where none does."""


class DoctorReport(BaseModel):
    """What `trace-graph doctor` found, and what it mended."""

    ok: bool
    """No problem is left."""
    problems: list[Problem] = Field(default_factory=list)
    """Those that are left, by invariant in the order of checking, then by space."""
    fixed: list[Problem] = Field(default_factory=list)
    """Those that were there and have been mended; only with `fix`."""
    spaces: list[SpaceHealth] = Field(default_factory=list)
    checks: int
    """How many invariants were tried."""
    seconds: float
