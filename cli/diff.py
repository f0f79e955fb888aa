"""`trace-graph diff`: in what two trees differ."""

from __future__ import annotations

from collections.abc import Coroutine
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import counted
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.cli.global_options import GlobalOptions
    from trace_graph.models import MessageMove, TreeDifference

SHOWN = 20
"""Moves that are listed in words; --json has all of them."""
ALIKE = 0.5
"""Share of words in common from which on two wordings are shown as one, with what changed. Guess: below it that is a
patchwork, and both are shown."""


def diff(
    context: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", metavar="S", help="The space to start from.")],
    other: Annotated[str, typer.Option("--with", metavar="T", help="The space to compare with it.")],
) -> Coroutine[Any, Any, int]:
    """Say in what the tree of another space differs, over the same messages.

    Topics added, gone and renamed; summaries in other words; messages that lie elsewhere.
    """
    return _diff(options_of(context), space, other)


async def _diff(options: GlobalOptions, space: str, other: str) -> int:
    async with memory_of(options) as memory:
        found = await memory.diff(space=space, other=other)
    show(options, found, lambda: _words(found))
    return 0


def _words(found: TreeDifference) -> str:
    if found.equal:
        return f"The trees say the same of {counted(found.compared, 'message')}."
    parts = [_head(found)]
    if found.topics:
        parts.append("\n".join(["Topics", *(
            f"  {topic.change}: {_path(topic.path)}" + (f", was {_one_line(topic.was)!r}" if topic.was else "")
            + f" ({counted(topic.messages, 'message')})" for topic in found.topics)]))
    if found.summaries:
        parts.append("\n".join(["Summaries", *(
            f"  {_one_line(one.title)}\n{_changed(one.was or '', one.now or '')}" for one in found.summaries)]))
    if found.moves:
        parts.append(_moves(found.moves))
    return "\n\n".join(parts)


def _head(found: TreeDifference) -> str:
    if found.agreement is None:
        lines = ["No message is filed in both: two trees are compared over the same messages (trace-graph rebuild)."]
    else:
        lines = [
            f"{counted(len(found.moves), 'message')} of {found.compared:,} moved, agreement {found.agreement:.2f}; "
            f"{counted(len(found.summaries), 'summary', 'summaries')} changed"]
    for count, name in ((found.only_old, found.old), (found.only_new, found.new)):
        if count:
            lines.append(f"Only {_one_line(name)} has {counted(count, 'message')} filed.")
    return "\n".join(lines)


def _moves(moves: list[MessageMove]) -> str:
    lines = ["Messages", *(
        f"  {_one_line(move.author)}: {_one_line(move.text)[:60]}\n    {_path(move.was)} -> {_path(move.now)}"
        for move in moves[:SHOWN])]
    if len(moves) > SHOWN:
        lines.append(f"  and {len(moves) - SHOWN:,} more: --json lists all")
    return "\n".join(lines)


def _changed(was: str, now: str) -> str:
    old, new = _one_line(was), _one_line(now)
    if SequenceMatcher(None, old.split(), new.split(), autojunk=False).ratio() < ALIKE:
        return f"    was: {old or 'nothing'}\n    now: {new or 'nothing'}"
    return f"    {word_difference(was, now)}"


def word_difference(was: str, now: str) -> str:
    """The words of both, in order: `[-gone-]` and `{+new+}`, as `git diff --word-diff` writes them."""
    old, new = _one_line(was).split(), _one_line(now).split()
    parts: list[str] = []
    for kind, left, right, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts += old[left:right]
            continue
        if left < right:
            parts.append(f"[-{' '.join(old[left:right])}-]")
        if start < end:
            parts.append(f"{{+{' '.join(new[start:end])}+}}")
    return " ".join(parts)


def _path(path: list[str]) -> str:
    return " > ".join(_one_line(title) for title in path) or "(the root)"


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()), one_line=True)
