"""What a topic is called: the words that set it apart, as people write them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from trace_graph.organize.chat_words import CHAT_WORDS
from trace_graph.organize.unspaced import respelled
from trace_graph.organize.values import WaitingMessage
from trace_graph.organize.words import Lexicon, clauses, key_of
from trace_graph.text.characters import UNSPACED
from trace_graph.text.display import clip

LONGEST_TITLE = 48
"""Characters, so that a breadcrumb of three titles fits a line (guess)."""
MOST_PHRASES = 4
CACHED_PHRASES = 40
"""Phrases kept of a topic (guess; a title uses 4, the rest tells other topics what is common)."""
_EVERYDAY, _TELLING = 9.5, 14.5
# Rarity (-ln p) at which a word says nothing, and from which it counts fully; read off the pieces: time 9.8,
# family 11.5, guitar 13.1, painting 14.1, pottery 19.8.
_FREQUENCY = 0.85
# Power of the weight in a phrase's score (guess between 1, the commonest words, and 0, the rarest).
_CALLED = 3.0
# Weight in a parent of a phrase that stands in a child's title (guess: else what all children say in passing wins).
_CLOSE_SHARE = 0.4
# Of the rarer word's messages that must have the other one next to it, for the two to stand as a pair (guess).
_READ_CHARACTERS = 1_500
# Of a message; what a long one is about stands at its beginning (guess).
_NOUNS_IN_LY = frozenset({"family", "assembly", "supply", "reply", "butterfly", "jelly", "belly", "rally", "ally",
                          "lily", "bully", "anomaly", "monopoly", "fly", "dragonfly", "folly"})
_UNSPACED_BORDER = re.compile(f"(?<=[{UNSPACED}]) (?=[{UNSPACED}])")
_UNSPACED_WORD = re.compile(f"[{UNSPACED}]+$")
_CUT_WORD = re.compile(f"^[{UNSPACED}] |[{UNSPACED}] [{UNSPACED}]$")
# A pair with one character of a script without spaces at its end: mostly a word that is cut (`博物馆 录`, of `录音`).
_LEADING = """
a an the my your our his her their its this that these those some any no every each another of in on at for
about with from into through during der die das den dem ein eine mein meine le la les un une mon ma mes des
du el los las una mi mis del
"""
_LEADS_TO_NOUN = frozenset(_LEADING.split())
# Words of which the next is mostly a noun, or an adjective before one.

Phrases = list[str]
"""What is kept of a topic's words: `surface|weight`, heaviest first, at most `CACHED_PHRASES` of them.

