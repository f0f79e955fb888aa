"""Whether a model's choices are worth following: seen by how it does where the answer is known, and by what it makes.

Source of the figures: docs/decisions/0009-routing-with-a-model.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LEAST_CONTROLS = 8
"""Controls before which no choice is followed: of fewer, chance gets half right too often."""
LEAST_AGREEMENT = 0.5
"""Share of controls that a model must get right. One that is right in 80 % gets .67, one in 50 % .38."""
LEAST_PICKS = 20
"""Picks before which their mean place says nothing."""
FARTHEST = 0.43
"""Mean place of what was picked among what was offered by nearness: 0 the nearest, 1 the farthest; whoever picks
blindly has .5, a model that is right .22, one that is right in half of the grey zone .38."""
GIVEN_UP = 20
"""Controls after which a model that is not trusted is asked only once a batch, so that it can still prove itself."""
REMEMBERED = 60
"""Controls, and picks, that count at most; older ones fade, so that a model which becomes worse is noticed."""


@dataclass(frozen=True)
class Evidence:
    """How a model did so far."""

    controls: float = 0
    """Segments of which one half stood among the topics, and which other belongs to it is known."""
    agreed: float = 0
    """Of these: those that were put to their half."""
    picks: float = 0
    """Segments that were put to one of the leaves offered to them by nearness."""
    places: float = 0
    """The sum of the places of these leaves, see FARTHEST."""

    def plus(self, more: Evidence) -> Evidence:
        """With what one more call showed."""
        old, picked = _fade(self.controls, more.controls), _fade(self.picks, more.picks)
        return Evidence(
            self.controls * old + more.controls, self.agreed * old + more.agreed, self.picks * picked + more.picks,
            self.places * picked + more.places)

    @property
    def figures(self) -> dict[str, float]:
        """As a call keeps them."""
        return {"controls": self.controls, "agreed": self.agreed, "picks": self.picks, "places": self.places}

    @property
    def trusted(self) -> bool:
        """Whether choices are followed."""
        return self.controls >= LEAST_CONTROLS and self.doubt is None

    @property
    def given_up(self) -> bool:
        """Whether more than one call a batch would be wasted."""
        return self.controls >= GIVEN_UP and not self.trusted

    @property
    def doubt(self) -> str | None:
        """Why choices are not followed, in a sentence; None where they are."""
        if self.controls < LEAST_CONTROLS:
            return (f"The model was tried on {self.controls:.0f} segments whose place is known; its choices are "
                    f"followed from {LEAST_CONTROLS} on.")
        if self.agreed < LEAST_AGREEMENT * self.controls:
            return (f"The model was right about {self.agreed:.0f} of {self.controls:.0f} segments whose place is "
                    "known, which is too few: vectors decided.")
        if self.picks >= LEAST_PICKS and self.places > FARTHEST * self.picks:
            return "What the model put together is hardly more alike than by chance: vectors decided."
        return None


NO_EVIDENCE = Evidence()
"""Of a model that nothing is known of."""


def evidence_of(figures: Iterable[Mapping[str, float]]) -> Evidence:
    """The evidence of calls that are kept, the oldest first; what other purposes noted on theirs is passed over."""
    evidence = Evidence()
    for one in figures:
        evidence = evidence.plus(Evidence(*(one.get(name, 0.0) for name in ("controls", "agreed", "picks", "places"))))
    return evidence


def _fade(old: float, new: float) -> float:
    """What old evidence still counts, 0 to 1."""
    return 1.0 if old + new <= REMEMBERED or old == 0 else max(REMEMBERED - new, 0) / old
