"""`trace-graph queries` and `trace-graph cypher`: the project's own Cypher, and yours."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.inputs import query_parameters
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import complain, show
from trace_graph.cli.tables import counted, table
from trace_graph.errors import NotFound
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import QueryInfo

queries = typer.Typer(rich_markup_mode=None, add_completion=False)

Parameters = Annotated[list[str] | None, typer.Option(
    "--param", metavar="NAME=VALUE", help="A value for $NAME, JSON or else text; may be repeated.")]


@queries.callback()
def every_query() -> None:
    """Every Cypher query that the project runs."""


@queries.command("list")
def list_queries(context: typer.Context) -> None:
    """List them all; needs no database."""
    found = _shipped()
    show(options_of(context), found, lambda: table(
        ("NAME", "MODE", "RETURNS"), [(query.name, query.mode, query.description) for query in found]))


@queries.command("show")
def show_query(
    context: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME", help="As the list has it.")]
) -> None:
    """Show the text of one, for each engine that has its own; needs no database."""
    found = [query for query in _shipped() if name in (query.name, query.name.partition(" (")[0])]
    if not found:
        raise NotFound(f"There is no query named {name!r}.", fix="See trace-graph queries list.")
    show(options_of(context), found, lambda: "\n\n".join(_words(query) for query in found))


@queries.command("run")
def run_query(
    context: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME", help="As the list has it.")],
    param: Parameters = None,
) -> Coroutine[Any, Any, int]:
    """Run one that reads; $spaces is the ids of all spaces unless it is given."""
    return _run_query(options_of(context), name, query_parameters(param))


def cypher(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A Cypher query.")],
    param: Parameters = None,
) -> Coroutine[Any, Any, int]:
    """Run a query of your own, read only.

    It cannot write, whatever it says.
    """
    return _cypher(options_of(context), query, query_parameters(param))


async def _run_query(options: GlobalOptions, name: str, parameters: dict[str, Any]) -> int:
    async with memory_of(options) as memory:
        rows = await memory.run_query(name, parameters)
    show(options, rows, lambda: _table(rows))
    return 0


async def _cypher(options: GlobalOptions, query: str, parameters: dict[str, Any]) -> int:
    async with memory_of(options) as memory:
        rows = await memory.cypher(query, parameters)
    show(options, rows, lambda: _table(rows))
    if rows.cut:
        complain(f"Only the first {len(rows)} rows are shown: give the query a LIMIT, or ask for less.")
    return 0


def _shipped() -> list[QueryInfo]:
    from trace_graph.retrieve.overview import list_queries as shipped

    return shipped()


def _words(query: QueryInfo) -> str:
    lines = [f"// {query.name}", f"// {query.description}", f"// mode: {query.mode}"]
    if query.parameters:
        lines.append(f"// params: {', '.join(query.parameters)}")
    return "\n".join([*lines, visible(query.text)])


def _table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "No rows."
    header = list(rows[0])
    return f"{table(header, [[row[name] for name in header] for row in rows])}\n{counted(len(rows), 'row')}"
