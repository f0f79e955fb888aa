"""Named queries: read once from the .cypher files of the package, checked, and picked by engine.

A file holds queries, each under a header of comment lines:

    // name: find_spaces
    // Spaces by name: id, name, key.              (one sentence: what it returns)
    // mode: read                                  (read, write or schema)
    // params: names                               (in any order; none: leave the line out)
    // engine: neo4j                               (only where engines differ: arcadedb, neo4j, neo4j-search)
    // unscoped: why it needs no $spaces           (only for reads that return content of no space)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast, get_args

from trace_graph.errors import NotFound, StoreFailed

Mode = Literal["read", "write", "schema"]
Variant = Literal["any", "arcadedb", "neo4j", "neo4j-search"]

_HEADER = re.compile(r"^//\s*(name|mode|params|engine|unscoped):\s*(.+?)\s*$")
_PARAMETER = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True)
class NamedQuery:
    """One query as it stands in its file."""

    name: str
    description: str
    mode: Mode
    parameters: frozenset[str]
    variant: Variant
    unscoped: str | None
    """Why a reading query is not filtered by `$spaces`; None where it is."""
    text: str
    file: str


class Queries:
    """All named queries, by name and variant."""

    def __init__(self, queries: Sequence[NamedQuery]) -> None:
        self._by_key: Mapping[tuple[str, Variant], NamedQuery] = {
            (query.name, query.variant): query for query in queries}
        if len(self._by_key) != len(queries):
            names = [f"{query.name} ({query.variant})" for query in queries]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise StoreFailed(f"Queries with one name twice: {twice}.")

    def all(self) -> list[NamedQuery]:
        """Every query, sorted by name and variant."""
        return [self._by_key[key] for key in sorted(self._by_key)]

    def pick(self, name: str, variants: Sequence[Variant]) -> NamedQuery:
        """The first variant of a query that an engine understands. Raises: NotFound."""
        for variant in variants:
            query = self._by_key.get((name, variant))
            if query is not None:
                return query
        raise NotFound(f"There is no query named {name!r}.", fix="See trace-graph queries list.")


@cache
def shipped_queries() -> Queries:
    """The queries of the package. Raises: StoreFailed when a file breaks the rules of its header."""
    folder = files("trace_graph.cypher")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith((".cypher", ".sql")))
    return Queries([query for name in names for query in parse(folder.joinpath(name).read_text("utf-8"), name)])


def parse(text: str, file: str) -> list[NamedQuery]:
    """Split one file into its queries. Raises: StoreFailed naming the query whose header is wrong."""
    blocks = re.split(r"(?m)^(?=//\s*name:)", text)
    return [_parse_block(block, file) for block in blocks if block.lstrip().startswith("//") and "name:" in block]


def _parse_block(block: str, file: str) -> NamedQuery:
    fields: dict[str, str] = {}
    sentences: list[str] = []
    body: list[str] = []
    for line in block.splitlines():
        match = _HEADER.match(line) if not body else None
        if match:
            fields[match[1]] = match[2]
        elif not body and line.startswith("//"):
            sentences.append(line.removeprefix("//").strip())
        elif line.strip() or body:
            body.append(line)
    name, mode, variant = fields["name"], fields.get("mode", ""), fields.get("engine", "any")
    text = "\n".join(body).strip()
    parameters = frozenset(part.strip() for part in fields.get("params", "").split(",") if part.strip())
    if mode not in get_args(Mode) or variant not in get_args(Variant) or not sentences or not text:
        raise StoreFailed(
            f"{file}: the header of {name!r} lacks a sentence, a mode or its text, or names no engine we know.")
    if parameters != set(_PARAMETER.findall(text)):
        raise StoreFailed(f"{file}: the params of {name!r} are not those of its text.")
    return NamedQuery(
        name, " ".join(sentences), cast(Mode, mode), parameters, cast(Variant, variant), fields.get("unscoped"), text,
        file)
