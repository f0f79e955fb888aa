"""The prompts of the package, and those of a folder that take their place, by name and version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType

from trace_graph.errors import ConfigError, NotFound

_FILE = re.compile(r"([a-z_]+)-([1-9][0-9]*)\.md")

MOST_DIGITS = 9
"""Of a version, so that any database keeps it as a number."""


@dataclass(frozen=True)
class Prompt:
    """One version of one prompt."""

    name: str
    version: int
    text: str
    """The system message, without white space around it."""


_OWN: ContextVar[Mapping[tuple[str, int], Prompt]] = ContextVar("prompts of a folder", default=MappingProxyType({}))


@contextmanager
def prompts_from(folder: Path | None) -> Iterator[None]:
    """Within it, the files `NAME-VERSION.md` of this folder count beside those of the package; None: those alone.

    A version that both have is the folder's. Give a changed prompt a number of its own: calls are rebuilt from it.
    Raises: ConfigError where the folder cannot be read, or holds an empty prompt or a version of too many digits.
    """
    token = _OWN.set({} if folder is None else _read(folder))
    try:
        yield
    finally:
        _OWN.reset(token)


def prompt(name: str, version: int | None = None) -> Prompt:
    """The prompt of this name in this version; default: the latest one.

    Raises: NotFound for a prompt that there is not.
    """
    known = {**_packaged(), **_OWN.get()}
    wanted = version if version is not None else max((number for one, number in known if one == name), default=0)
    if (name, wanted) not in known:
        raise NotFound(
            f"There is no prompt {name}-{wanted} here.",
            fix="The call was made by a newer trace-graph, or with a prompt of a folder (llm.prompts): use that one.")
    return known[name, wanted]


@cache
def _packaged() -> Mapping[tuple[str, int], Prompt]:
    return _found((file.name, file.read_text(encoding="utf-8"))
                  for file in resources.files("trace_graph.llm.prompts").iterdir() if file.name.endswith(".md"))


def _read(folder: Path) -> Mapping[tuple[str, int], Prompt]:
    try:
        return _found((file.name, file.read_text(encoding="utf-8")) for file in sorted(folder.iterdir()))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"The folder of prompts {folder} cannot be read.",
            fix="Correct the setting llm.prompts: a folder of UTF-8 files named NAME-VERSION.md.") from error


def _found(files: Iterator[tuple[str, str]]) -> dict[tuple[str, int], Prompt]:
    found = {}
    for name, text in files:
        if match := _FILE.fullmatch(name):
            _refuse_unusable(name, match[2], text)
            found[match[1], int(match[2])] = Prompt(match[1], int(match[2]), text.strip())
    return found


def _refuse_unusable(name: str, version: str, text: str) -> None:
    if len(version) > MOST_DIGITS:
        raise ConfigError(
            f"The prompt file {name} cannot be used: its version has more than {MOST_DIGITS} digits.",
            fix="Rename it.")
    if not text.strip():
        raise ConfigError(
            f"The prompt file {name} cannot be used: it is empty.",
            fix="Write the prompt into it, or remove it from the folder of the setting llm.prompts.")
