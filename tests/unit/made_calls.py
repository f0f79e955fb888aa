"""Calls to models as tests make them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trace_graph.models.calls import ModelCall

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


def made_call(**more: Any) -> ModelCall:
    """A call that went well, but for what is given."""
    return ModelCall(**{
        "purpose": "route", "prompt": "route", "prompt_version": 1, "model": "small:1b", "host": "localhost:11434",
        "form": "schema", "inputs": {"segments": [{"label": "S1", "messages": ["m1", "m2"]}]},
        "request_hash": "ab" * 32, "attempt": 1, "at": NOW, "milliseconds": 250, "requests": 1, "outcome": "ok",
        "reply": '{"topic": "T1"}', "finish": "stop", "tokens_in": 400, "tokens_out": 20, "figures": {"agreed": 0.5},
        "max_tokens": 512, "temperature": 0.0, **more})
