"""Which of the labels that were offered does a model's choice mean?

A model sees short local labels (`T1`, `S3`, `NEW`), never ids, and answers in its own way. What is not clearly one of
the labels is refused; nothing is guessed, and no place in a list is ever counted from its end.

Source: PC-032, PC-034, PC-035 of the public cases. Fields of replies that hold a choice have the type
`reply_types.Label`, lists of items the type `reply_types.Items`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

AROUND = " \t\r\n\"'`*.,;()[]{}<>"
"""What models put around a label."""

_NUMBER = re.compile(r"([0-9]{1,9})(?:\.0+)?")
_LABEL_NUMBER = re.compile(r"[a-z]*([0-9]{1,9})")
_NONE = re.compile(r"(?:none|no|nothing|null|n/a|nil|neither)(?: .*)?", re.DOTALL)


@dataclass(frozen=True)
class Resolved:
    """What a list of choices means."""

    labels: tuple[str, ...]
    """Each once, in the order in which they were named first."""
    dropped: int
    """Choices that are none of the labels; repetitions do not count."""


def resolve(choice: object, offered: Mapping[str, str | None]) -> str | None:
    """The label that is meant, or None where that is not clear. `offered` maps each label to its title, if it has one.

    The rules, first come first served:

    - a list of exactly one item counts as that item; other lists, true, false, null and objects are refused
    - a whole number from 1 on (2, 2.0, "2", "2.0") is the one label with that number ("T2"), and none where two have it
    - text is a label whatever its case and with marks around it ("t2", "[T2]")
    - text is a title that stands for exactly one label ("Sailing"), whatever its case and spacing
    - text with a colon is the label that its two sides agree on ("T2: Sailing", "2: Sailing"), or the one that a side
      alone names in full, by its label or title ("Topic: T2", "Topic: Sailing"); a number alone is none ("Chapter: 3")
    """
    if isinstance(choice, list | tuple):
        return resolve(choice[0], offered) if len(choice) == 1 and not isinstance(choice[0], list | tuple) else None
    if isinstance(choice, bool):
        return None
    if isinstance(choice, int | float):
        return _numbered(int(choice), offered) if 1 <= choice <= 999_999_999 and choice == int(choice) else None
    return _worded(choice, offered) if isinstance(choice, str) else None


def resolve_all(choices: object, offered: Mapping[str, str | None], *, most: int | None = None) -> Resolved:
    """The labels that a list of choices means; one choice without a list counts as a list of one, null as an empty one.

    `most` is how many are taken, the first ones; the others do not count as dropped.
    """
    if choices is None:
        return Resolved((), 0)
    found = [resolve(one, offered) for one in (choices if isinstance(choices, list | tuple) else [choices])]
    labels = tuple(dict.fromkeys(label for label in found if label is not None))
    return Resolved(labels[:most], found.count(None))


def says_none(choice: object) -> bool:
    """Whether the model says that none of the labels fits: null, an empty text or list, "none of these"."""
    if choice is None or (isinstance(choice, list | tuple) and all(says_none(one) for one in choice)):
        return True
    return isinstance(choice, str) and (not _plain(choice) or _NONE.fullmatch(_plain(choice)) is not None)


def _plain(text: str) -> str:
    """Without case, marks around it and runs of white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().strip(AROUND).split())


def _numbered(number: int, offered: Mapping[str, str | None]) -> str | None:
    having = [label for label in offered
              if (match := _LABEL_NUMBER.fullmatch(label.casefold())) and int(match[1]) == number]
    return having[0] if len(having) == 1 else None


def _worded(text: str, offered: Mapping[str, str | None]) -> str | None:
    whole = _label_or_title(_plain(text), offered)
    if whole is not None or ":" not in text:
        return whole
    before, _, after = text.partition(":")
    sides = _plain(before), _plain(after)
    meant = [_label_or_title(side, offered) for side in sides]
    if meant[0] == meant[1]:
        return meant[0]
    named = [label for label, side in zip(meant, sides, strict=True) if label is not None]
    numbers = any(_NUMBER.fullmatch(side) for side in sides)
    return named[0] if len(named) == 1 and not numbers else None


def _label_or_title(plain: str, offered: Mapping[str, str | None]) -> str | None:
    for label in offered:
        if label.casefold() == plain:
            return label
    if match := _NUMBER.fullmatch(plain):
        return _numbered(int(match[1]), offered) if int(match[1]) >= 1 else None
    titled = [label for label, title in offered.items() if title is not None and plain and _plain(title) == plain]
    return titled[0] if len(titled) == 1 else None