A surface is a word, or two adjacent words with a space between. The weight of a leaf's phrase is the number of its
messages that have it, less for words that are no nouns; of a parent's phrase it is made from the children's.
"""


@dataclass(frozen=True)
class Background:
    """In how many topics a word occurs, as far as their phrases tell."""

    topics: int
    topics_with: Mapping[str, int]
    own: frozenset[str] = frozenset()
    """Words of the one topic that is not to be counted; empty where all are."""

    @classmethod
    def of(cls, caches: Iterable[Sequence[str]]) -> Background:
        """The background of topics with these phrases."""
        counts: Counter[str] = Counter()
        topics = 0
        for phrases in caches:
            topics += 1
            counts.update(_all_keys(phrases))
        return cls(topics, counts)

    def less(self, phrases: Sequence[str]) -> Background:
        """The background without one of its topics, which has these phrases."""
        return Background(self.topics - 1, self.topics_with, _all_keys(phrases))

    def rarity(self, key: str) -> float:
        """How much a word sets a topic apart from the others: ln(1 + (topics + 1) / (topics with it + 1/2))."""
        return math.log(1 + (self.topics + 1) / (self.topics_with.get(key, 0) - (key in self.own) + 0.5))


@dataclass(slots=True)
class _Seen:
    messages: set[int] = field(default_factory=set)
    times: int = 0
    as_noun: int = 0
    surfaces: Counter[str] = field(default_factory=Counter)
    opening: Counter[str] = field(default_factory=Counter)


def leaf_phrases(messages: Sequence[WaitingMessage], lexicon: Lexicon) -> Phrases:
    """The phrases of the messages of a leaf topic; of a long message those of its beginning."""
    names = {part.casefold() for message in messages for part in message.author.split()}
    keys: dict[str, str] = {}
    words: dict[str, _Seen] = defaultdict(_Seen)
    pairs: dict[tuple[str, str], set[int]] = defaultdict(set)
    said = respelled([clauses(message.text[:_READ_CHARACTERS], lexicon) for message in messages])
    for place, found in enumerate(said):
        for clause in found:
            for surface in clause:
                if surface not in keys:
                    keys[surface] = _naming_key(surface, names)
            _read(clause, [keys[surface] for surface in clause], place, words, pairs)
    surfaces = {key: _surface(seen, lexicon) for key, seen in words.items()}
    weights = {surfaces[key]: _weight(seen, surfaces[key]) for key, seen in words.items()}
    for (first, second), places in pairs.items():
        if len(places) >= 2 and not _CUT_WORD.search(f"{surfaces[first]} {surfaces[second]}"):
            whole = _weight(words[second], surfaces[second]) / len(words[second].messages)
            weights[f"{surfaces[first]} {surfaces[second]}"] = len(places) * min(whole, 1.0)
    return _heaviest(weights, lexicon)


def _read(
    clause: Sequence[str], keys: Sequence[str], place: int, words: dict[str, _Seen],
    pairs: dict[tuple[str, str], set[int]],
) -> None:
    before = ""
    for at, key in enumerate(keys):
        if key:
            seen = words[key]
            seen.messages.add(place)
            (seen.surfaces if at else seen.opening)[clause[at]] += 1
            seen.times += 1
            if at and not (at + 1 < len(keys) and keys[at + 1]) and (
                    before or clause[at - 1].casefold() in _LEADS_TO_NOUN):
                seen.as_noun += 1
            if before and before != key:
                pairs[before, key].add(place)
        before = key


def _weight(seen: _Seen, surface: str) -> float:
    """The number of messages, less for a word that is no noun: all for names and unspaced scripts, .3 for verbs.

    Adverbs and past forms of English, which often stand where a noun does, are told by their ending.

    A word of one message only tells little of a topic: less than half of that.
    """
    if surface.endswith("ly") and surface not in _NOUNS_IN_LY:
        share = 0.05
    elif surface.isascii() and not (surface[0].isupper() and seen.surfaces):
        share = 0.3 + 0.7 * min(1.0, (seen.as_noun + 0.5) / (seen.times * 0.6 + 1))
    else:
        share = 1.0
    if surface.endswith("ed"):
        share /= 2
    return share * (len(seen.messages) if len(seen.messages) > 1 else 0.4)


def parent_phrases(children: Sequence[tuple[str, Sequence[str]]], lexicon: Lexicon) -> Phrases:
    """The phrases of a topic from its children's, each child given as (title, phrases).

    Phrases of several children weigh more, and so do those that a child is called by.
    """
    weights: dict[str, float] = defaultdict(float)
    holders: Counter[str] = Counter()
    surfaces: dict[str, tuple[float, str]] = {}
    for name, phrases in children:
        called = set(name.split(", "))
        for surface, weight in map(_surface_and_weight, phrases):
            key = " ".join(_keys(surface))
            weights[key] += weight * (_CALLED if _shown(surface) in called else 1)
            holders[key] += 1
            surfaces[key] = max(surfaces.get(key, (0.0, "")), (weight, surface))
    return _heaviest({surfaces[key][1]: weight * holders[key] for key, weight in weights.items()}, lexicon)


def phrase_weights(phrases: Sequence[str], lexicon: Lexicon) -> dict[str, float]:
    """What each word of the phrases tells of the topic, by its key."""
    weights: dict[str, float] = {}
    for surface, weight in map(_surface_and_weight, phrases):
        for key, part in zip(_keys(surface), _parts(surface), strict=True):
            weights[key] = max(weight * _telling(part, lexicon), weights.get(key, 0.0))
    return weights


def title(
    phrases: Sequence[str], others: Background, lexicon: Lexicon, *, taken: Collection[str] = (), otherwise: str = "",
) -> str:
    """Two to four phrases of a topic that set it apart from the others, joined by commas.

    `others` is made of the phrases of other topics of the same depth, `taken` holds the titles of its siblings,
    `otherwise` is what was said, for a topic without any telling word. The title is never empty, and none of the
    taken ones: a number tells them apart when nothing else does.
    """
    chosen = _choose(phrases, others, lexicon) or [" ".join(otherwise.split()) or "…"]
    for count in range(min(len(chosen), MOST_PHRASES), 0, -1):
        text = ", ".join(chosen[:count])
        if len(text) <= LONGEST_TITLE and text not in taken:
            return text
    first = clip(chosen[0], LONGEST_TITLE)
    names = (first, *(f"{clip(first, LONGEST_TITLE - 5)} {number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _choose(phrases: Sequence[str], others: Background, lexicon: Lexicon) -> list[str]:
    weighed = [_surface_and_weight(phrase) for phrase in phrases]
    alone = {_keys(surface)[0]: weight for surface, weight in weighed if len(_keys(surface)) == 1}
    scores: dict[str, float] = {}
    for surface, weight in weighed:
        keys = _keys(surface)
        worth = [others.rarity(key) * _telling(part, lexicon)
                 for key, part in zip(keys, _parts(surface), strict=True)]
        if len(keys) == 1:
            scores[surface] = weight**_FREQUENCY * worth[0]
        elif weight >= _CLOSE_SHARE * min(alone.get(key, weight) for key in keys):
            scores[surface] = weight**_FREQUENCY * sum(worth)
    chosen: list[str] = []
    used: set[str] = set()
    best, weights = max(scores.values(), default=0.0), dict(weighed)
    # A word of one message, or no noun, says nothing of a topic that has others: it stands only where all are such.
    most = max(weights.values(), default=0.0)
    for surface in sorted(scores, key=lambda one: (-scores[one], one)):
        words = set(_keys(surface))
        if used & words or (len(chosen) >= 2 and scores[surface] < 0.35 * best):
            continue
        if chosen and (weights[surface] < 1 <= most or _overlaps(_shown(surface), chosen)):
            continue
        if len(", ".join([*chosen, _shown(surface)])) <= LONGEST_TITLE or not chosen:
            chosen.append(_shown(surface))
            used |= words
        if len(chosen) == MOST_PHRASES:
            break
    return chosen


def _overlaps(shown: str, chosen: Sequence[str]) -> bool:
    """Whether a phrase without spaces repeats a chosen one (`桂花糕` after `桂花`)."""
    return bool(_UNSPACED_WORD.match(shown)) and any(shown in other or other in shown for other in chosen)


def _naming_key(surface: str, names: Collection[str]) -> str:
    """The word's key; empty where it cannot name a topic: a stop word, chatter, the (nick)name of who speaks."""
    lower = surface.casefold()
    if lower in CHAT_WORDS or lower in names:
        return ""
    nickname = surface[0].isupper() and len(lower) >= 2 and any(
        name.startswith(lower) for name in names if len(name) > 3)
    return "" if nickname else key_of(surface)


