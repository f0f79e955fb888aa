"""What a model answers from what was recalled."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from trace_graph.models.recalls import RecallResult


class CitedMessage(BaseModel):
    """A message that an answer cites."""

    number: int
    """As it stands in the answer, from 1."""
    id: str
    external_id: str | None
    text: str
    """As it was shown to the model."""
    author: str
    occurred_at: datetime
    session: str
    topic_path: list[str]


class AskResult(BaseModel):
    """The answer to a question, and the messages it is taken from."""

    answer: str
    """In the language of the question, the numbers of cited messages in square brackets; empty where the model gave
    none."""
    found: bool
    """Whether the memory holds what was asked for: the model says so, and cites at least one message for it."""
    citations: list[str]
    """Ids of the messages it cites, in the order of their numbers, from 1."""
    recall_id: str
    model_calls: int
    """Those of the walk included."""
    tokens_in: int
    tokens_out: int
    """As the endpoint counts them; 0 where it does not."""
    citations_dropped: int = 0
    """Citations of something else than the messages that were given: they were taken out."""
    cited: list[CitedMessage] = Field(default_factory=list)
    """In the order of their numbers."""
    fault: str | None = None
    """Why there is no answer of the model, or none that can be relied on."""
    recall: RecallResult
    """What was found, and put before the model."""
