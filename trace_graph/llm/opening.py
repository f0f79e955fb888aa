"""The model that the settings name, ready to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from trace_graph.config import OPENAI, LlmSettings, Settings
from trace_graph.errors import ConfigError
from trace_graph.llm.asking import Asker, Manners
from trace_graph.llm.cassette import Header, Recording, Replaying
from trace_graph.llm.endpoint import Endpoint, OpenAIEndpoint, Sleep
from trace_graph.llm.forms import Forms, Proved
from trace_graph.llm.resting import Allowance, Limits, Spent

NOTHING = Spent()


@dataclass(frozen=True)
class Record:
    """Keep the replies of a run in a new file."""

    path: Path
    seed: int
    """Of the run's ids."""
    moment: datetime
    """At which the run's clock stands."""


def open_model(
    settings: Settings, *, clock: Callable[[], datetime], forms: Forms, used_today: Spent = NOTHING,
    cassette: Record | Replaying | None = None, sleep: Sleep = asyncio.sleep,
) -> Asker:
    """Open the model of the settings, or the one of a cassette that is replayed; it connects on its first request.

    `clock` gives the time in UTC, `used_today` what was spent on that day before. In a replay the cassette tells the
    model, the form to begin with and what may be spent; forms and allowance of the settings are left alone.

    Raises: ConfigError where no model is set, or OpenAI is meant and there is no key; InvalidInput where a cassette
    cannot be written.
    """
    manners = Manners(settings.llm.temperature, settings.llm.concurrency, settings.llm.keep_requests)
    if isinstance(cassette, Replaying):
        head = cassette.header
        then = Forms([Proved(head.model, head.host, head.form, head.moment, "The cassette says so.")])
        allowance = Allowance(Limits(head.calls_left, None, head.tokens_left), Spent(), clock())
        return Asker(cassette, clock=clock, forms=then, allowance=allowance, manners=manners)
    endpoint: Endpoint = _endpoint(settings, sleep)
    if cassette is not None:
        endpoint = Recording(endpoint, cassette.path, _header(endpoint, cassette, forms, settings.llm, used_today))
    allowance = Allowance(_limits(settings.llm), used_today, clock())
    return Asker(endpoint, clock=clock, forms=forms, allowance=allowance, manners=manners)


def _endpoint(settings: Settings, sleep: Sleep) -> OpenAIEndpoint:
    if settings.model is None:
        raise ConfigError(
            "No model is set.", fix="Set TRACE_GRAPH_MODEL to the name of a chat model, and OPENAI_BASE_URL to its "
            "endpoint, such as http://localhost:11434/v1.")
    base_url, key = settings.model_endpoint
    if base_url in (None, OPENAI) and key is None:
        raise ConfigError(
            f"TRACE_GRAPH_MODEL={settings.model} at OpenAI needs an API key, and none is set.",
            fix="Set OPENAI_API_KEY, or OPENAI_BASE_URL where a server of your own is meant.")
    return OpenAIEndpoint(
        settings.model, base_url or OPENAI, key.get_secret_value().strip() if key else None,
        timeout_seconds=settings.llm.timeout_seconds, deadline_seconds=settings.llm.deadline_seconds, sleep=sleep)


def _limits(llm: LlmSettings) -> Limits:
    return Limits(llm.calls_per_run, llm.calls_per_day, llm.tokens_per_run, llm.tokens_per_day)


def _header(endpoint: Endpoint, record: Record, forms: Forms, llm: LlmSettings, used_today: Spent) -> Header:
    return Header(
        endpoint.model, endpoint.host, record.seed, record.moment, forms.first(endpoint.model, endpoint.host),
        _left(llm.calls_per_run, llm.calls_per_day, used_today.calls),
        _left(llm.tokens_per_run, llm.tokens_per_day, used_today.tokens))


def _left(of_run: int | None, of_day: int | None, used: int) -> int | None:
    """The tighter of two limits."""
    today = None if of_day is None else max(0, of_day - used)
    return min((one for one in (of_run, today) if one is not None), default=None)
