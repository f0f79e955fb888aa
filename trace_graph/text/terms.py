"""Which terms stand for a text in the keyword index, and how they are asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import islice
from threading import Lock

# The classes themselves, not snowballstemmer.stemmer(): that one hands out another version where PyStemmer is there,
# and two machines would index one word under two terms.
from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]  # it ships no types
from snowballstemmer.russian_stemmer import RussianStemmer  # type: ignore[import-untyped]  # it ships no types

from trace_graph.text.characters import HANGUL, IGNORABLE, UNSPACED

MOST_CLAUSES = 1_000
"""Terms of one full-text query. Lucene refuses more than 1,024 clauses (measured on Neo4j)."""

LONGEST_TERM = 100
"""Characters (guess). Lucene's white-space tokenizer splits at 255, and each term gets its space's key in front."""

_STOP_LIST = (
    "a about above after again against all am an and any are as at be because been before being below between both "
    "but by can could d did didn do does doesn doing don down during each few for from further get got had has have "
    "having he her here hers herself him himself his how i if in into is isn it its itself just ll m me more most my "
    "myself no nor not now of off on once only or other our ours ourselves out over own re s same she should so some "
    "such t than that the their theirs them themselves then there these they this those through to too under until up "
    "ve very was wasn we were what when where which while who whom why will with would you your yours yourself "
    "yourselves"
)
STOP_WORDS = frozenset(_STOP_LIST.split())
"""English words that are not indexed. Source: retrieval recipe, appendix; a shorter list costs .009."""

_CACHED_STEMS = 65_536
_HASH_CHARACTERS = 16
_JOINED = r"[a-z0-9]{1,40}(?:[._@/:-][a-z0-9]{1,40}){1,9}"
_ASCII_WORD = re.compile(rf"{_JOINED}(?![a-z0-9])|[a-z0-9]+")
_JOINT = re.compile("[._@/:-]")
_NAMES_A_THING = re.compile(r"[0-9@_]|[a-z0-9]{2}\.|\.[a-z0-9]{2}")
_LAST_MARK = 0x1F000
_NOT_WORDS = {ord("™"): " ", ord("℠"): " "}
_IGNORABLE = re.compile(f"[{IGNORABLE}]+")
_BIGRAM_SCRIPTS = f"{UNSPACED}{HANGUL}"
_BIGRAM_START = re.compile(f"[{_BIGRAM_SCRIPTS}]")
_BEHIND_UNSPACED = re.compile(f"(?<=[{_BIGRAM_SCRIPTS}])(?=[a-z0-9])")
"""Where an identifier may begin inside of text without spaces: `设备A-1234`."""
_SYNTAX = re.compile(r'[-+&|!(){}\[\]^"~*?:\\/\s]')
_OPERATORS = frozenset({"AND", "OR", "NOT", "TO"})
_stemmer_lock = Lock()
_english = EnglishStemmer()
_russian = RussianStemmer()


def terms(text: str) -> list[str]:
    """The terms of a text in order of occurrence, repeats kept: the bag that BM25 counts.

    Case, width and composed or decomposed accents do not matter (so `İstanbul`, `istanbul`; `Straße`, `STRASSE`).
    English stop words are left out. Words are stemmed as English, Cyrillic ones as Russian. Han, kana, Hangul, Thai,
    Lao, Khmer and Burmese give overlapping pairs of characters, so a part of a run is found in it; a single character
    only where it stood alone. An identifier (`A-1234`, `api.v2.users`, an e-mail address, a number with a point) gives
    its parts and then itself in one piece (`a1234`). A term consists of letters, digits and marks, at most
    `LONGEST_TERM` of them: a longer word is its beginning and a hash.
    """
    found: list[str] = []
    if text.isascii():
        folded, pattern = text.lower(), _ASCII_WORD
    else:
        folded, pattern = _BEHIND_UNSPACED.sub(" ", _folded(text)), _term_pattern()
    for word in pattern.findall(folded):
        if word.isalnum() and word.isascii():
            found.append(_bounded(word))
        elif word.isascii():
            found.extend(_identifier_terms(word))
        else:
            for run in _run_pattern().findall(word):
                found.extend(_run_terms(run))
    return [term for term in found if term]


def words(text: str) -> list[str]:
    """The words of a text as they are written, in order; full-width forms made narrow, invisible characters removed.

    Cut where `terms` cuts, but whole: no stop list, no stems, and a run without spaces is one word.
    """
    return _word_pattern().findall(_normal(text))


def prefixed(terms: Iterable[str], key: str) -> list[str]:
    """Each term with its space's key in front (`s7_potteri`), so that a query touches that space's postings only."""
    return [f"{key}_{term}" for term in terms]


def lucene_query(prefixed_terms: Iterable[str]) -> str:
    """The full-text query for any of the terms, each once: `terms:(a b)`, in Lucene's classic syntax.

    Empty where there are no terms: then there is nothing to ask (both engines refuse an empty query). Only the first
    `MOST_CLAUSES` distinct terms are asked for; for several spaces of many terms, ask several times.
    """
    distinct = dict.fromkeys(term for term in prefixed_terms if term)
    clauses = [_escaped(term) for term in islice(distinct, MOST_CLAUSES)]
    return f"terms:({' '.join(clauses)})" if clauses else ""


def _normal(text: str) -> str:
    return _IGNORABLE.sub("", unicodedata.normalize("NFKC", text.translate(_NOT_WORDS)))


def _folded(text: str) -> str:
    # Case folding turns the Turkish capital dotted I into i and a dot above, and leaves the dotless i alone.
    folded = _normal(text).casefold().replace("i\u0307", "i").replace("ı", "i")
    return unicodedata.normalize("NFKC", folded)


@cache
def _marks() -> str:
    """Every combining mark, for a character class: `re` has no name for them. Takes 15 ms, hence not at import."""
    return "".join(chr(code) for code in range(0x300, _LAST_MARK) if unicodedata.category(chr(code))[0] == "M")


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"[^\W_]+(?:[{_marks()}]+[^\W_]*)*")


@cache
def _term_pattern() -> re.Pattern[str]:
    """A word as `_word_pattern` cuts it, or several joined to an identifier that ends where a word ends."""
    return re.compile(rf"{_JOINED}(?![^\W_{_BIGRAM_SCRIPTS}]|[{_marks()}])|{_word_pattern().pattern}")


@cache
def _run_pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_BIGRAM_SCRIPTS}][{_BIGRAM_SCRIPTS}{_marks()}]*|[^{_BIGRAM_SCRIPTS}]+")


def _run_terms(run: str) -> list[str]:
    if not _BIGRAM_START.match(run):
        return [_bounded(run)]
    if len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _identifier_terms(word: str) -> list[str]:
    parts = _JOINT.split(word)
    found = [_bounded(part) for part in parts]
    return [*found, _shortened("".join(parts))] if _NAMES_A_THING.search(word) else found


def _bounded(word: str) -> str:
    return _term(word) if len(word) <= LONGEST_TERM else _shortened(word)


def _shortened(word: str) -> str:
    if len(word) <= LONGEST_TERM:
        return word
    digest = blake2b(word.encode(), digest_size=_HASH_CHARACTERS // 2).hexdigest()
    return word[: LONGEST_TERM - _HASH_CHARACTERS] + digest


@lru_cache(maxsize=_CACHED_STEMS)
def _term(word: str) -> str:
    """The stem of a folded word; empty for a stop word."""
    if word in STOP_WORDS:
        return ""
    stemmer = _russian if "\u0400" <= word[0] <= "\u04ff" else _english
    # A stemmer keeps the word it works on in itself, so two threads must not share it.
    with _stemmer_lock:
        return str(stemmer.stemWord(word))


def _escaped(term: str) -> str:
    escaped = _SYNTAX.sub(r"\\\g<0>", term)
    return f"\\{escaped}" if term in _OPERATORS else escaped
