"""JSON that is nearly JSON: repaired where that cannot change what it says.

The text is cut into tokens, each token is written as JSON, and the result is read strictly. So the brackets, texts,
numbers, colons and commas stay the same, in the same order. What may differ is how they are written: single quotes,
bare keys, comments, trailing commas, `True` and `None` (PC-016 of the public cases). A bracket that is missing is a
reply that was cut, and is refused. The time grows with the length alone; json-repair, which guesses, took nine seconds
for 12,000 hostile characters.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from trace_graph.llm.reading_json import Unclear, read_whole

LONGEST = 20_000
"""Characters that are repaired. Guess: twice the longest reply that is asked for."""

LITERALS = {"true": "true", "True": "true", "false": "false", "False": "false", "null": "null", "None": "null"}

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    |(?P<double>"(?:[^"\\]|\\.)*")
    |(?P<single>'(?:[^'\\]|\\.)*')
    |(?P<mark>[{}\[\]:,])
    |(?P<word>[^\s{}\[\]:,"']+)""",
    re.VERBOSE | re.DOTALL,
)


def repair(text: str) -> Any:
    """The value of the one object or list in a text that is nearly JSON.

    Raises: ValueError where there is none, or where its meaning is not certain.
    """
    start = re.search(r"[{\[]", text)
    end = max(text.rfind("}"), text.rfind("]"))
    if start is None or end < start.start() or end - start.start() > LONGEST:
        raise ValueError("there is no JSON object in it")
    region = text[start.start():end + 1]
    written = " ".join(_tokens(region))
    try:
        return read_whole(written)
    except Unclear:
        raise
    except ValueError as error:
        raise ValueError("it is no JSON, and could mean more than one thing") from error


def _tokens(text: str) -> list[str]:
    """Texts as JSON, the other tokens as they are; without white space, comments and trailing commas."""
    tokens: list[str] = []
    for kind, written in _raw_tokens(text):
        if kind == "mark" and written in "}]" and tokens and tokens[-1] == ",":
            tokens.pop()
        if kind == "mark" and written == ":" and tokens and re.fullmatch(r"[A-Za-z_]\w*", tokens[-1]):
            tokens[-1] = json.dumps(tokens[-1])  # a bare key
        tokens.append(written)
    return tokens


def _raw_tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError("a text in it has no end")
        kind, place = str(match.lastgroup), match.end()
        if kind != "space":
            yield kind, _as_json(kind, match[0])


def _as_json(kind: str, written: str) -> str:
    if kind in ("double", "single"):
        return json.dumps(_text_of(kind, written), ensure_ascii=False)
    if kind == "word":
        if written.lower().lstrip("+-") in ("nan", "infinity", "inf"):
            raise Unclear(f"{written[:9]} is not a JSON number")
        return LITERALS.get(written, written)
    return written


def _text_of(kind: str, written: str) -> str:
    try:
        if kind == "double":
            return str(json.loads(written, strict=False))
        return str(ast.literal_eval(written.replace("\n", "\\n").replace("\r", "\\r")))
    except (ValueError, SyntaxError) as error:
        raise ValueError("a text in it has a wrong escape") from error
