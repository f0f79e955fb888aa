"""Which spaces a caller may read and write. Denied by default.

So far there is one kind of caller: whoever holds the database's password acts as its administrator. Grants come later;
every reading query takes the `$spaces` of a scope already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trace_graph.errors import NotFound
from trace_graph.models import SpaceId


@dataclass(frozen=True)
class Space:
    """A space as the reading and writing pipelines need it."""

    id: SpaceId
    name: str
    key: str
    """Stands in front of its terms, so that a keyword query cannot touch another space's."""
    time_zone: str
    root: str
    """Id of the root topic."""
    messages: int
    passages: int
    authors: tuple[str, ...]
    change_seq: int
    """Of the last change that is read."""


@dataclass(frozen=True)
class Scope:
    """The spaces that one operation reads; none where all are meant and there is none yet."""

    spaces: tuple[Space, ...]
    is_past: bool = False
    """The spaces are read as they stood at their `change_seq`, and have changed since."""
    later_messages: int = 0
    """Of these spaces, stored after that."""
    later_passages: int = 0

    @property
    def bounds(self) -> dict[str, int]:
        """The `$bounds` of queries: by space, the last change that is read."""
        return {space.id: space.change_seq for space in self.spaces}

    @property
    def ids(self) -> list[str]:
        """The `$spaces` of queries."""
        return [space.id for space in self.spaces]


def open_scope(wanted: Sequence[str], found: Iterable[Space]) -> Scope:
    """The scope of these spaces by name.

    Raises: NotFound when one of them does not exist, or must not be seen: the two look the same.
    """
    by_name = {space.name: space for space in found}
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise NotFound(f"There is no space named {missing[0]!r}.", fix="trace-graph spaces lists those there are.")
    return Scope(tuple(by_name[name] for name in wanted))
