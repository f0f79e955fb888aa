"""What models leak around a reply: harmony channels, think tags, Markdown fences, prose.

Only text outside the JSON is looked at: backticks and markers within its texts stay (PC-002, PC-005, PC-010 of the
public cases). Markers that leaked into the texts themselves are the business of `cleaning`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from trace_graph.llm.reading_json import Found, Unclear, find_all

_CHANNEL = re.compile(r"<\|channel\|>\s*+(\w++)[^<]*+(?:<\|constrain\|>[^<]*+)?<\|message\|>")
_HARMONY = re.compile(r"<\|(?:channel|message|start)\|>")
_BARE = re.compile(r"assistant\s?final(?=\s*[{\[`])")
"""The same where the server left out the markers and kept the words between them."""
_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_NAMES = "think|thinking|thought|reasoning"
_OPENED = re.compile(rf"<(?:{_NAMES})>|\[THINK\]", re.IGNORECASE)
_CLOSED = re.compile(rf"</(?:{_NAMES})>|\[/THINK\]", re.IGNORECASE)
_FENCE = re.compile(r"```[^\n`{\[]*+\r?\n?(.*)```", re.DOTALL)
# Possessive (*+), so that the time of both grows with the length, not with its square.


class NoReply(ValueError):
    """There is thinking in the text, and nothing after it that was meant as the reply."""


def strip(text: str) -> str:
    """The part of a text that was meant as the reply.

    Raises: NoReply where a model only thought aloud.
    """
    return _without_thoughts(_final_channel(text))


def inside_fence(text: str) -> str:
    """The text between the first Markdown fence and the last one; all of it where there are none."""
    match = _FENCE.search(text)
    return match[1] if match else text


def _final_channel(text: str) -> str:
    """What stands in the last `final` channel; the text itself where no channels leaked."""
    protected = _objects(text)
    if not any(_outside(_HARMONY, text, protected)):
        bare = list(_outside(_BARE, text, protected))
        return text[bare[-1].end():] if bare else text
    finals = [match.end() for match in _outside(_CHANNEL, text, protected) if match[1].lower() == "final"]
    if not finals:
        raise NoReply("it has no final channel")
    body = text[finals[-1]:]
    end = next(_outside(_END, body, _objects(body)), None)
    return body[:end.start()] if end else body


def _without_thoughts(text: str) -> str:
    """What follows the last closing tag, with or without an opening one; what an unclosed tag opens is no reply."""
    protected = _objects(text)
    closed = list(_outside(_CLOSED, text, protected))
    rest = text[closed[-1].end():] if closed else text
    opened = next(_outside(_OPENED, rest, _objects(rest)), None)
    rest = rest[:opened.start()] if opened else rest
    if (closed or opened) and not rest.strip():
        raise NoReply("nothing follows its thinking")
    return rest


def _objects(text: str) -> list[Found]:
    try:
        return find_all(text)
    except Unclear:
        return []


def _outside(pattern: re.Pattern[str], text: str, protected: list[Found]) -> Iterator[re.Match[str]]:
    """The matches that do not stand within an object."""
    starts = [one.start for one in protected]
    for match in pattern.finditer(text):
        before = bisect_right(starts, match.start())
        if before == 0 or match.start() >= protected[before - 1].end:
            yield match
