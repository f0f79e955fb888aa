"""What may not leave a model's reply: control markers within its texts, and characters no database keeps."""

from __future__ import annotations

import re
from typing import Any, Final

_MARKER = re.compile(r"<[|｜][^<>|｜\s]{1,40}[|｜]>.*", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class _Refused:
    """Stands for a value of which nothing is left."""


REFUSED: Final = _Refused()


def clean(value: Any) -> Any:
    """A JSON value without control markers: a marker and what follows it are cut from texts and keys.

    An object with a text or key of which nothing is left is refused: it becomes None where it stands in a list, and
    takes the object around it along where it does not. Control characters are left out, halves of surrogate pairs
    become U+FFFD. Returns REFUSED where that reaches the outermost value. Source: PC-017 of the public cases.
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        cleaned = [clean(one) for one in value]
        return [None if one is REFUSED else one for one in cleaned]
    if isinstance(value, dict):
        fields = {_text(key): clean(one) for key, one in value.items()}
        if len(fields) < len(value) or REFUSED in fields or any(one is REFUSED for one in fields.values()):
            return REFUSED
        return fields
    return value


def _text(text: str) -> str | _Refused:
    cut = _MARKER.sub("", text)
    if cut is not text and cut != text and not cut.strip():
        return REFUSED
    cut = cut.rstrip() if cut != text else cut
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", cut))