def _surface(seen: _Seen, lexicon: Lexicon) -> str:
    """The form of a word that is written most; a capital at the start of a clause is not counted as one."""
    if seen.surfaces:
        return min(seen.surfaces, key=lambda form: (-seen.surfaces[form], form))
    form = min(seen.opening, key=lambda form: (-seen.opening[form], form))
    if form.isupper() and len(form) > 1:
        return form
    return form.lower() if lexicon.rarity(form.lower()) < _TELLING else form


def _heaviest(weights: Mapping[str, float], lexicon: Lexicon) -> Phrases:
    def worth(surface: str) -> float:
        return weights[surface] * sum(_telling(part, lexicon) for part in _parts(surface))

    kept = sorted(weights, key=lambda surface: (-worth(surface), surface))[:CACHED_PHRASES]
    return [f"{surface}|{weights[surface]:g}" for surface in kept]


def _telling(word: str, lexicon: Lexicon) -> float:
    """From .05 for an everyday word to 1 for a rare one."""
    share = (lexicon.rarity(word.lower()) - _EVERYDAY) / (_TELLING - _EVERYDAY)
    return min(max(share, 0.05), 1.0)


def _surface_and_weight(phrase: str) -> tuple[str, float]:
    surface, _, weight = phrase.rpartition("|")
    return surface, float(weight)


def _all_keys(phrases: Sequence[str]) -> frozenset[str]:
    return frozenset(key for phrase in phrases for key in _keys(_surface_and_weight(phrase)[0]))


def _shown(surface: str) -> str:
    """The phrase as it is written: no space between words of scripts that have none."""
    return _UNSPACED_BORDER.sub("", surface)


def _parts(surface: str) -> list[str]:
    return surface.split(" ")


@lru_cache(maxsize=65_536)
def _keys(surface: str) -> tuple[str, ...]:
    return tuple(key_of(part) or part for part in _parts(surface))
