"""`trace-graph add`: one message."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.inputs import text_argument
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import complain, remark, show
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import Receipt

RoleName = Literal["user", "assistant", "system", "tool", "developer", "function"]
"""The roles of `trace_graph.models.Role`, written out because the models take a fifth of a second to load."""


def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(
        metavar="TEXT",
        help="What was said, kept as it is; - reads it from standard input (UTF-8, or UTF-16 with its mark).")],
    *,
    space: Annotated[str, typer.Option(
        "--space", metavar="S", help="The space it belongs to; created where it is new.")],
    role: Annotated[RoleName, typer.Option(
        "--role", metavar="ROLE", help="Who speaks: user, assistant, system, tool, developer or function.")] = "user",
    author: Annotated[str | None, typer.Option(
        "--author", metavar="A", help="The speaker's name. Default: the role.")] = None,
    session: Annotated[str, typer.Option("--session", metavar="X", help="The conversation it belongs to.")] = "default",
    at: Annotated[str | None, typer.Option(
        "--at", metavar="TIME",
        help="When it was said, ISO 8601; without an offset in the space's zone. Default: now.")] = None,
    external_id: Annotated[str | None, typer.Option(
        "--external-id", metavar="ID",
        help="The source's own id; a second message with it is recognised, not stored.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="The agent that wrote it.")] = None,
) -> Coroutine[Any, Any, int]:
    """Remember one message.

    It is durable and can be recalled when the command returns. Prints its id.
    """
    return _add(
        options_of(context), text_argument(text), space=space, role=role, author=author, session=session, at=at,
        external_id=external_id, agent=agent)


async def _add(options: GlobalOptions, text: str, **fields: Any) -> int:
    async with memory_of(options) as memory:
        receipt = await memory.add(text, **fields)
    show(options, receipt, lambda: _words(receipt))
    _remark(options, receipt, str(fields["space"]))
    return 0


def _remark(options: GlobalOptions, receipt: Receipt, space: str) -> None:
    """What the user may not expect."""
    if receipt.space_created:
        remark(options, f"Created the space {space}.")
    if receipt.differs:
        complain("A message with this external id was there already, with another text: that one stays, this one was "
                 "not stored.")
    if receipt.without_vector:
        remark(options, "Some of its text got no vector: that is found by its words only.")


def _words(receipt: Receipt) -> str:
    place = f"message {receipt.seq} of session {visible(receipt.session, one_line=True)}"
    return f"{receipt.id}  {'known already as' if receipt.duplicate else 'stored as'} {place}"
