"""What is accepted: rules for texts, names, ids and content, checked before anything is written."""

from __future__ import annotations

import json
import math
import re
import unicodedata

from trace_graph.errors import InvalidInput
from trace_graph.text.characters import IGNORABLE, is_blank
from trace_graph.text.content import content_text, unsupported_parts

__all__ = [
    "author_name", "check_content", "check_text", "content_text", "external_id", "session_name", "space_name",
    "unsupported_parts",
]

LONGEST_TEXT = 4 * 1024 * 1024
"""Bytes of a message's text in UTF-8 (guess: a book fits)."""

LONGEST_SPACE_NAME, LONGEST_SPACE_NAME_BYTES = 128, 240
"""Characters, and bytes in UTF-8: file systems allow 255 bytes, and an export puts an ending behind the name."""

LONGEST_LABEL = 256
"""Characters of a session's or an author's name (guess)."""

LONGEST_EXTERNAL_ID = 512
"""Bytes in UTF-8: it is a key, and an index of either engine takes 8,000 bytes for all parts of one."""

LARGEST_CONTENT, DEEPEST_CONTENT = 1024 * 1024, 32
"""Bytes of a content's JSON in UTF-8, and lists or objects within each other (guess)."""

LONGEST_QUESTION = 100_000
"""Characters of a question (guess: a long document put as one)."""

SPACE_NAME_RULE = (
    "A space's name is text of 1 to 128 characters (at most 240 bytes in UTF-8): letters, digits, emoji, single spaces "
    "inside, and punctuation other than / \\ : * ? \" < > | %. It does not begin with '-', end with '.', hold control "
    "or invisible characters, or begin or end with a space. It is normalised (NFKC) first."
)
"""One rule for the command line, a REST path and a file name, so that what is accepted works everywhere."""

_REFUSED_IN_SPACE_NAMES = frozenset('/\\:*?"<>|%')
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_IGNORABLE = re.compile(f"[{IGNORABLE}]")
_SHAPING = "\u200c\u200d\ufe0e\ufe0f"
_IGNORABLE_IN_LABELS = re.compile(f"(?![{_SHAPING}])[{IGNORABLE}]")
_LARGEST_NUMBER_BITS = 1024
_Container = dict[object, object] | list[object] | tuple[object, ...]


def check_text(text: str) -> str:
    """A message's text, returned unchanged, byte for byte, when it can be kept.

    Raises:
        InvalidInput: it holds NUL or a lone surrogate, is over 4 MiB in UTF-8, or nothing in it can be seen.
    """
    checked = _string(text, "A message's text")
    if len(_encoded(checked, "A message's text")) > LONGEST_TEXT:
        raise InvalidInput(
            "A message's text is longer than 4 MiB in UTF-8.", fix="Split it into several messages of one session."
        )
    if is_blank(checked):
        raise InvalidInput(
            "A message's text is blank: without white space and invisible characters nothing is left of it.",
            fix="Leave the message out, or give it text.",
        )
    return checked


def check_question(question: object) -> str:
    """A question, returned unchanged.

    Raises:
        InvalidInput: it holds NUL or a lone surrogate, which no database could keep, or over 100,000 characters.
    """
    checked = _string(question, "A question")
    if len(checked) > LONGEST_QUESTION:
        raise InvalidInput(
            f"The question has {len(checked):,} characters; at most {LONGEST_QUESTION:,} are taken.",
            fix="Ask with the sentence that matters.")
    _encoded(checked, "The question")
    return checked


def space_name(name: object) -> str:
    """A space's name in the one form it is stored and compared in (NFKC), when `SPACE_NAME_RULE` allows it.

    Names are compared as written: `Crew` and `crew` are two spaces.
    """
    if not isinstance(name, str):
        raise InvalidInput(f"A space's name is text, not {type(name).__name__}.", fix=SPACE_NAME_RULE)
    _encoded(name, "A space's name")
    normal = unicodedata.normalize("NFKC", name)
    fault = _space_name_fault(normal)
    if fault:
        raise InvalidInput(f"The space's name {fault}.", fix=SPACE_NAME_RULE)
    return normal


def session_name(name: object) -> str:
    """A session's name as it is stored: NFC, white space made single spaces and trimmed, invisible characters removed.

    Raises:
        InvalidInput: it is not text, has no or over 256 characters then, or holds a control character.
    """
    return _label(name, "A session's name")


def author_name(name: object) -> str:
    """An author's name as it is stored, by the rule of `session_name`, so `Mira`, `Mira ` and `Mira\\u200b` are one.

    Raises:
        InvalidInput: it is not text, has no or over 256 characters then, or holds a control character.
    """
    return _label(name, "An author's name")


def external_id(value: object) -> str:
    """The source's own id, exactly as given, when it can be a key.

    Raises:
        InvalidInput: it is not text, blank, over 512 bytes in UTF-8, or holds a control character.
    """
    text = _string(value, "An external id")
    size = len(_encoded(text, "An external id"))
    if is_blank(text):
        raise InvalidInput("An external id is blank.", fix="Leave it out, or give the source's own id.")
    if size > LONGEST_EXTERNAL_ID:
        raise InvalidInput(
            f"An external id has {size} bytes in UTF-8; the most is {LONGEST_EXTERNAL_ID}.",
            fix="Use the source's short id, or a hash of the long one.",
        )
    _refuse_control(text, "An external id")
    return text


