"""How arguments and standard input become values."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from trace_graph.errors import InvalidInput, UsageError

LARGEST_STDIN = 16 * 1024 * 1024
"""Bytes: more than the longest text a message may have (4 MiB in UTF-8) takes in any encoding read here."""

_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def text_argument(text: str) -> str:
    """The text of an argument; `-` is read from standard input.

    Raises: InvalidInput where it cannot be decoded, naming the byte.
    """
    if text == "-":
        return decoded(sys.stdin.buffer.read(LARGEST_STDIN + 1))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # Python hands an undecodable byte of an argument over as a lone surrogate.
        raise InvalidInput(
            f"The text is not UTF-8: character {error.start} of it cannot be decoded.",
            fix="Convert it first, or use a UTF-8 locale; nothing was stored.") from error
    return text


def decoded(raw: bytes) -> str:
    """Standard input as text: UTF-16 where it begins with its mark, else UTF-8; a mark is no part of the text.

    Raises: InvalidInput naming the first byte that cannot be decoded.
    """
    if len(raw) > LARGEST_STDIN:
        raise InvalidInput(
            f"Standard input holds more than {LARGEST_STDIN} bytes.",
            fix="A message has at most 4 MiB of text; for a file of messages use trace-graph import.")
    mark, encoding, name = next(
        (known for known in _ENCODINGS if raw.startswith(known[0])), (b"", "utf-8", "UTF-8"))
    try:
        return raw[len(mark):].decode(encoding)
    except UnicodeDecodeError as error:
        position = len(mark) + error.start
        raise InvalidInput(
            f"Byte {position} (0x{raw[position]:02x}) of standard input is not {name}.",
            fix="Convert it first: iconv -f ITS-ENCODING -t UTF-8; nothing was stored.") from error


def query_parameters(given: Sequence[str] | None) -> dict[str, Any]:
    """`--param name=value`, each: the value is JSON where it is JSON, and text otherwise.

    Raises: UsageError for one without a name, or with a name that was given before.
    """
    parameters: dict[str, Any] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(
                f"--param {one.partition('=')[0][:40]!r} is not NAME=VALUE.",
                fix="Write --param name=value, the name as in the query but without its $.")
        if name in parameters:
            raise UsageError(f"--param {name} is given twice.", fix="Give each parameter once; a list as '[1, 2]'.")
        parameters[name] = _value(value)
    return parameters


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return text


def _no_json(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
