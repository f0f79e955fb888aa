"""What a topic's summary says when no model writes it: sentences of its own messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

import numpy as np

from trace_graph.models.ids import RevisionId, TopicId
from trace_graph.organize.chat_words import CHAT_WORDS
from trace_graph.organize.titles import phrase_weights
from trace_graph.organize.values import Total, WaitingMessage
from trace_graph.organize.vectors import Rows, centred, unit_rows
from trace_graph.organize.words import Lexicon, clauses, key_of, keys
from trace_graph.text.display import clip
from trace_graph.text.tokens import count_tokens

LEAF_LINES = 3
"""Messages that a leaf's summary quotes. Source: retrieval study, section 4 (3 nearest to the centroid)."""
LEAF_TOKENS = 133
"""About 100 words (guess: what a reader takes in at a glance)."""
PARENT_TOKENS = 160
"""About 120 words, shared by up to 12 children (guess)."""
ROOT_TOKENS = 200
"""About 150 words, where a model words the root: what the whole space is about (guess)."""
_SHORTEST_LINE = 28
# Tokens below which a child's line, with title, speaker and date, says too little (guess).
_WORTH_A_LINE = 0.4
# Of the first quote's worth that a further one must have (guess).
_CANDIDATES = 40
# Messages, nearest to the centroid, that are read for a quote (guess: spares a third of the time).
_VARIETY = 0.6
# Weight of the likeness to what is quoted already, against the likeness to the centroid (guess, read off LoCoMo).
_VAGUE = -0.3
# What a sentence loses that could be said of anything (guess, read off LoCoMo; the unit stands below).
_RARE = 12.5
# -ln of a word's probability from which it names something (read off the pieces: family 11.5, guitar 13.1).
_TOPIC_WORDS, _EMPTY, _QUESTION, _SHORT, _FIRST_PERSON, _ADDRESS, _MACHINE = 0.4, -0.6, -0.35, -0.3, 0.15, -0.15, -0.25
# What a sentence gains or loses, in units of a cosine (guesses, read off LoCoMo and assistant chats).
_READ_CHARACTERS = 1_500
# Of a message (guess, as for titles).
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")
_SEPARATOR = " — "
_ALSO = "Also: "
_MORE = re.compile(r"and \d+ more$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？])|\s*\n+\s*")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP = re.compile(r"^\s*(?:#+|[-+*•]|\d+[.)])\s+|\*\*|__", re.MULTILINE)
_TABLE = re.compile(r"^\s*\|.*$", re.MULTILINE)
_BOILERPLATE = re.compile(
    r"\W*(?:sure\b|of course|certainly|absolutely|definitely|great question|good question|happy to|"
    r"glad |i'd be|i would be|i'm happy|i'm glad|here(?:'s| is| are)|let me know|i hope|hope |feel free|as an ai|"
    r"i'm sorry|sorry\b|i apologi|thanks?(?: you)?\b|thx\b|you're welcome|no problem|hi\b|hey\b|hello\b|"
    r"good (?:morning|evening|to|luck)|wow\b|awesome\b|cool\b|congrat|that(?:'s| is| sounds?| must| looks?)|"
    r"sounds\b|looks\b|yeah\b|yes\b|yep|nice\b|bye\b|take care|see you|great\b|what a|enjoy\b|keep up|please\b|let's|"
    r"as a\b.{0,30}\b(?:ai|model|assistant)|i (?:cannot|can't|don't) have (?:a )?personal|"
    r"i (?:can|will|could) (?:suggest|help|provide)|i be\b|"
    r"\[|check (?:it )?out|take a look|by (?:following|considering|incorporating|using)|remember\b|"
    r"overall|in (?:summary|conclusion)|if you have|好的|当然|没问题|你好|您好|谢谢|多谢|不客气|"
    r"希望这|希望对|如果你|如果您|请告诉|请问|以下是|嗯|哈哈|是的|はい|ありがとう|こんにちは)",
    re.IGNORECASE)
