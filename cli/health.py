"""`trace-graph health`: what the memory runs on, what waits, and how the model is."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import counted, moment, table
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import HealthReport, ModelHealth


def health(
    context: typer.Context,
    *,
    probe: Annotated[bool, typer.Option(
        "--probe", help="Send the model one small request, which is kept; where there is no memory yet, one is made.",
    )] = False,
) -> Coroutine[Any, Any, int]:
    """Show what the memory runs on, what waits to be filed, and how the model is.

    Exit code 0 whatever it shows, as long as the database answers, and the model too where --probe asks it. No request
    goes to the model without --probe.
    trace-graph doctor checks that the memory is whole.
    """
    return _health(options_of(context), probe)


async def _health(options: GlobalOptions, probe: bool) -> int:
    async with memory_of(options) as memory:
        report = await memory.health(probe=probe)
    show(options, report, lambda: _words(report))
    return 1 if report.model is not None and report.model.answered is False else 0


def _words(report: HealthReport) -> str:
    rows = table(("HEALTH", report.target), list(_rows(report)))
    if report.model is None or report.model.probe is None:
        return rows
    return f"{rows}\n\nOne request to the model: {report.model.probe}"


def _rows(report: HealthReport) -> Iterator[tuple[str, Any]]:
    yield "trace-graph", report.version
    yield "engine", report.engine
    yield "schema", report.schema_version
    held = "none yet" if report.embedder is None else f"{report.embedder}, {report.dimension} numbers"
    yield "embedder", f"{held} (set: {report.configured_embedder})"
    waiting = [
        f"{visible(one.space, one_line=True)}: {counted(one.waiting, 'message')}, the oldest for "
        f"{_age(one.oldest_seconds)}"
        for one in report.waiting]
    yield "waiting", "; ".join(waiting) or "nothing"
    if report.model is None:
        yield "model", "none is set; none is needed"
    else:
        yield from _model(report.model)


def _model(model: ModelHealth) -> Iterator[tuple[str, Any]]:
    yield "model", f"{model.name} at {model.host}"
    yield "it takes", "not known yet" if model.form is None or model.form_since is None else (
        f"{_FORMS[model.form]}, known since {moment(model.form_since)}")
    yield "calls today", _of(model.calls_today, model.calls_a_day)
    yield "tokens today", _of(model.tokens_today, model.tokens_a_day)
    yield "without use", "no calls today or yesterday" if model.failed_share is None else (
        f"{model.failed_share:.0%} of {counted(model.lately, 'call')} today and yesterday")


_FORMS = {"schema": "a JSON schema", "json": "JSON mode, no schema", "plain": "neither a schema nor JSON mode"}


def _of(used: int, allowed: int | None) -> str:
    return f"{used:,}, no limit" if allowed is None else f"{used:,} of {allowed:,}"


def _age(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), unit)
    return counted(max(0, int(seconds)), "second")
