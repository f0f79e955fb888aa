"""`trace-graph config show`: every setting, its value, and where that comes from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
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
    from trace_graph.config import FILE_NAME, load_settings

    settings = load_settings(uri=options.uri)
    file = Path(FILE_NAME)
    in_file = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    # Names of the environment do not tell upper from lower case, and a blank value counts as not set.
    filled = {name.upper(): name for name, value in os.environ.items() if value.strip()}
    for name, value, variables in _flat(settings):
        source = "--uri" if name == "uri" and options.uri else _source(name, variables, filled, in_file)
        yield Shown(name, value, source)


def _flat(
    settings: BaseModel, prefix: str = "", variable: str = "TRACE_GRAPH_"
) -> Iterator[tuple[str, Any, list[str]]]:
    """Each setting, its value in words, and the variables that may set it, first come first served."""
    from pydantic import AliasChoices, BaseModel, SecretStr

    for name, field in type(settings).model_fields.items():
        value, alias = getattr(settings, name), field.validation_alias
        if isinstance(value, BaseModel):
            yield from _flat(value, f"{name}.", f"{variable}{name.upper()}__")
            continue
        names = [str(one) for one in alias.choices] if isinstance(alias, AliasChoices) else [variable + name.upper()]
        yield prefix + name, MASK if isinstance(value, SecretStr) else _harmless(name, value), names


def _harmless(name: str, value: Any) -> Any:
    """An address may carry a password: user:password@host."""
    if isinstance(value, str) and name.endswith(("uri", "url")) and "@" in value:
        scheme, _, rest = value.partition("://")
        return f"{scheme}://{MASK}@{rest.rpartition('@')[2]}"
    return value


def _source(name: str, variables: list[str], filled: Mapping[str, str], in_file: Mapping[str, Any]) -> str:
    from trace_graph.config import FILE_NAME

    for variable in variables:
        if variable in filled:
            return filled[variable]
    group, _, inner = name.rpartition(".")
    values = in_file.get(group, {}) if group else in_file
    return FILE_NAME if inner in values else "default"
