"""What is kept of a model's answer with the recall it was made from."""

from __future__ import annotations

from pydantic import BaseModel, Field


class KeptAnswer(BaseModel):
    """An answer as it is kept with its recall."""

    text: str
    """Its own words, with the numbers of the messages it cites in square brackets."""
    found: bool
    """Whether the memory holds what was asked for."""
    citations: list[str]
    """Ids of the messages it cites, in the order of their numbers, from 1."""
    dropped: int = 0
    """Citations of something else than the messages that were given."""
    call_ids: list[str] = Field(default_factory=list)
    """The model calls it took, in order."""
