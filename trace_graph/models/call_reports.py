"""What is told of calls to models: lists, single calls, figures."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from trace_graph.models.calls import Form, Outcome, Purpose


class CallLine(BaseModel):
    """One call to a model, as `trace-graph calls list` shows it."""

    id: str
    at: datetime
    """When it was sent."""
    purpose: Purpose
    prompt: str
    """Name of the prompt file."""
    prompt_version: int
    model: str
    host: str
    """Of the endpoint, with its port."""
    form: Form
    """How the structure of the reply was asked for."""
    attempt: int
    """From 1; 2 is the corrective one, whose request names the first reply's fault."""
    outcome: Outcome
    requests: int
    """HTTP requests that it took."""
    milliseconds: int
    """From the first try to the reply, pauses included."""
    tokens_in: int | None
    tokens_out: int | None
    """As the endpoint counts them; None where it does not."""
    fault: str | None
    """What was wrong; None where nothing was."""


class CallMade(BaseModel):
    """Something that a call made."""

    kind: Literal["SummaryRevision", "Topic", "Message", "Recall"]
    """A message: its place in the tree. A recall: the choice of its branches, or its answer."""
    id: str


class RequestMessage(BaseModel):
    """One message of a request."""

    role: str
    text: str


class RebuiltRequest(BaseModel):
    """The request of a call, made again from its inputs and the texts of now."""

    outcome: Literal["equal", "differs", "erased", "unknown"]
    """Equal: its hash is the one that was kept. Differs: it is not. Erased: texts that it needs are gone, or may not be
    read. Unknown: this trace-graph cannot make it."""
    why: str | None = None
    """In a sentence, where it is not equal."""
    erased: list[str] = Field(default_factory=list)
    """Ids without a text."""
    messages: list[RequestMessage] = Field(default_factory=list)
    """In their order; empty where the request cannot be made."""


class CallDetail(CallLine):
    """Everything of one call."""

    space: str
    """Name of the space that it was made for."""
    request_hash: str
    """SHA-256 (hex) of all that was sent and changes the reply."""
    inputs: dict[str, Any]
    """What the request was made of: ids, labels, numbers."""
    figures: dict[str, float]
    """Numbers of the purpose's own."""
    max_tokens: int | None
    temperature: float | None
    finish: str | None
    """The endpoint's finish_reason."""
    reply: str | None
    """As it came; None where none came."""
    request: str | None
    """As it was sent, where the setting `llm.keep_requests` was on."""
    follows: str | None
    """Id of the call whose fault this one names; None of a first attempt."""
    recall: str | None
    """Id of the recall that it served; None of organising."""
    change_seq: int | None
    """The change of its space with which it was written; None where it is no history."""
    made: list[CallMade]


class CallRecord(CallDetail):
    """One call, with its request made again."""

    rebuilt: RebuiltRequest


class CallGroup(BaseModel):
    """Figures of the calls of one purpose, model and outcome."""

    purpose: Purpose
    model: str
    outcome: Outcome
    calls: int
    requests: int
    """HTTP requests."""
    tokens_in: int
    tokens_out: int
    """As endpoints count them."""
    milliseconds_p50: int
    milliseconds_p95: int
    """Of a call, pauses included; nearest rank."""
    calls_per_message: float
    """Calls for each message of the space."""


class CallStats(BaseModel):
    """What models were asked for a space, and what it cost."""

    space: str
    messages: int
    """Of the space."""
    calls: int
    requests: int
    tokens_in: int
    tokens_out: int
    organising_calls_per_message: float
    """Of route, descend and summarise, whatever came of them, for each message of the space."""
    groups: list[CallGroup]
    """By purpose, model and outcome."""


class CallsExportReport(BaseModel):
    """What an export of calls wrote."""

    space: str
    calls: int
    bytes: int
