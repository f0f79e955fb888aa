"""In what two trees over the same messages differ."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class TopicDifference(BaseModel):
    """A topic that only one of the two trees has, or that is called otherwise in the other."""

    change: Literal["added", "gone", "renamed"]
    id: str
    """In the second tree; of a topic that is gone, in the first."""
    title: str
    was: str | None = None
    """Its title in the first tree, where it was renamed."""
    path: list[str]
    """Titles from below the root down to it, in the tree of `id`."""
    messages: int


class SummaryDifference(BaseModel):
    """A topic whose summary says something else."""

    id: str
    """In the second tree."""
    old_id: str
    """In the first tree."""
    title: str
    was: str | None
    now: str | None


class MessageMove(BaseModel):
    """A message that lies in another topic."""

    id: str
    """In the second tree."""
    external_id: str | None
    session: str
    seq: int
    author: str
    text: str
    was: list[str]
    """The path of its topic in the first tree; empty where it waited."""
    now: list[str]


class TreeDifference(BaseModel):
    """From one tree to another over the same messages."""

    model_config = ConfigDict(populate_by_name=True)

    old: str = Field(serialization_alias="from", validation_alias="from")
    """The first one's space."""
    new: str = Field(serialization_alias="to", validation_alias="to")
    compared: int
    """Messages that both have: same session, place and text."""
    only_old: int
    """Messages that the second one does not have, or has waiting while the first one has filed it."""
    only_new: int
    agreement: float | None
    """Adjusted Rand index of the two ways to lay the messages into topics: 1 where they are equal, about 0 where they
    have no more in common than chance. None where no message is in both. Source: Hubert and Arabie 1985."""
    topics: list[TopicDifference]
    summaries: list[SummaryDifference]
    moves: list[MessageMove]
    facts: list[dict[str, Any]] = Field(default_factory=list)
    """Empty until facts are extracted."""

    @property
    def equal(self) -> bool:
        """Whether the two trees say the same."""
        return not (self.only_old or self.only_new or self.topics or self.summaries or self.moves)
