"""What a model proved able to do: a reply by JSON schema, in JSON mode, or by the prompt alone.

Asked for from the top of the ladder down, remembered for each model at each host. The memory is a value: it is loaded
from JSON and saved as JSON by whoever keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, get_args

from trace_graph.models.calls import Form

LADDER: tuple[Form, ...] = get_args(Form)
"""From the top down."""

PATIENCE = 3
"""Replies in a row that break the form that was asked for, after which the next one is used. Guess."""

FIRST = "It was the first form to be tried."


@dataclass(frozen=True)
class Proved:
    """What one model at one host proved."""

    model: str
    host: str
    form: Form
    """The highest one that works."""
    at: datetime
    """When that was found out, UTC."""
    why: str
    """In a sentence, without text of the memory."""
    unenforced: int = 0
    """Replies that broke the schema that was asked for, or were no JSON in JSON mode: "schema not enforced"."""
    unenforced_in_a_row: int = 0


def _proved(entry: Mapping[str, Any]) -> Proved | None:
    try:
        found = Proved(**{**entry, "at": datetime.fromisoformat(entry["at"])})
    except (LookupError, TypeError, ValueError):
        return None
    return found if found.form in LADDER else None


def below(form: Form) -> Form | None:
    """The next rung down."""
    place = LADDER.index(form) + 1
    return LADDER[place] if place < len(LADDER) else None


class Forms:
    """What all models proved so far."""

    def __init__(self, known: Iterable[Proved] = (), on_change: Callable[[Forms], None] | None = None) -> None:
        """`on_change` is called after each change, within the call that brought it about: it must be quick."""
        self._known = {(one.model, one.host): one for one in known}
        self._on_change = on_change
        self.changes = 0
        """Counts the changes since it was made, for whoever saves it from time to time."""

    @classmethod
    def from_json(
        cls, entries: Iterable[Mapping[str, Any]], on_change: Callable[[Forms], None] | None = None
    ) -> Forms:
        """The inverse of `as_json`; what another version wrote and cannot be read here is left out, and found anew."""
        return cls((one for entry in entries if (one := _proved(entry)) is not None), on_change)

    def as_json(self) -> list[dict[str, Any]]:
        """JSON-able, sorted by model and host."""
        return [{**asdict(one), "at": one.at.isoformat()} for one in self.all()]

    def all(self) -> list[Proved]:
        """Sorted by model and host."""
        return [self._known[key] for key in sorted(self._known)]

    def of(self, model: str, host: str) -> Proved | None:
        """What this model proved; None where it was not asked yet."""
        return self._known.get((model, host))

    def first(self, model: str, host: str) -> Form:
        """The form to begin with."""
        known = self.of(model, host)
        return known.form if known else LADDER[0]

    def worked(self, model: str, host: str, form: Form, at: datetime, why: str) -> None:
        """A reply in this form could be used. It changes something where the form is not the one known."""
        known = self.of(model, host)
        if known is None or known.form != form:
            self._keep(replace(known, form=form, at=at, why=why, unenforced_in_a_row=0) if known
                       else Proved(model, host, form, at, why))

    def enforced(self, model: str, host: str) -> None:
        """The form that was asked for held."""
        known = self.of(model, host)
        if known is not None and known.unenforced_in_a_row:
            self._keep(replace(known, unenforced_in_a_row=0))

    def not_enforced(self, model: str, host: str, form: Form, at: datetime) -> None:
        """A reply broke the schema that was asked for, or was no JSON in JSON mode; after `PATIENCE` in a row the next
        rung is the form."""
        known = self.of(model, host) or Proved(model, host, form, at, FIRST)
        known = replace(known, unenforced=known.unenforced + 1, unenforced_in_a_row=known.unenforced_in_a_row + 1)
        lower = below(form)
        if known.form == form and lower is not None and known.unenforced_in_a_row >= PATIENCE:
            known = replace(known, form=lower, at=at, unenforced_in_a_row=0,
                            why=f"The endpoint takes the form {form}, and {PATIENCE} replies in a row broke it.")
        self._keep(known)

    def _keep(self, proved: Proved) -> None:
        self._known[proved.model, proved.host] = proved
        self.changes += 1
        if self._on_change is not None:
            self._on_change(self)
