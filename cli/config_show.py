"""`trace-graph config show`: every setting, its value, and where that comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import settings_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import table

if TYPE_CHECKING:
    from pydantic import BaseModel

config = typer.Typer(rich_markup_mode=None, add_completion=False)

MASK = "********"


class Shown(NamedTuple):
    """One setting as it is shown."""

    name: str
    value: Any
    source: str


@config.callback()
def settings_in_use() -> None:
    """See the settings in use."""


@config.command("show")
def show_settings(context: typer.Context) -> None:
    """Show every setting with its value and where that comes from; secrets are masked."""
    options = options_of(context)
    found = list(_settings(options))
    show(options, [one._asdict() for one in found], lambda: table(
        ("SETTING", "VALUE", "FROM"), [(one.name, one.value, one.source) for one in found]))


def _settings(options: GlobalOptions) -> Iterator[Shown]:
    from trace_graph.config import FILE_NAME, origin

    given = {"uri"} if options.uri else set()
    for path, value in _flat(settings_of(options)):
        kind, name = origin(path, given)
        names = {"argument": "--uri", "environment": name, "file": FILE_NAME, "default": "default"}
        yield Shown(".".join(path), value, names[kind])


def _flat(settings: BaseModel, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each setting by its names from the outermost on, and its value in words."""
    from pydantic import BaseModel, SecretStr

    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            yield from _flat(value, (*above, name))
        else:
            yield (*above, name), MASK if isinstance(value, SecretStr) else _harmless(name, value)


def _harmless(name: str, value: Any) -> Any:
    """An address may carry a password: user:password@host."""
    if isinstance(value, str) and name.endswith(("uri", "url")) and "@" in value:
        scheme, _, rest = value.partition("://")
        return f"{scheme}://{MASK}@{rest.rpartition('@')[2]}"
    return value
