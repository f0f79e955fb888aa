"""`trace-graph recall`: what answers a question."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trace_graph.cli.explain import explanation_words
from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import coloured, columns, remark, show
from trace_graph.cli.tables import arrears, counted, decimals, moment, rendered
from trace_graph.errors import UsageError
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import RecallItem, RecallResult

INDENT = 4


def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(
        metavar="QUERY", help="A question in plain words; nothing in it is syntax.")],
    *,
    space: Annotated[list[str], typer.Option("--space", metavar="S", help="Where to look; may be repeated.")],
    budget: Annotated[int | None, typer.Option(
        "--budget", metavar="TOKENS", help="Show as many items as fit. Default: 2000.")] = None,
    limit: Annotated[int | None, typer.Option(
        "--limit", metavar="N", help="Show this many items, whatever their length.")] = None,
    mode: Annotated[Literal["fast", "guided"], typer.Option(
        "--mode", help="How to search; guided asks a model and is not built yet.")] = "fast",
    asked_at: Annotated[str | None, typer.Option(
        "--asked-at", metavar="TIME",
        help="The moment of the question, for words like 'last week'. Default: now.")] = None,
    known_at: Annotated[str | None, typer.Option(
        "--known-at", metavar="TIME", help="Answer with what the memory knew at that moment. Default: all it knows."
    )] = None,
    explain: Annotated[bool, typer.Option(
        "--explain", help="Show as well how the answer came about, as trace-graph explain does later.")] = False,
) -> Coroutine[Any, Any, int]:
    """Find what answers a question, best first.

    Prints the messages with rank, speaker, time, topic and score, and the topics in which most was found. The
    recall's id, which explain and replay take, is said on stderr.
    """
    if mode == "guided":
        raise UsageError("--mode guided is not built yet.", fix="Leave it out, or use --mode fast.")
    return _recall(
        options_of(context), query, space=space, budget=budget, limit=limit, asked_at=asked_at, known_at=known_at,
        explain=explain)


async def _recall(options: GlobalOptions, query: str, **wanted: Any) -> int:
    async with memory_of(options) as memory:
        result = await memory.recall(query, **wanted)
        show(options, result, lambda: _words(result))
        if memory.settings.recalls_kept:
            remark(options, f"how this was found: trace-graph explain {result.recall_id}")
    return 0


def _words(result: RecallResult) -> str:
    if result.explanation is None:
        return _answer(result)
    return f"{_answer(result)}\n\n{explanation_words(result.explanation)}"


def _answer(result: RecallResult) -> str:
    if not result.items:
        return _nothing(result)
    parts = [_item(item) for item in result.items]
    if result.topics:
        named = (
            f"{_path(topic.path)} ({', '.join([decimals(topic.score), *arrears(topic.behind)])})"
            for topic in result.topics)
        parts.append(_head("Topics") + "\n" + "\n".join(f"{' ' * INDENT}{one}" for one in named))
    parts.append(_head(f"{counted(len(result.items), 'item')}, {counted(result.tokens, 'token')}"))
    return "\n\n".join(parts)


def _nothing(result: RecallResult) -> str:
    if not result.searchable:
        return "The question holds nothing to search for: ask with a word of what was said."
    if result.smallest_budget is not None:
        return f"Nothing fits the budget: the first hit needs --budget {result.smallest_budget}."
    return "Nothing was found."


def _item(item: RecallItem) -> str:
    where = _path(item.topic_path) if item.topic_path else "not filed yet"
    author = visible(item.author, one_line=True)
    head = f"{item.rank:>2}. {author} · {moment(item.occurred_at)} · {where} · {decimals(item.score)}"
    part = " · part of a long message" if item.part else ""
    return f"{_head(head + part)}\n{_indented(visible(item.text).strip())}"


def _path(titles: list[str]) -> str:
    return " › ".join(visible(title, one_line=True) for title in titles)


def _head(line: str) -> str:
    return typer.style(line, dim=True) if coloured(sys.stdout) else line


def _indented(text: str) -> str:
    """The text moved to the right; on a terminal its lines are wrapped, in a pipe they stay whole."""
    if not sys.stdout.isatty():
        return "\n".join(" " * INDENT + line for line in text.splitlines())
    from rich.padding import Padding
    from rich.text import Text

    return rendered(Padding(Text(text), (0, 0, 0, INDENT)), width=columns())
