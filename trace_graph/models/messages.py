"""What goes in: messages, and the receipt for them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Role = Literal["user", "assistant", "system", "tool", "developer", "function"]


class MessageInput(BaseModel):
    """One message to remember. The rules for text, names and times are checked when it is added."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    """What was said, kept byte for byte. May be empty only when `content` holds text parts."""
    role: Role = "user"
    """Who speaks, in the words of the OpenAI chat format."""
    author: str | None = None
    """The speaker's name; without one the role stands for it."""
    session: str = "default"
    """The conversation it belongs to; sequence numbers count within it."""
    at: datetime | str | None = None
    """When it was said: an aware datetime, or ISO 8601 text (read in the space's zone where it has no offset).
    Default: now."""
    external_id: str | None = None
    """The source's own id. A second message with it in the same space is recognised, not stored."""
    content: Any = None
    """The message's content as it came, where it is more than text (a list of parts, tool calls); any JSON."""
    agent: str | None = None
    """The agent that wrote it into this memory, where it is not the actor of the connection."""


class Receipt(BaseModel):
    """What became of one message."""

    model_config = ConfigDict(frozen=True)

    id: str
    """The message's id in this memory; for a duplicate, of the message that was there."""
    seq: int
    """Its place in its session, from 1."""
    duplicate: bool
    """True where the `external_id` was known and nothing was stored."""
    differs: bool = False
    """True for a duplicate whose text or content is not that of the message that was there, which stays as it is."""
    without_vector: int = 0
    """Texts of it, itself and its passages, that the embedder gave no vector: they are found by their words only.
    0 for a duplicate."""
    space_created: bool = False
    """True where the space was not there before and this call created it."""
    session: str
    bookmark: str | None = None
    """The database's bookmark of the write: a reader who passes it sees the message. Absent on engines without any."""
    occurred_at: datetime
    """The instant its time was read as, UTC."""


class RejectedLine(BaseModel):
    """An item of an imported file that was not stored."""

    line: int
    """The line, or the item's place in the file, from 1."""
    place: str
    """The same in words, and which item of a list on that line: `line 3`, `line 3, item 2`, `item 5`."""
    reason: str


class ImportReport(BaseModel):
    """What an import did."""

    space: str
    messages: int
    """Messages stored by this import."""
    duplicates: int
    """Messages recognised as already stored."""
    differing: int = 0
    """Of these, messages whose text or content is another in the file; what was stored stays as it is."""
    without_vector: int = 0
    """Texts (messages and their passages) that the embedder gave no vector: they are found by their words only."""
    space_created: bool = False
    """True where the space was not there before and this import created it."""
    sessions: int
    """Sessions that the file's messages belong to."""
    rejected: list[RejectedLine] = Field(default_factory=list)
    seconds: float
