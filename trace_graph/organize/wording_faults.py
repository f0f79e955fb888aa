"""What is wrong with a title and summary that a model wrote, in words for the model. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trace_graph.llm.purposes.summarise import TopicSummary, words_for
from trace_graph.organize.grounding import Grounds
from trace_graph.organize.titles import LONGEST_TITLE
from trace_graph.text.characters import UNSPACED
from trace_graph.text.tokens import count_tokens

_MOST_NAMED = 12
# Names and numbers of one topic that are told to the model (guess).
_LOOP_FROM = 12
# Words, or characters of a script without spaces, from which on a text is tried for a loop (guess).
_LOOP_SHARE = 0.5
# Of three words in a row that are others than before, below which a text is a loop. Guess: ordinary prose has over .9.
_ECHO_WORDS = 8
# Words of the prompt in a row that no summary has by chance (guess).
_UNIT = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")


@dataclass(frozen=True)
class Faults:
    """What is wrong with what a model wrote of one topic, each in a few words."""

    text: list[str]
    title: list[str]

    def __bool__(self) -> bool:
        return bool(self.text or self.title)

    def __str__(self) -> str:
        return "; ".join(dict.fromkeys([*self.text, *self.title]))


def faults(
    written: TopicSummary | None, *, tokens: int, grounds: Grounds, taken: Collection[str], prompt: str,
    titled: bool = True,
) -> Faults:
    """The faults of a summary and of its title; none where both can be used.

    Args:
        written: what the model wrote; None where it left the topic out.
        tokens: most tokens of the summary.
        grounds: what its sources hold.
        taken: titles of other topics of the same parent.
        prompt: the system message, which no summary repeats.
        titled: False for the root, which is called by the name of its space.
    """
    if written is None:
        return Faults(["no title and summary were written"], [])
    text = _no_summary(written.summary, prompt)
    if not text:
        text = _too_long(written.summary, tokens) + _lacking(grounds.lacking(written.summary))
    if not titled:
        return Faults(text, [])
    lacking = grounds.lacking(written.title, is_title=True, beside=written.summary)
    return Faults(text, _title_faults(written.title, taken) + _lacking(lacking))


def _lacking(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return ["this is not in its sources, leave it out: " + ", ".join(f"'{name}'" for name in names[:_MOST_NAMED])]


def _title_faults(title: str, taken: Collection[str]) -> list[str]:
    """What is wrong with a title, its names left aside."""
    plain = " ".join(title.split())
    if not _UNIT.search(plain):
        return ["the title is empty"]
    if len(plain) > LONGEST_TITLE:
        return [f"the title has more than {LONGEST_TITLE} characters"]
    if plain.casefold() in {name.casefold() for name in taken}:
        return ["another topic has this title"]
    return []


def _no_summary(text: str, prompt: str) -> list[str]:
    if not _UNIT.search(text):
        return ["the summary is empty"]
    if text.lstrip().startswith(("{", "[{")) or _repeats(text, prompt):
        return ["the summary repeats the request"]
    if _is_loop(text):
        return ["the summary repeats itself"]
    return []


def _too_long(text: str, tokens: int) -> list[str]:
    if count_tokens(text) > tokens:
        return [f"the summary is too long: at most {words_for(tokens)} words"]
    return []


def _is_loop(text: str) -> bool:
    """Whether the same words come again and again. Source: mastra pull request 22074 (public case PC-040)."""
    units = [unit.casefold() for unit in _UNIT.findall(text)]
    if len(units) < _LOOP_FROM:
        return False
    rows = list(zip(units, units[1:], units[2:], strict=False))
    return len(set(rows)) < _LOOP_SHARE * len(rows)


def _repeats(text: str, prompt: str) -> bool:
    said, asked = (_UNIT.findall(one.casefold()) for one in (text, prompt))
    rows = {tuple(asked[start:start + _ECHO_WORDS]) for start in range(len(asked) - _ECHO_WORDS + 1)}
    return any(tuple(said[start:start + _ECHO_WORDS]) in rows for start in range(len(said) - _ECHO_WORDS + 1))
