"""Which conversations of a file are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from trace_graph.errors import NotFound


def check_samples(samples: Sequence[str] | None, there: Sequence[str]) -> frozenset[str]:
    """The names to read, of those that are there, in the file's order; all where none is asked for.

    Raises: NotFound naming the first that is not there, and a few that are.
    """
    known = frozenset(there)
    for sample in samples or ():
        if sample not in known:
            few, more = ", ".join(there[:5]), len(there) - 5
            raise NotFound(
                f"The file has no sample {sample[:80]!r}.",
                fix=f"It has {few}{f' and {more} more' if more > 0 else ''}." if there else "It has none at all.",
            )
    return frozenset(samples) if samples else known
