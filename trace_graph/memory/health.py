"""How a memory is, at a glance; asks the database alone, and the model only where that is wanted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from trace_graph.access.scopes import Scope
from trace_graph.config import OPENAI, Settings
from trace_graph.endpoints.sdk import host_of
from trace_graph.errors import UsageError
from trace_graph.memory.probing import Tried
from trace_graph.models import ConfiguredModel, HealthReport, ModelHealth, WaitingMessages
from trace_graph.store.calls import ProvedForm, read_forms
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row
from trace_graph.version import VERSION

UNUSABLE: frozenset[str] = frozenset({"malformed", "empty", "truncated", "failed"})
"""Outcomes of calls that gave no reply that could be used. A form that is refused is tried once, and no failure."""

Probe = Callable[[], Awaitable[Tried]]
"""Sends one small request to the model."""


def configured_model(settings: Settings) -> ConfiguredModel | None:
    """The model that the settings name; None where they name none."""
    if settings.model is None:
        return None
    return ConfiguredModel(
        name=settings.model, host=host_of(settings.model_endpoint.base_url or OPENAI),
        calls_a_day=settings.llm.calls_per_day, tokens_a_day=settings.llm.tokens_per_day)


async def read_health(
    store: Store, scope: Scope, settings: Settings, model: ConfiguredModel | None, *, now: datetime,
    probe: Probe | None = None,
) -> HealthReport:
    """How the memory is now.

    Raises: UsageError (a probe is wanted, and there is no model), EngineUnavailable, StoreFailed.
    """
    if probe is not None and model is None:
        raise UsageError("There is no model to be tried.", fix="Set TRACE_GRAPH_MODEL, or leave --probe out.")
    meta = (await store.read("read_meta"))[0]
    names = {str(space.id): space.name for space in scope.spaces}
    return HealthReport(
        version=VERSION, target=settings.target, engine=store.engine.title, schema_version=meta["schema_version"],
        embedder=meta["embedder"], dimension=meta["dimension"], configured_embedder=settings.embedder,
        waiting=waiting_of(await store.read("waiting_since", spaces=scope.ids), names, now),
        model=None if model is None else await _model(store, model, now, probe))


def waiting_of(rows: Sequence[Row], names: Mapping[str, str], now: datetime) -> list[WaitingMessages]:
    """The spaces in which something waits, by name. Pure."""
    found = [
        WaitingMessages(
            space=names[row["space"]], waiting=row["waiting"],
            oldest_seconds=round((now - row["since"]).total_seconds(), 3))
        for row in rows]
    return sorted(found, key=lambda one: one.space)


async def _model(
    store: Store, model: ConfiguredModel, now: datetime, probe: Probe | None
) -> ModelHealth:
    tried = None if probe is None else await probe()  # first: what it shows is counted below
    today = now.astimezone(UTC).date()
    days = [today.isoformat(), (today - timedelta(days=1)).isoformat()]
    rows = await store.read("calls_of_days", days=days)
    return model_health(model, rows, await read_forms(store), days[0], tried)


def model_health(
    model: ConfiguredModel, rows: Sequence[Row], forms: Sequence[ProvedForm], today: str, tried: Tried | None
) -> ModelHealth:
    """How a model is doing. Pure.

    Args:
        rows: calls of days by day, model and outcome; those of all models count against the allowance.
        forms: what models proved able to do.
    """
    proved = next((one for one in forms if (one["model"], one["host"]) == (model.name, model.host)), None)
    of_today = [row for row in rows if row["day"] == today]
    own = [row for row in rows if row["model"] == model.name]
    calls = sum(row["calls"] for row in own)
    unusable = sum(row["calls"] for row in own if row["outcome"] in UNUSABLE)
    return ModelHealth(
        name=model.name, host=model.host, form=None if proved is None else proved["form"],
        form_since=None if proved is None else datetime.fromisoformat(proved["at"]),
        calls_today=sum(row["calls"] for row in of_today), calls_a_day=model.calls_a_day,
        tokens_today=sum(row["tokens"] for row in of_today), tokens_a_day=model.tokens_a_day,
        lately=calls, failed_share=round(unusable / calls, 4) if calls else None, probe=tried.words if tried else None,
        answered=tried.answered if tried else None)
