"""One call to a language model, as it is kept in the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Purpose = Literal["route", "descend", "summarise", "walk", "answer", "probe"]
"""What a model is asked for: where segments belong (from candidates, or level by level), what topics are about, which
branches to walk for a question, and the answer to it; and whether it answers at all."""

Form = Literal["schema", "json", "plain"]
"""How the structure of a reply is asked for: strict JSON schema, JSON mode, or the prompt alone."""

Outcome = Literal["ok", "repaired", "faulty", "malformed", "empty", "truncated", "refused", "failed"]
"""What came of a call:

ok          the reply was used as it came, perhaps after stripping what models leak around it
repaired    it was nearly JSON, and was read as such (single quotes, trailing commas, comments)
faulty      it was understood, and broke a rule of its purpose (an invented label, a name that no source has)
malformed   it could not be understood
empty       the endpoint answered, with nothing in it; never read as "nothing found"
truncated   it was cut at the limit of tokens; never taken as complete
refused     the endpoint does not take this form of request; the next form is tried
failed      no reply: a timeout, no connection, an error of the server, a spent quota
"""


@dataclass(frozen=True)
class ModelCall:
    """One call: what was asked of whom, and what came of it. Texts stand in the messages that `inputs` names."""

    purpose: Purpose
    prompt: str
    """Name of the prompt file."""
    prompt_version: int
    model: str
    host: str
    """Of the endpoint, with its port; never a key."""
    form: Form
    inputs: Mapping[str, Any]
    """The purpose's inputs as JSON: ids of messages and revisions, labels and numbers. With the prompt's version they
    give the request again."""
    request_hash: str
    """SHA-256 (hex) of all that was sent and changes the reply."""
    attempt: int
    """From 1; 2 is the corrective one, whose request names the first reply's fault."""
    at: datetime
    """When it was sent, UTC."""
    milliseconds: int
    """From the first try to the reply, pauses included."""
    requests: int
    """HTTP requests that it took."""
    outcome: Outcome
    reply: str | None = None
    """As it came, before anything was stripped; None where none came."""
    finish: str | None = None
    """The endpoint's finish_reason."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    """As the endpoint counts them; None where it does not."""
    fault: str | None = None
    """What was wrong, in words that hold no memory text and no secret."""
    request: str | None = None
    """The whole request as JSON; only with the setting `llm.keep_requests`."""
    max_tokens: int | None = None
    """Of the reply, as it was asked for."""
    temperature: float | None = None
    """As it was asked for; None where it was left to the endpoint."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the purpose's own, for example how many control segments a router agreed upon."""
