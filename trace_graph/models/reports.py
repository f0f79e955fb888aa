"""What comes out of organising, and of looking at the memory as a whole."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field


class OrganizeReport(BaseModel):
    """What one run of the organiser did."""

    filed: int
    """Messages that got their first place in the tree."""
    waiting: int
    """Messages of the space that still wait for one."""
    topics_created: int
    summaries_revised: int
    facts_added: int = 0
    model_calls: int = 0
    model_unused: str | None = None
    """Why vectors decided where a model might have, in a sentence; None where it was followed, or none was given."""
    seconds: float


class RebuildReport(BaseModel):
    """What building a second tree over the messages of a space did."""

    space: str
    into: str
    """The space that has the second tree."""
    copied: int
    """Messages that were copied by this run; those that an earlier one copied are recognised."""
    organized: OrganizeReport

    @property
    def unchanged(self) -> bool:
        """Whether the second tree was there already."""
        return not (self.copied or self.organized.filed or self.organized.summaries_revised)


class SpaceInfo(BaseModel):
    """One space, as `trace-graph spaces` lists it."""

    id: str
    name: str
    time_zone: str
    messages: int
    topics: int
    waiting: int
    created_at: datetime


class Stats(BaseModel):
    """Counts of a space, or of all readable spaces."""

    space: str | None
    messages: int
    waiting: int
    sessions: int
    passages: int
    topics: int
    leaf_topics: int
    depth: int
    """Of the deepest topic; the root has 0."""
    largest_leaf: int
    """Messages in the largest leaf topic."""
    most_children: int
    """Child topics of the topic that has most."""
    revisions: int
    events: int


class QueryInfo(BaseModel):
    """A named query of the project."""

    name: str
    description: str
    mode: str
    parameters: list[str] = Field(default_factory=list)
    text: str


class ExportReport(BaseModel):
    """What one export wrote."""

    space: str
    messages: int
    lines: int
    """The first and the last included."""
    bytes: int
    sha256: str
    """Of every line but the last, which says it too."""
    seconds: float
