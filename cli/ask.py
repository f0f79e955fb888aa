"""`trace-graph ask`: a model's answer from what is remembered, with the messages it cites."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import remark, show, write_piece
from trace_graph.cli.recall import found_words, head, indented, walk_remark
from trace_graph.cli.tables import moment
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import AskResult, CitedMessage


def ask(
    context: typer.Context,
    query: Annotated[str, typer.Argument(
        metavar="QUERY", help="A question in plain words.")],
    *,
    space: Annotated[list[str], typer.Option("--space", metavar="S", help="Where to look; may be repeated.")],
    mode: Annotated[Literal["fast", "guided"], typer.Option(
        "--mode", help="How the messages are found: guided has the model walk the tree first.")] = "fast",
    budget: Annotated[int | None, typer.Option(
        "--budget", metavar="TOKENS", help="Put as many messages before the model as fit. Default: 2000.")] = None,
    asked_at: Annotated[str | None, typer.Option(
        "--asked-at", metavar="TIME",
        help="The moment of the question, for words like 'last week'. Default: now.")] = None,
    known_at: Annotated[str | None, typer.Option(
        "--known-at", metavar="TIME", help="Answer with what the memory knew at that moment. Default: all it knows."
    )] = None,
) -> Coroutine[Any, Any, int]:
    """Have a model answer a question from what is remembered.

    Prints the answer, on a terminal while it arrives, and the messages that it cites. Where the model gives no answer,
    what was found is printed, and the command exits with 1. Needs a model: TRACE_GRAPH_MODEL.
    """
    return _ask(
        options_of(context), query, space=space, mode=mode, budget=budget, asked_at=asked_at, known_at=known_at)


async def _ask(options: GlobalOptions, query: str, **wanted: Any) -> int:
    arriving = _Arriving()
    streamed = sys.stdout.isatty() and not options.json
    async with memory_of(options) as memory:
        result = await memory.ask(query, on_text=arriving.take if streamed else None, **wanted)
        arriving.end()
        show(options, result, lambda: answer_words(result, printed=arriving.text))
        if result.recall.walk is not None:
            walk_remark(options, result.recall.walk)
        if result.citations_dropped:
            remark(options, f"{result.citations_dropped} of its citations name no message it was given: taken out")
        if result.fault:
            remark(options, f"no answer to rely on: {result.fault}")
        if memory.settings.recalls_kept:
            remark(options, f"how this was found: trace-graph explain {result.recall_id}")
    return 0 if result.fault is None else 1


class _Arriving:
    """The answer on the terminal while it arrives."""

    def __init__(self) -> None:
        self.text = ""

    def take(self, piece: str) -> None:
        """Print the next piece."""
        self.text += piece
        write_piece(visible(piece))

    def end(self) -> None:
        """Go to the next line, where something was printed."""
        if self.text:
            write_piece("\n")


def answer_words(result: AskResult, *, printed: str) -> str:
    """The answer for people, without what was printed of it already, and the messages it cites."""
    parts = []
    # What was printed while it arrived may have been refused, and asked for again.
    if result.answer and result.answer.strip() != printed.strip():
        parts.append(visible(result.answer))
    if not result.answer:
        parts += ["The model gave no answer. This was found:", found_words(result.recall)]
    parts += [_cited(one) for one in result.cited]
    return "\n\n".join(parts)


def _cited(one: CitedMessage) -> str:
    author = visible(one.author, one_line=True)
    where = f" · {one.external_id}" if one.external_id else ""
    return f"{head(f'[{one.number}] {author} · {moment(one.occurred_at)}' + visible(where, one_line=True))}\n" \
           f"{indented(visible(one.text).strip())}"
