"""One ranking of two: the flat floor's, and that of the branches which a model walked. Pure.

Source of the share, of its shrinking and of the reach: docs/decisions/0011-guided-recall-and-answers.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from trace_graph.config import RecallSettings
from trace_graph.retrieve.packing import expected_tokens
from trace_graph.retrieve.ranking import Scored

BEST_OF_BRANCH = 3
"""Messages whose mean score is a branch's. Source: retrieval recipe, section 5, as for the topics of an answer."""


def bottom_up(scores: Sequence[float]) -> float:
    """The score of a branch from the messages in it: the mean of the three best; one that is missing counts 0."""
    return sum(sorted(scores, reverse=True)[:BEST_OF_BRANCH]) / BEST_OF_BRANCH


def walked_share(walked: float, best: float, settings: RecallSettings) -> float:
    """The share of the budget that walked branches may get.

    It is the setting's where they score as high as the best topic of the flat search, and falls in proportion with
    their score. Both scores are bottom-up.
    """
    return settings.walked_share * min(1.0, max(0.0, walked / best)) if best > 0 else 0.0


def blend(floor: Sequence[Scored], walked: Sequence[Scored], share: float, reach: float) -> list[Scored]:
    """All of both rankings in one: of every head of it, at most `share` of the tokens are the walk's.

    The floor's part is the head of the floor's own ranking, whatever the walk brings; the walk's part is what it has
    beyond that. So a message that both have counts for the floor. A message of the walk comes before one of the floor
    that scores more by at most `reach` times the floor's best score: a branch that holds nothing like the question
    takes no place.
    """
    gain = reach * max(0.0, floor[0].score) if floor else 0.0
    part = _WalkedPart(deque(walked if share > 0 else ()), share, gain)
    order: list[Scored] = []
    for one in floor:
        order += part.before(one)
        if part.counts_for_floor(one):
            order.append(one)
    return [*order, *part.rest()]


@dataclass
class _WalkedPart:
    """What the walk brings, beside a floor that is gone through from its head."""

    ahead: deque[Scored]
    share: float
    gain: float
    seen: set[str] = field(default_factory=set)
    brought: dict[str, int] = field(default_factory=dict)
    """Tokens of what only the walk has brought so far."""
    of_walk: int = 0
    of_floor: int = 0

    def before(self, one: Scored) -> Iterator[Scored]:
        """The walk's messages that come before this one of the floor."""
        while self.ahead:
            first = self.ahead[0]
            tokens = expected_tokens(first)
            if first.candidate.id not in self.seen:
                is_near = first.score + self.gain >= one.score
                if not is_near or self.of_walk + tokens > self.share * (self.of_floor + self.of_walk + tokens):
                    return
                self.seen.add(first.candidate.id)
                self.brought[first.candidate.id] = tokens
                self.of_walk += tokens
                yield first
            self.ahead.popleft()

    def counts_for_floor(self, one: Scored) -> bool:
        """Take one of the floor; whether it was not there yet."""
        self.of_floor += expected_tokens(one)
        self.of_walk -= self.brought.pop(one.candidate.id, 0)
        is_new = one.candidate.id not in self.seen
        self.seen.add(one.candidate.id)
        return is_new

    def rest(self) -> Iterator[Scored]:
        """What is left when the floor has ended."""
        return (one for one in self.ahead if one.candidate.id not in self.seen)


def recovered(shown: Collection[str], walked: Collection[str]) -> list[str]:
    """Of what is shown, in its order, what lies outside the walked branches: the floor found it, not the walk."""
    return [id for id in shown if id not in walked]
