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
    from trace_graph.models import RecallItem, RecallResult, Walk

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
        "--mode", help="How to search; guided has a model walk the tree beside the flat search.")] = "fast",
    fallback: Annotated[Literal["on", "off"], typer.Option(
        "--fallback", help="off: show what lies in the branches walked alone, without the flat search.")] = "on",
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
    if mode == "fast" and fallback == "off":
        raise UsageError("--fallback off belongs to --mode guided.", fix="Leave one of the two out.")
    return _recall(
        options_of(context), query, space=space, budget=budget, limit=limit, mode=mode, asked_at=asked_at,
        known_at=known_at, explain=explain, fallback=fallback == "on")


async def _recall(options: GlobalOptions, query: str, **wanted: Any) -> int:
    async with memory_of(options) as memory:
        result = await memory.recall(query, **wanted)
        show(options, result, lambda: _words(result))
        if result.walk is not None:
            walk_remark(options, result.walk)
        if memory.settings.recalls_kept:
            remark(options, f"how this was found: trace-graph explain {result.recall_id}")
    return 0


def _words(result: RecallResult) -> str:
    if result.explanation is None:
        return found_words(result)
    return f"{found_words(result)}\n\n{explanation_words(result.explanation)}"


def walk_remark(options: GlobalOptions, walk: Walk) -> None:
    """Say beside the result where a walk led, and why it ended early where it did."""
    if walk.branches:
        led = ", ".join(one.title or one.id for one in walk.branches)
        share = f", {walk.share:.0%} of the budget" if walk.fallback else ""
        remark(options, f"walked to {led} ({counted(walk.model_calls, 'model call')}{share})")
    elif not walk.steps and walk.fault is None:
        remark(options, "there is no tree to walk yet: trace-graph organize makes it")
    elif walk.fault is None:
        remark(options, f"the model chose no branch ({counted(walk.model_calls, 'model call')})")
    if walk.fault is not None:
        instead = "the fast mode answers" if walk.fallback and not walk.branches else "the walk ended early"
        remark(options, f"{instead}: {walk.fault}")


def found_words(result: RecallResult) -> str:
    """What was found, for people."""
    if not result.items:
        return _nothing(result)
    recovered = set(result.recovered)
    parts = [_item(item, recovered=item.id in recovered) for item in result.items]
    if result.topics:
        named = (
            f"{_path(topic.path)} ({', '.join([decimals(topic.score), *arrears(topic.behind)])})"
            for topic in result.topics)
        parts.append(head("Topics") + "\n" + "\n".join(f"{' ' * INDENT}{one}" for one in named))
    parts.append(head(f"{counted(len(result.items), 'item')}, {counted(result.tokens, 'token')}"))
    return "\n\n".join(parts)


def _nothing(result: RecallResult) -> str:
    if not result.searchable:
        return "The question holds nothing to search for: ask with a word of what was said."
    if result.smallest_budget is not None:
        return f"Nothing fits the budget: the first hit needs --budget {result.smallest_budget}."
    return "Nothing was found."


def _item(item: RecallItem, *, recovered: bool) -> str:
    where = _path(item.topic_path) if item.topic_path else "not filed yet"
    author = visible(item.author, one_line=True)
    line = f"{item.rank:>2}. {author} · {moment(item.occurred_at)} · {where} · {decimals(item.score)}"
    part = " · part of a long message" if item.part else ""
    outside = " · outside the walk" if recovered else ""
    return f"{head(line + part + outside)}\n{indented(visible(item.text).strip())}"


def _path(titles: list[str]) -> str:
    return " › ".join(visible(title, one_line=True) for title in titles)


def head(line: str) -> str:
    """A line above a text; dim on a terminal."""
    return typer.style(line, dim=True) if coloured(sys.stdout) else line


def indented(text: str) -> str:
    """The text moved to the right; on a terminal its lines are wrapped, in a pipe they stay whole."""
    if not sys.stdout.isatty():
        return "\n".join(" " * INDENT + line for line in text.splitlines())
    from rich.padding import Padding
    from rich.text import Text

    return rendered(Padding(Text(text), (0, 0, 0, INDENT)), width=columns())
