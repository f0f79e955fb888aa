"""What a check finds, before it becomes a problem that is shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trace_graph.maintain.doctor_checks import Check
from trace_graph.models import Problem

MOST_IDS = 20
"""Ids of offenders that a problem names; all are counted. The same number stands in the queries."""


@dataclass(frozen=True)
class Finding:
    """One invariant that does not hold."""

    check: Check
    space: str | None
    """Id of the space; None where the fault is the database's."""
    count: int
    ids: tuple[str, ...]
    """The first offenders, at most MOST_IDS."""
    says: str = ""
    """What is wrong, where that takes more than the check's own sentence."""

    @classmethod
    def of(cls, check: Check, space: str | None, ids: Iterable[str]) -> list[Finding]:
        """The finding of these offenders, as a list; an empty one where there is none."""
        offenders = sorted(set(ids))
        return [cls(check, space, len(offenders), tuple(offenders[:MOST_IDS]))] if offenders else []


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding a check and space: a query may answer in parts, each of other offenders."""
    together: dict[tuple[Check, str | None], Finding] = {}
    for part in findings:
        key = (part.check, part.space)
        before = together.get(key, Finding(part.check, part.space, 0, ()))
        ids = tuple(sorted({*before.ids, *part.ids})[:MOST_IDS])
        together[key] = Finding(part.check, part.space, before.count + part.count, ids)
    return [together[key] for key in sorted(together, key=lambda key: key[1] or "")]


def problem(finding: Finding, names: Mapping[str, str]) -> Problem:
    """The finding as it is shown; `names` are those of spaces by id."""
    return Problem(
        invariant=finding.check.invariant, space=None if finding.space is None else names[finding.space],
        ids=list(finding.ids), count=finding.count, says=finding.says or finding.check.says, mends=finding.check.mends)
