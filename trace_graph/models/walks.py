"""How a model walked the tree for a question."""

from __future__ import annotations

from pydantic import BaseModel, Field


class WalkBranch(BaseModel):
    """One branch that the model was offered."""

    id: str
    title: str | None
    """As it was when it was offered; in an explanation as it is now, None where it may not be read any more."""
    messages: int | None
    """In it and below; None of a branch of the past with others inside."""
    branches: int
    """Child topics; 0 for a leaf."""


class WalkStep(BaseModel):
    """One level of the walk: one question to the model."""

    offered: list[WalkBranch]
    """In the order of their labels."""
    picked: list[str] = Field(default_factory=list)
    """Ids of those that the model chose; none: it stopped there."""
    ignored: int = 0
    """What it named beside them that was not offered."""
    call_ids: list[str] = Field(default_factory=list)
    """The model calls it took, in order."""


class Walk(BaseModel):
    """The walk of a guided recall."""

    steps: list[WalkStep]
    branches: list[WalkBranch]
    """Where it ended: what lies in these and below them was read. At most three."""
    share: float = 0.0
    """Of the budget, for what the walk has beyond the flat search: the less, the lower its branches score."""
    fallback: bool = True
    """Whether the flat search was shown beside it."""
    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    """As the endpoint counts them; 0 where it does not."""
    fault: str | None = None
    """Why the model could not be asked (to the end): what it had not chosen by then was not walked."""
