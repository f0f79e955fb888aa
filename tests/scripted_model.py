"""A model in this process whose replies a test or a measurement writes: no HTTP, no parsing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from trace_graph.llm.values import Answered, OnText, Reply, Request
from trace_graph.models.calls import ModelCall

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class ScriptedModel:
    """Answers each request with what `answer` makes of it; None: the model failed."""

    def __init__(self, answer: Callable[[Request[Any]], BaseModel | None], name: str = "scripted") -> None:
        self.name = name
        self.resting: str | None = None
        self.requests: list[Request[Any]] = []
        self._answer = answer

    async def ask(self, request: Request[Reply], *, on_text: OnText | None = None) -> Answered[Reply]:
        self.requests.append(request)
        value = self._answer(request)
        assert value is None or isinstance(value, request.reply)
        if on_text is not None and value is not None:
            for word in str(getattr(value, request.shown_field)).split(" "):
                on_text(f"{word} ")
        fault = "no reply" if value is None else request.check(value)
        call = ModelCall(
            purpose=request.purpose, prompt=request.prompt, prompt_version=request.prompt_version, model=self.name,
            host="scripted", form="schema", inputs=request.inputs, request_hash=f"{len(self.requests):064x}",
            attempt=1, at=NOW, milliseconds=1, requests=1,
            outcome="failed" if value is None else "faulty" if fault else "ok",
            reply=None if value is None else value.model_dump_json(), tokens_in=100, tokens_out=10, fault=fault)
        return Answered(value, (call,), fault)

    async def close(self) -> None:
        """Nothing to close."""
