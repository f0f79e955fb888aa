"""The tree of topics as it is shown."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field


class TreeMessage(BaseModel):
    """A leaf of the tree."""

    id: str
    external_id: str | None
    session: str
    seq: int
    author: str
    occurred_at: datetime
    text: str


class TopicNode(BaseModel):
    """A topic with what lies below it."""

    id: str
    title: str
    status: str
    message_count: int
    """Messages in this topic and below it."""
    summary: str | None
    behind: int = 0
    """Messages that were filed here since title and summary were worded; 0 where these are up to date."""
    failed_wordings: int = 0
    """Wordings by the model that were refused since the last one that could be used."""
    children: list[TopicNode] = Field(default_factory=list)
    """Largest first."""
    waiting: int | None = None
    """On the root: messages of the space that wait to be filed. None below it."""
    messages: list[TreeMessage] = Field(default_factory=list)
    """The messages filed here, in order of time; only where they were asked for."""


class Revision(BaseModel):
    """One wording of a topic's title and summary."""

    number: int
    title: str
    text: str
    method: str
    recorded_at: datetime
    retired_at: datetime | None
    sources: list[str] = Field(serialization_alias="from", validation_alias="from")
    """Ids of the messages, or of the children's revisions, it was made from."""


class TopicDetail(BaseModel):
    """One topic, looked at closely."""

    id: str
    title: str
    path: list[str]
    """Titles from below the root down to this topic."""
    summary: str | None
    behind: int = 0
    """Messages that were filed here since title and summary were worded; 0 where these are up to date."""
    failed_wordings: int = 0
    """Wordings by the model that were refused since the last one that could be used."""
    revisions: list[Revision]
    """Newest first; only the current one unless the history was asked for."""
