"""`trace-graph tree`: the topics of a space."""

from __future__ import annotations

import shlex
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import columns, show
from trace_graph.cli.tables import arrears, counted, moment, rendered
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from trace_graph.models import TopicNode, TreeMessage


def tree(
    context: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", metavar="S", help="The space to show.")],
    depth: Annotated[int | None, typer.Option(
        "--depth", metavar="N", help="Levels below the root. Default: all.")] = None,
    messages: Annotated[bool, typer.Option("--messages", help="Show the messages of each topic.")] = False,
    ids: Annotated[bool, typer.Option("--ids", help="Show each topic's id, for trace-graph topic.")] = False,
) -> Coroutine[Any, Any, int]:
    """Draw the tree of topics and their summaries.

    Lines are cut to the terminal's width.
    """
    return _tree(options_of(context), space, depth, messages=messages, ids=ids)


async def _tree(options: GlobalOptions, space: str, depth: int | None, *, messages: bool, ids: bool) -> int:
    async with memory_of(options) as memory:
        root = await memory.tree(space=space, depth=depth, messages=messages)
    show(options, root, lambda: _words(root, space, ids=ids))
    return 0


def _words(root: TopicNode, space: str, *, ids: bool) -> str:
    from rich.tree import Tree

    drawn = Tree(_topic(root, ids=ids), guide_style="dim")
    _grow(drawn, root, ids=ids)
    text = rendered(drawn, width=columns())
    if root.waiting:
        wait = f"{counted(root.waiting, 'message')} {'waits' if root.waiting == 1 else 'wait'} to be filed"
        text += f"\n{wait}: trace-graph organize --space {_quoted(space)}"
    elif not root.children and not root.message_count:
        text += f"\nNothing is in it yet: trace-graph add TEXT --space {_quoted(space)}"
    return text


def _quoted(name: str) -> str:
    """As it may be typed again."""
    return shlex.quote(visible(name, one_line=True))


def _grow(branch: Tree, node: TopicNode, *, ids: bool) -> None:
    for message in node.messages:
        branch.add(_leaf(message))
    for child in node.children:
        _grow(branch.add(_topic(child, ids=ids)), child, ids=ids)


def _topic(node: TopicNode, *, ids: bool) -> Text:
    """Title and count, and the summary on a line of its own."""
    id = f"{node.id} " if ids else ""  # in front, where no long title pushes it out of the picture
    title = visible(node.title, one_line=True)
    count = counted(node.message_count, "message")
    text = _line((id, "dim"), (title, "bold"), f" ({', '.join([count, *arrears(node.behind, node.failed_wordings)])})")
    if node.summary:
        text.append("\n" + visible(" ".join(node.summary.split()), one_line=True), style="dim")
    return text


def _leaf(message: TreeMessage) -> Text:
    author, said = visible(message.author, one_line=True), visible(" ".join(message.text.split()), one_line=True)
    return _line((f"{moment(message.occurred_at)} ", "dim"), f"{author}: {said}")


def _line(*parts: str | tuple[str, str]) -> Text:
    from rich.text import Text

    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")
