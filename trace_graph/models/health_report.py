"""How a memory is, at a glance."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from trace_graph.models.calls import Form


class ConfiguredModel(BaseModel):
    """The model that the settings name, and what it may be asked in a day."""

    name: str
    host: str
    """Of the endpoint, with its port; never a key."""
    calls_a_day: int | None = None
    """None: as many as are wanted."""
    tokens_a_day: int | None = None
    """In and out; None: as many as are wanted."""


class ModelHealth(BaseModel):
    """How the model is doing; figures are those of the whole database."""

    name: str
    host: str
    form: Form | None
    """The best form of asking for structure that it proved able to; None where it was never asked."""
    form_since: datetime | None
    """Since when that is known."""
    calls_today: int
    """Today is a day of UTC."""
    calls_a_day: int | None
    """The allowance; None where there is none."""
    tokens_today: int
    """In and out, as the endpoint counts them."""
    tokens_a_day: int | None
    lately: int
    """Calls of this model today and yesterday."""
    failed_share: float | None
    """Of those, the share that gave no reply that could be used; None where there were no calls."""
    probe: str | None = None
    """What came of one small request; only where one was asked for."""
    answered: bool | None = None
    """Whether it was answered rightly."""


class WaitingMessages(BaseModel):
    """Messages of a space that are not filed yet."""

    space: str
    waiting: int
    oldest_seconds: float
    """Age of the one that has waited longest, since it was stored."""


class HealthReport(BaseModel):
    """How a memory is: what it runs on, what waits, and the model."""

    version: str
    """Of trace-graph."""
    target: str
    """The database, without credentials."""
    engine: str
    """Its name and version."""
    schema_version: int
    embedder: str | None
    """Whose vectors the database holds; None where there are none yet."""
    dimension: int | None
    configured_embedder: str
    """As the settings name it; `trace-graph doctor` tries whether it gives the same vectors."""
    waiting: list[WaitingMessages] = Field(default_factory=list)
    """By space, those where something waits."""
    model: ModelHealth | None
    """None where the settings name no model."""
