"""`trace-graph calls`: what models were asked, what came of it, and what it cost."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import counted, moment, table
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import CallLine, CallRecord, CallStats

calls = typer.Typer(rich_markup_mode=None, add_completion=False)

SHOWN_MADE = 20
"""Things that a call made, in words. Guess; --json lists all."""

Space = Annotated[str, typer.Option("--space", metavar="S", help="The space.")]


@calls.callback()
def every_call() -> None:
    """Calls to models: each is kept, with what it was asked and what it made."""


@calls.command("list")
def list_calls(
    context: typer.Context,
    *,
    space: Space,
    purpose: Annotated[str | None, typer.Option(
        "--purpose", metavar="P", help="route, descend, summarise, walk or answer. Default: all.")] = None,
    outcome: Annotated[str | None, typer.Option(
        "--outcome", metavar="O",
        help="ok, repaired, faulty, malformed, empty, truncated, refused or failed. Default: all.")] = None,
    since: Annotated[str | None, typer.Option(
        "--since", metavar="T", help="Only those sent at this time or later, ISO 8601.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most so many, the latest.")] = 50,
) -> Coroutine[Any, Any, int]:
    """List the latest calls for a space, the latest first."""
    return _list(options_of(context), space, purpose=purpose, outcome=outcome, since=since, limit=limit)


@calls.command("show")
def show_call(
    context: typer.Context, id: Annotated[str, typer.Argument(metavar="ID", help="As the list has it.")]
) -> Coroutine[Any, Any, int]:
    """Show all that was kept of a call, what it made, and its request.

    The request is made again from the ids that were kept and the texts of now. Its hash is compared with that of then:
    equal, differs, or which texts were erased.
    """
    return _show(options_of(context), id)


@calls.command("stats")
def stats(context: typer.Context, *, space: Space) -> Coroutine[Any, Any, int]:
    """Count calls, HTTP requests, tokens and milliseconds, by purpose, model and outcome."""
    return _stats(options_of(context), space)


@calls.command("export")
def export(
    context: typer.Context,
    *,
    space: Space,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file, replaced where it is there.")],
) -> Coroutine[Any, Any, int]:
    """Write every call for a space to a file, one JSON object a line.

    For evaluation elsewhere; it holds replies, and with the setting llm.keep_requests whole requests.
    """
    return _export(options_of(context), space, Path(out))


async def _list(options: GlobalOptions, space: str, **wanted: Any) -> int:
    async with memory_of(options) as memory:
        found = await memory.calls(space, **wanted)
    show(options, found, lambda: _table(found))
    return 0


async def _show(options: GlobalOptions, id: str) -> int:
    async with memory_of(options) as memory:
        call = await memory.call(id)
    show(options, call, lambda: "\n".join(_words(call)))
    return 0


async def _stats(options: GlobalOptions, space: str) -> int:
    async with memory_of(options) as memory:
        found = await memory.call_stats(space)
    show(options, found, lambda: _figures(found))
    return 0


async def _export(options: GlobalOptions, space: str, out: Path) -> int:
    async with memory_of(options) as memory:
        report = await memory.export_calls(space, out=out)
    show(options, report, lambda: f"{counted(report.calls, 'call')}, {report.bytes:,} bytes")
    return 0


def _table(found: list[CallLine]) -> str:
    if not found:
        return "No calls."
    return table(
        ("ID", "AT", "PURPOSE", "MODEL", "OUTCOME", "TRY", "REQUESTS", "MS", "TOKENS", "FAULT"),
        [
            (one.id, moment(one.at), one.purpose, one.model, one.outcome, one.attempt, one.requests, one.milliseconds,
             _tokens(one), one.fault or "")
            for one in found])


def _tokens(one: CallLine) -> str:
    return " + ".join("?" if number is None else str(number) for number in (one.tokens_in, one.tokens_out))


def _words(call: CallRecord) -> Iterator[str]:
    yield table(("CALL", call.id), _circumstances(call))
    yield ""
    made = [f"{one.kind} {one.id}" for one in call.made[:SHOWN_MADE]]
    more = len(call.made) - len(made)
    yield f"Made: {', '.join(made) or 'nothing'}{f', and {more:,} more' if more > 0 else ''}"
    yield f"Request made again: {call.rebuilt.outcome}" + (f". {call.rebuilt.why}" if call.rebuilt.why else "")
    if call.rebuilt.erased:
        yield f"Erased: {', '.join(visible(id, one_line=True) for id in call.rebuilt.erased)}"
    for message in call.rebuilt.messages:
        yield f"\n--- {message.role} ---\n{visible(message.text)}"
    if call.reply is not None:
        yield f"\n--- reply ---\n{visible(call.reply)}"


def _circumstances(call: CallRecord) -> list[tuple[str, Any]]:
    return [
        ("space", call.space),
        ("sent", moment(call.at)),
        ("prompt", f"{call.prompt}-{call.prompt_version}"),
        ("purpose", call.purpose),
        ("model", f"{call.model} at {call.host}"),
        ("asked for structure by", call.form),
        ("attempt", call.attempt),
        ("outcome", call.outcome),
        *([("fault", call.fault)] if call.fault else []),
        ("HTTP requests", call.requests),
        ("milliseconds", call.milliseconds),
        ("tokens in + out", _tokens(call)),
        ("finish", call.finish or "not said"),
        ("figures", call.figures),
        ("request hash", call.request_hash),
        ("inputs", call.inputs)]


def _figures(found: CallStats) -> str:
    if not found.groups:
        return "No calls."
    rows = [
        (one.purpose, one.model, one.outcome, f"{one.calls:,}", f"{one.requests:,}", f"{one.tokens_in:,}",
         f"{one.tokens_out:,}", f"{one.milliseconds_p50:,}", f"{one.milliseconds_p95:,}",
         f"{one.calls_per_message:.4f}")
        for one in found.groups]
    header = (
        "PURPOSE", "MODEL", "OUTCOME", "CALLS", "REQUESTS", "TOKENS IN", "TOKENS OUT", "MS P50", "MS P95",
        "CALLS A MESSAGE")
    total = (
        f"{counted(found.calls, 'call')}, {counted(found.requests, 'HTTP request')}, {found.tokens_in:,} tokens in, "
        f"{found.tokens_out:,} out; {found.organising_calls_per_message:.4f} calls of organising a message")
    return f"{table(header, rows)}\n\n{total}"