_ASKS = re.compile(r"[?？]\W*$|[吗呢][。！]?$|[:：]\W*$|(?:can|could|would) you\b", re.IGNORECASE)
# Questions, and the head of a list that is not quoted.
_ADDRESSES = re.compile(r"\W*(?:you|your|you're|you've|you'll)\b|\W*[你您]", re.IGNORECASE)
_AGENT_NAMES = frozenset({"assistant", "system", "tool", "developer", "function"})
# Authors that are a role of the chat format: what they say is mostly general.
_FIRST = re.compile(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b|我|私|僕")
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A wording of a topic that may become a revision."""

    title: str
    text: str
    """One line a source; empty where nothing could be quoted."""
    sources: tuple[str, ...]
    """Ids of the messages of a leaf, or of the children's revisions, that the text was made from."""


@dataclass(frozen=True, slots=True)
class ChildSummary:
    """The current wording of a child topic."""

    topic: TopicId
    revision: RevisionId
    title: str
    text: str
    message_count: int
    inner: bool = False
    """Its text is made from its own children: a line for each, that begins with the child's title."""


def same(draft: Draft, current_title: str, current_text: str) -> bool:
    """Whether a draft says what the current revision says, so that no new one is due."""
    return draft.title == current_title and draft.text == current_text


def leaf_draft(
    title: str, messages: Sequence[WaitingMessage], phrases: Sequence[str], mean: Total, lexicon: Lexicon, *,
    zone: tzinfo = UTC,
) -> Draft:
    """What the messages of a leaf say that are nearest to its centroid and unlike each other, in order of time.

    Each line has speaker and date (in `zone`). Of a message the sentence is quoted that has most of the topic's
    `phrases`; greetings, questions and an assistant's set phrases only where there is nothing else.
    """
    weights = phrase_weights(phrases, lexicon)
    heaviest = max(weights.values(), default=1.0)
    weights = {key: weight / heaviest for key, weight in weights.items()}
    names = frozenset(part.casefold() for message in messages for part in message.author.split())
    rows = _centred_rows(messages, mean)
    likeness = rows @ unit_rows(rows.sum(axis=0)[None, :])[0]
    quotes = {int(place): _best_sentences(messages[place], weights, names, lexicon)
              for place in np.argsort(-likeness, kind="stable")[:_CANDIDATES]}
    worth = {place: float(likeness[place]) + score for place, (score, quote) in quotes.items() if quote}
    chosen = sorted(_varied(worth, {place: quote for place, (_, quote) in quotes.items()}, rows),
                    key=lambda place: (messages[place].occurred_at, place))
    lines = [_line(messages[place], quotes[place][1], zone) for place in chosen]
    return Draft(title, "\n".join(lines), tuple(messages[place].id for place in chosen))


def _centred_rows(messages: Sequence[WaitingMessage], mean: Total) -> Rows:
    known = [place for place, message in enumerate(messages) if message.vector is not None]
    rows = np.zeros((len(messages), len(mean)))
    if known:
        rows[known] = centred(np.array([messages[place].vector for place in known], dtype=float), mean)
    return rows


def _varied(worth: dict[int, float], quotes: dict[int, str], rows: Rows) -> list[int]:
    """The places of most worth that are unlike each other, none of them much worse than the first.

    Source: maximal marginal relevance (Carbonell and Goldstein 1998).
    """
    chosen: list[int] = []
    while len(chosen) < LEAF_LINES:
        said = {quotes[place] for place in chosen}
        left = {place: value - _VARIETY * max((float(rows[place] @ rows[other]) for other in chosen), default=0.0)
                for place, value in worth.items() if quotes[place] not in said}
        if not left:
            break
        best = max(left, key=lambda place: (left[place], -place))
        if chosen and worth[best] < _WORTH_A_LINE * worth[chosen[0]]:
            break
        chosen.append(best)
    return chosen


def parent_draft(title: str, children: Sequence[ChildSummary]) -> Draft:
    """What the children's current summaries say: title and best sentences of each, the largest first.

    Children for which there is no space are named by their titles only.
    """
    ordered = sorted(children, key=lambda child: (-child.message_count, child.topic))
    quoted = [child for child in ordered if child.text]
    most = PARENT_TOKENS // _SHORTEST_LINE
    shown = quoted if len(quoted) == len(ordered) <= most else quoted[:most - 1]
    share = PARENT_TOKENS // max(len(shown) + (len(shown) < len(ordered)), 1)
    lines = [_child_line(child, share) for child in shown]
    left = PARENT_TOKENS - sum(count_tokens(line) for line in lines)
    named = [child.title for child in ordered if child not in shown]
    if named:
        lines.append(_enumerated(_ALSO if lines else "", named, left))
    return Draft(title, "\n".join(lines), tuple(child.revision for child in ordered))


def _child_line(child: ChildSummary, share: int) -> str:
    """Title and best line of a child, and more of its lines as far as they fit whole; of an inner one the titles in it.

    So a quote stands once, at the parent of its leaf, and what lies above that says what there is.
    """
    if child.inner:
        return _enumerated(f"{child.title}{_SEPARATOR}", _titles_in(child.text), share)
    wanted = {word.casefold() for word in _WORDS.findall(child.title)}
    lines = child.text.splitlines()
    best = max(lines, default="", key=lambda line: (
        len(wanted & {word.casefold() for word in _WORDS.findall(line)}), -lines.index(line)))
    text = _clip_tokens(f"{child.title}{_SEPARATOR}{best}", share)
    for line in lines:
        if line != best and count_tokens(longer := f"{text} / {line}") <= share:
            text = longer
    return text


def _titles_in(text: str) -> list[str]:
    """The titles of the children that an inner topic's summary was made from, in its order."""
    named: list[str] = []
    for line in text.splitlines():
        named += line.removeprefix(_ALSO).split("; ") if line.startswith(_ALSO) else [line.split(_SEPARATOR, 1)[0]]
    return [name for name in named if not _MORE.match(name)]


def _enumerated(head: str, titles: Sequence[str], limit: int) -> str:
    text = head + titles[0]
    for place, name in enumerate(titles[1:], start=1):
        if count_tokens(longer := f"{text}; {name}") > limit:
            return f"{text}; and {len(titles) - place} more"
        text = longer
    return text


def _line(message: WaitingMessage, quote: str, zone: tzinfo) -> str:
    day = message.occurred_at.astimezone(zone)
    head = f"{message.author}, {day.day} {_MONTHS[day.month - 1]} {day.year}: "
    return head + _clip_tokens(quote, LEAF_TOKENS // LEAF_LINES - count_tokens(head))


def _best_sentences(
    message: WaitingMessage, weights: dict[str, float], names: frozenset[str], lexicon: Lexicon
) -> tuple[float, str]:
    """The sentence of a message that says most, with those behind it that fit, and what it is worth."""
    plain = _MARKUP.sub("", _TABLE.sub("", _CODE.sub("\n", message.text[:_READ_CHARACTERS])))
    sentences = [sentence for part in _SENTENCE_END.split(plain) if _WORDS.search(sentence := " ".join(part.split()))]
    if not sentences:
        return _EMPTY, " ".join(message.text.split())
    scores = [_worth(sentence, weights, names, lexicon) for sentence in sentences]
    best = max(range(len(sentences)), key=lambda place: (scores[place], -place))
    quote = sentences[best]
    for place in range(best + 1, len(sentences)):
        longer = _joined(quote, sentences[place])
        if scores[place] <= 0 or count_tokens(longer) > LEAF_TOKENS // LEAF_LINES - 8:
            break
        quote = longer
    return scores[best] + (_MACHINE if message.author in _AGENT_NAMES else 0.0), quote


def _worth(sentence: str, weights: dict[str, float], names: frozenset[str], lexicon: Lexicon) -> float:
    said = keys(sentence, lexicon)
    if not sentence.isascii():
        # The topic's words were cut by all of its messages, a sentence alone is cut otherwise.
        said |= {key for key in weights if not key.isascii() and key in sentence}
    found = sum(weights.get(key, 0.0) for key in said)
    worth = _TOPIC_WORDS * min(found, 2.0) / 2
    if _BOILERPLATE.match(sentence):
        worth += _EMPTY
    if _ASKS.search(sentence):
        worth += _QUESTION
    if len(said) < 2:
        worth += _SHORT
    if not _names_something(sentence, names, lexicon):
        worth += _VAGUE
    if _ADDRESSES.match(sentence):
        worth += _ADDRESS
    elif _FIRST.search(sentence):
        worth += _FIRST_PERSON
    return worth


def _names_something(sentence: str, names: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether it has a number, or a word that is rare in everyday talk and no speaker's name: else it fits anything."""
    for word in (word for clause in clauses(sentence, lexicon) for word in clause):
        if any(letter.isdigit() for letter in word):
            return True
        lower = word.casefold()
        if lexicon.rarity(lower) >= _RARE and lower not in CHAT_WORDS and lower not in names and key_of(word):
            return True
    return False


def _joined(first: str, second: str) -> str:
    return f"{first}{second}" if first[-1] in "。！？" else f"{first} {second}"


def _clip_tokens(text: str, limit: int) -> str:
    """The text up to so many tokens, cut between words (between graphemes where there are no spaces)."""
    if count_tokens(text) <= limit:
        return text
    kept = ""
    for word in text.split():
        longer = f"{kept} {word}" if kept else word
        if count_tokens(longer) > limit - 1:
            break
        kept = longer
    rest = text[len(kept):].split()
    used = count_tokens(kept)
    if rest and count_tokens(rest[0]) > 4:
        return clip(text, len(kept) + max(limit - used, 2))
    return f"{kept.rstrip(' ,;:-')}…" if kept else clip(text, max(limit, 2))
