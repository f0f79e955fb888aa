"""What a replay gives that the recall did not, and why. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trace_graph.models import ReplayChange, ReplayDifference
from trace_graph.retrieve.tracing import KeptRecall, Parameters, Trace, TracedCandidate

TOLERANCE = 2e-6
"""Of scores: they are kept with six decimals, and ArcadeDB's cosines move by some 1e-7 once its JVM has compiled them
(measured)."""

ERASED = "The message was erased, or may not be read any more."
UNLIKE_OTHERS = "{count} of the messages that it was weighed against were erased, or may not be read any more."
INDEX = (
    "The database's index may bring other candidates: its figures change with what is stored, and more were scored "
    "then than are kept.")
EMBEDDER = "The vectors are of another embedder."
VERSION = "Another version of trace-graph ranks in another way."
SETTING = "Settings of then are not known to this version."
COUNTER = "The tokens are counted in another way."
MOVED = "It was filed elsewhere while the recall was answered."
UNKNOWN = "The ranking gives something else, with the same candidates, settings, embedder and version."


@dataclass(frozen=True)
class Evidence:
    """What is known about what has changed since."""

    changes: Sequence[ReplayChange]
    readable: Collection[str]
    """Of the messages that were scored then or now, those that may be read now."""


def changes_since(then: Parameters, now: Parameters) -> list[ReplayChange]:
    """What is not any more as it was around a recall: settings, embedder, version."""
    found: list[ReplayChange] = []
    for name in sorted(then.settings.keys() | now.settings.keys()):
        values = then.settings.get(name), now.settings.get(name)
        if values[0] != values[1]:
            # A setting that one of the two versions has not cannot be given to the replay.
            known = name in then.settings and name in now.settings
            found.append(ReplayChange(
                kind="setting", name=f"recall.{name}", then=values[0], now=values[1], replayed=known))
    if then.embedder is not None and now.embedder is not None and then.embedder[1:] != now.embedder[1:]:
        found.append(ReplayChange(
            kind="embedder", name="embedder", then=then.embedder.name, now=now.embedder.name, replayed=False))
    if then.version != now.version:
        found.append(ReplayChange(
            kind="version", name="trace-graph", then=then.version, now=now.version, replayed=False))
    return found


def differences(then: KeptRecall, now: Trace, evidence: Evidence) -> list[ReplayDifference]:
    """What the replay shows in another way than the recall did; by rank, the recall's before the replay's own."""
    return _Comparison(then, now, evidence).differences()


@dataclass(frozen=True)
class _Comparison:
    then: KeptRecall
    now: Trace
    evidence: Evidence

    def differences(self) -> list[ReplayDifference]:
        shown = self._shown_now()
        found: list[ReplayDifference] = []
        for one in self.then.shown:
            other = shown.pop(one.id, None)
            if other is None:
                found.append(self._difference("missing", one.id, one.rank, None, self._why(one.id)))
            else:
                found += self._between(one, other)
        for one in sorted(shown.values(), key=lambda one: one.rank or 0):
            found.append(self._difference("added", one.id, None, one.rank, self._why(one.id)))
        return found

    def _between(self, then: TracedCandidate, now: TracedCandidate) -> Iterable[ReplayDifference]:
        if then.rank != now.rank:
            yield self._difference("rank", then.id, then.rank, now.rank, self._why(then.id))
        if abs(then.score - now.score) > TOLERANCE:
            yield self._difference("score", then.id, then.score, now.score, self._why(then.id))
        if then.part != now.part:
            yield self._difference("part", then.id, then.part, now.part, self._why(then.id))
        elif then.tokens != now.tokens:
            yield self._difference("tokens", then.id, then.tokens, now.tokens, COUNTER)
        if then.topic != now.topic:
            yield self._difference("topic", then.id, then.topic, now.topic, MOVED)

    def _why(self, id: str) -> str:
        """The cause that explains most, of those for which something speaks."""
        if id not in self.evidence.readable:
            return ERASED
        unused = {change.kind for change in self.evidence.changes if not change.replayed}
        for kind, reason in (("embedder", EMBEDDER), ("version", VERSION), ("setting", SETTING)):
            if kind in unused:
                return reason
        scored = self.then.trace.scored or {one.id for one in self.then.trace.candidates}
        gone = scored.difference(self.evidence.readable)
        if gone:
            return UNLIKE_OTHERS.format(count=len(gone))
        if self._counted_otherwise():
            return COUNTER
        return INDEX if self.then.trace.scored is None else UNKNOWN

    def _counted_otherwise(self) -> bool:
        shown = self._shown_now()
        return any(
            shown[one.id].part == one.part and shown[one.id].tokens != one.tokens
            for one in self.then.shown if one.id in shown)

    def _shown_now(self) -> dict[str, TracedCandidate]:
        return {one.id: one for one in self.now.candidates if one.rank is not None}

    @staticmethod
    def _difference(kind: Any, id: str, then: Any, now: Any, why: str) -> ReplayDifference:
        return ReplayDifference(kind=kind, id=id, then=then, now=now, why=why)
