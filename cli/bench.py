"""`trace-graph bench`: what of a benchmark's evidence is recalled, beside baselines."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import set_up_logging, settings_of
from trace_graph.cli.output import remark, show
from trace_graph.cli.progress import followed_stages
from trace_graph.cli.tables import table
from trace_graph.errors import ConfigError, UsageError
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.bench.results import Results
    from trace_graph.bench.running import Order

NEEDED = ("bm25s", "matplotlib")
INSTALL = "pip install 'trace-graph[bench]'"


def bench(
    context: typer.Context,
    dataset: Annotated[Literal["locomo", "longmemeval", "beam", "multilingual", "sample"], typer.Argument(
        metavar="DATASET", help="locomo, longmemeval, beam, multilingual or sample.")],
    path: Annotated[Path, typer.Argument(
        metavar="PATH", help="The file as it was published; of BEAM the folder of the numbered chats.")],
    *,
    systems: Annotated[list[str] | None, typer.Option(
        "--systems", metavar="NAMES",
        help="Only these: trace-graph, bm25, vectors, rrf, last, full; with commas, or repeated.")] = None,
    out: Annotated[Path | None, typer.Option(
        "--out", metavar="DIR", help="Where the results go. Default: bench-results/DATASET.")] = None,
    samples: Annotated[list[str] | None, typer.Option(
        "--samples", metavar="IDS", help="Only these conversations of the file; with commas, or repeated.")] = None,
    questions: Annotated[int | None, typer.Option(
        "--questions", metavar="N", min=1, help="Only the first N questions of each space.")] = None,
    half: Annotated[Literal["tune", "report", "all"], typer.Option(
        "--half", help="Only the questions of one half; with all, the report half is shown beside.")] = "all",
    pooled: Annotated[bool, typer.Option(
        "--pooled", help="All conversations in one space, instead of one each.")] = False,
    run: Annotated[str, typer.Option(
        "--run", metavar="NAME",
        help="Goes into the names of the spaces; those of an earlier run in the same database are asked again.",
    )] = "bench",
    restart: Annotated[bool, typer.Option(
        "--restart", help="Begin anew where a run was broken off.")] = False,
) -> Coroutine[Any, Any, int]:
    """Measure what of a benchmark's evidence is recalled, beside baselines of the same run.

    The conversations are imported and organised in an embedded engine of the run's own, which is removed at the end;
    TRACE_GRAPH_URI is not read. With --uri they go into that database and stay there. Each question that names evidence
    is asked, and results.json, table.md and plot.png are written. A run that was broken off goes on where it was when
    the same command is given again. No model is asked. Needs: pip install 'trace-graph[bench]'.
    """
    options = options_of(context)
    _refuse_missing_packages()
    from trace_graph.bench.circumstances import given_command
    from trace_graph.bench.datasets import Selection
    from trace_graph.bench.running import Order

    return _bench(options, Order(
        selection=Selection(
            name=dataset, path=path, samples=tuple(_names(samples)), pooled=pooled,
            half=None if half == "all" else half, questions=questions),
        out=out or Path("bench-results") / dataset, systems=_known(_names(systems)),
        database=settings_of(options) if options.uri else None, run=run, restart=restart,
        command=given_command("trace-graph")))


async def _bench(options: GlobalOptions, order: Order) -> int:
    import logging

    from trace_graph.bench.running import PLOT, TABLE, run_benchmark

    set_up_logging(options)
    if not options.debug:
        logging.getLogger("bm25s").setLevel(logging.CRITICAL)  # it sets a level of its own, the lowest
    if "trace-graph" in order.systems:
        own = f"an embedded engine of its own in {order.out}"
        remark(options, f"using {own if order.database is None else order.database.target}")
    with followed_stages(options, _interrupted) as progress:
        results = await run_benchmark(order, progress)
    show(options, results, lambda: _words(results))
    remark(options, f"written to {order.out}: results.json, {TABLE}, {PLOT}")
    return 0


def _refuse_missing_packages() -> None:
    from importlib.util import find_spec

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        named = f"{missing[0]}, which is" if len(missing) == 1 else f"{' and '.join(missing)}, which are"
        raise ConfigError(f"The benchmark needs {named} not installed.", fix=f"Install it: {INSTALL}")


def _names(given: Sequence[str] | None) -> list[str]:
    return list(dict.fromkeys(name.strip() for one in given or () for name in one.split(",") if name.strip()))


def _known(systems: Sequence[str]) -> tuple[Any, ...]:
    from trace_graph.bench.results import System

    every = get_args(System)
    strange = [name for name in systems if name not in every]
    if strange:
        raise UsageError(
            f"There is no system {visible(strange[0], one_line=True)!r} to measure.",
            fix=f"There are {', '.join(every)}.")
    return tuple(name for name in every if not systems or name in systems)


def _interrupted(doing: str) -> str:
    return f"Interrupted ({doing}); the same command goes on from here."


def _words(results: Results) -> str:
    from trace_graph.bench.tables import sentences, tables

    parts = [f"{one.title}\n\n{table(one.header, one.rows)}" for one in tables(results)]
    return "\n\n".join([*parts, "\n".join(sentences(results))])
