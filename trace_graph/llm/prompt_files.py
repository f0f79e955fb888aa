"""The prompts of the package, by name and version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from trace_graph.errors import NotFound

_FILE = re.compile(r"([a-z_]+)-([1-9][0-9]*)\.md")


@dataclass(frozen=True)
class Prompt:
    """One version of one prompt."""

    name: str
    version: int
    text: str
    """The system message, without white space around it."""


@cache
def _all() -> Mapping[tuple[str, int], Prompt]:
    found = {}
    for file in resources.files("trace_graph.llm.prompts").iterdir():
        if match := _FILE.fullmatch(file.name):
            name, version = match[1], int(match[2])
            found[name, version] = Prompt(name, version, file.read_text(encoding="utf-8").strip())
    return found


def prompt(name: str, version: int | None = None) -> Prompt:
    """The prompt of this name in this version; default: the latest one.

    Raises: NotFound for a prompt that this trace-graph does not have.
    """
    versions = [number for known, number in _all() if known == name]
    wanted = version if version is not None else max(versions, default=0)
    if (name, wanted) not in _all():
        raise NotFound(
            f"There is no prompt {name}-{wanted} in this trace-graph.",
            fix="The call was made by a newer version: upgrade trace-graph to rebuild it.")
    return _all()[name, wanted]