def check_content(content: object) -> str | None:
    """A message's content as compact JSON text, keys in the order received; None stays None.

    Raises:
        InvalidInput: it is not JSON (NaN, keys that are not text, sets, objects), nested deeper than 32, larger than
            1 MiB, or has NUL or a lone surrogate in a text.
    """
    if content is None:
        return None
    _check_json(content)
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    _check_content_size(len(text.encode()))
    return text


def _space_name_fault(name: str) -> str:
    """What is wrong with a normalised name; empty when nothing is."""
    if is_blank(name):
        return "is blank"
    size = len(name.encode())
    if len(name) > LONGEST_SPACE_NAME or size > LONGEST_SPACE_NAME_BYTES:
        return (f"has {len(name)} characters ({size} bytes in UTF-8); the most is {LONGEST_SPACE_NAME} "
                f"({LONGEST_SPACE_NAME_BYTES})")
    if name != name.strip() or "  " in name:
        return "has white space at an end, or two spaces in a row"
    if name[0] == "-" or name[-1] == ".":
        return "begins with '-' or ends with '.'"
    for position, character in enumerate(name):
        if not _allowed_in_space_name(name, position):
            return f"holds U+{ord(character):04X} at position {position}"
    return ""


def _allowed_in_space_name(name: str, position: int) -> bool:
    character = name[position]
    category = unicodedata.category(character)
    if character == " ":
        return True
    if character in _REFUSED_IN_SPACE_NAMES or category in ("Cc", "Cs", "Co", "Zs", "Zl", "Zp"):
        return False
    if _IGNORABLE.match(character):
        return character in "\u200d\ufe0f" and _follows_emoji(name, position)
    if category == "Cn":  # a newer Unicode's emoji is unknown to an older Python; what can never be assigned is refused
        return not (0xFDD0 <= ord(character) <= 0xFDEF or ord(character) & 0xFFFE == 0xFFFE)
    return category != "Cf" and not (position == 0 and category[0] == "M")


def _follows_emoji(name: str, position: int) -> bool:
    before = name[position - 1] if position else ""
    return before == "\ufe0f" or (before != "" and unicodedata.category(before) in ("So", "Sk", "Cn"))


def _label(name: object, what: str) -> str:
    text = _string(name, what)
    _encoded(text, what)
    text = " ".join(_IGNORABLE_IN_LABELS.sub("", text).split())
    text = unicodedata.normalize("NFC", text).strip(f" {_SHAPING[:2]}")
    if is_blank(text):
        raise InvalidInput(f"{what} is blank.", fix="Leave it out to use the default, or give a name.")
    if len(text) > LONGEST_LABEL:
        raise InvalidInput(f"{what} has {len(text)} characters; the most is {LONGEST_LABEL}.", fix="Shorten it.")
    _refuse_control(text, what)
    return text


def _refuse_control(text: str, what: str) -> None:
    found = _CONTROL.search(text)
    if found:
        raise InvalidInput(
            f"{what} holds the control character U+{ord(found.group()):04X} at position {found.start()}.",
            fix="Remove it and send the value again.",
        )


def _string(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what} is text, not {type(value).__name__}.", fix="Pass a string.")
    return value


def _encoded(text: str, what: str) -> bytes:
    """The text in UTF-8; refused where that is impossible, or where a database would cut or refuse it."""
    if "\x00" in text:
        raise InvalidInput(
            f"{what} holds a NUL character (U+0000) at position {text.index(chr(0))}.", fix="Remove it and send again."
        )
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} holds half a character (the lone surrogate U+{ord(text[error.start]):04X}) "
            f"at position {error.start}.",
            fix="It was cut or decoded wrongly before it came here: send valid Unicode.",
        ) from error


def _check_json(content: object) -> None:
    """Refuses what is not JSON, with a stack of its own: neither deep nor shared nor endless values harm it."""
    waiting: list[tuple[_Container, int]] = [([content], 0)]
    size = 0
    while waiting:
        container, depth = waiting.pop()
        size += max(2 * len(container) - 1, 0)  # a byte each, and the commas between
        _check_content_size(size)
        if isinstance(container, dict):
            size += sum(len(_key(key)) for key in container)
        for value in container.values() if isinstance(container, dict) else container:
            if isinstance(value, str):
                size += len(_encoded(value, "A text in a message's content"))
            elif isinstance(value, dict | list | tuple):
                if value and depth == DEEPEST_CONTENT:
                    raise InvalidInput(
                        f"A message's content is nested deeper than {DEEPEST_CONTENT}.",
                        fix="Flatten it, or keep its text.",
                    )
                waiting.append((value, depth + 1))
            else:
                _check_number(value)


def _key(key: object) -> str:
    text = _string(key, "A key of a message's content")
    _encoded(text, "A key of a message's content")
    return text


def _check_number(value: object) -> None:
    fix = "Pass what json.loads gives: text, numbers, true, false, null, lists, and objects with text keys."
    if value is not None and not isinstance(value, int | float):
        raise InvalidInput(f"A message's content holds a {type(value).__name__}, which JSON has not.", fix=fix)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput("A message's content holds NaN or Infinity, which JSON has not.", fix=fix)
    if isinstance(value, int) and value.bit_length() > _LARGEST_NUMBER_BITS:
        raise InvalidInput("A message's content holds a number of over 300 digits.", fix="Pass it as text.")


def _check_content_size(size: int) -> None:
    if size > LARGEST_CONTENT:
        raise InvalidInput(
            "A message's content is larger than 1 MiB as JSON.",
            fix="Keep images and files elsewhere, and their addresses or names here.",
        )
