"""Which words a text is made of, as a person would name a topic by them."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Protocol

from tokenizers import Tokenizer

from trace_graph.text.characters import UNSPACED
from trace_graph.text.terms import terms, words

_CLAUSE = re.compile(r"[.,;:!?…()\[\]{}<>|*#\"“”«»„，。！？；：、（）「」『』【】《》\n]+|\s[-–—]+\s")
_LEFT_OUT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|https?://\S+|www\.\S+|```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_SCRIPTS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]")
_THAI_SCRAP = re.compile("^[\u0e00-\u0e7f]{1,2}$")
_KANA_ENDING = re.compile("^[\u3041-\u309f]+$")
_MARK_FIRST = re.compile("^[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]")
_START = "▁"
_UNKNOWN_RARITY = 20.0
# -ln of the probability of a word with a character that the tokenizer does not know (its rarest piece has 18).
_CACHED_WORDS = 65_536

_ALONE = frozenset(
    "的了是在我你您他她它们不也就都和跟与及或很太更最又还再才只要会能可想去来到着得把被让给对从向往为因所以而但如果这那"
    "哪些个一二三四五六七八九十百千万两几里外年月日时分点号吗呢吧啊呀哦嗯哈嘛啦哇嘿谁什么怎样有没无用做说看听走吃喝买卖写读"
    "问叫带帮找等打拿放坐住学教懂该应将已曾每各另其此之于由像比没别真挺次件条张位种块今昨晚午周回进出起完成"
)
"""Chinese characters that are mostly words by themselves and name no topic."""
_OPENING = frozenset("大小中天地明先多少前后高老新过上下好")
"""Characters that are such words too, unless a single character follows that is none (`小提琴`, `过敏`)."""
_COMMON_WORDS = """
我们 你们 他们 她们 咱们 大家 自己 这个 那个 这些 那些 这样 那样 什么 怎么
怎样 为什么 多少 可以 可能 应该 需要 觉得 知道 认为 感觉 喜欢 希望 打算 准备
开始 已经 正在 还是 还有 就是 不是 没有 不能 不会 不要 因为 所以 但是 不过
如果 然后 以后 以前 之后 之前 现在 今天 明天 昨天 后天 最近 上周 下周 周末
早上 晚上 下午 上午 时候 时间 个月 小时 分钟 一下 有点 非常 特别 真的 确实
其实 当然 好的 谢谢 不错 问题 东西 事情 比较 一直 一起 一定 一些 告诉 参加
发现 出来 起来 下来 去年 今年 明年 每天 的话 或者 并且 而且 虽然 只是 只有
只要 让我 给我 很多 不少 第一 请问 帮我 好像 终于 昨日 今日 明日
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Chinese and Japanese words of everyday talk that name no topic (guess, read off conversations of our own)."""
_COUNT = re.compile("^[第一二三四五六七八九十百千万两几半]+.?$")


class Lexicon(Protocol):
    """What is known about words."""

    def split(self, run: str) -> list[str]:
        """The whole words of a run that is written without spaces (Chinese, Japanese, Thai)."""
        ...

    def rarity(self, word: str) -> float:
        """-ln of the word's probability in everyday text: about 7 for `the`, 11 for `great`, 20 for `pottery`."""
        ...


class UnigramLexicon:
    """A lexicon out of the pieces of a Unigram tokenizer, and their probabilities."""

    def __init__(self, tokenizer_json: str) -> None:
        self._tokenizer = Tokenizer.from_str(tokenizer_json)
        self._tokenizer.no_truncation()
        model = json.loads(tokenizer_json)["model"]
        self._rarity = {str(piece): -float(score) for piece, score in model["vocab"]}
        self._unknown = str(model["vocab"][model["unk_id"]][0])

    def split(self, run: str) -> list[str]:
        """The whole words of a run that is written without spaces.

        A word that the tokenizer does not have falls into single characters; a row of these is put together again
        (`陶 艺 课` is `陶艺课`), unless they are words of their own.
        """
        found: list[str] = []
        joinable = alone = False
        for piece in self._pieces(run):
            mark, single = bool(_MARK_FIRST.match(piece)), len(piece) == 1
            loose = (single and piece not in _ALONE and piece not in _OPENING) or bool(_THAI_SCRAP.match(piece))
            if found and (mark or (loose and joinable)):
                found[-1] += piece
            else:
                found.append(piece)
            joinable = mark or loose or (single and piece in _OPENING and not (alone and piece in "过上下好"))
            alone = piece in _ALONE
        return [word for word in found if not _KANA_ENDING.match(word)]

    def rarity(self, word: str) -> float:
        """-ln of the word's probability: the sum over its pieces."""
        return self._rarity_of(word)

    @lru_cache(maxsize=_CACHED_WORDS)  # noqa: B019 (one lexicon lives as long as the process)
    def _rarity_of(self, word: str) -> float:
        pieces = self._tokenizer.encode(word, add_special_tokens=False).tokens
        if _UNSPACED_RUN.match(word):
            pieces = [piece for piece in pieces if piece != _START]
        if not pieces or self._unknown in pieces:
            return _UNKNOWN_RARITY
        return sum(self._rarity.get(piece, _UNKNOWN_RARITY) for piece in pieces)

    def _pieces(self, run: str) -> list[str]:
        encoded = self._tokenizer.encode(run, add_special_tokens=False)
        starts = {start for token, (start, _) in zip(encoded.tokens, encoded.offsets, strict=True) if token != _START}
        return [run[start:end] for start, end in pairwise(sorted(starts | {0, len(run)}))]


@cache
def shipped_lexicon() -> UnigramLexicon:
    """The lexicon of the shipped embedder's tokenizer; takes 0.6 s when first used."""
    folder = files("trace_graph.embed.multilingual_static")
    return UnigramLexicon((folder / "tokenizer.json").read_text(encoding="utf-8"))


def clauses(text: str, lexicon: Lexicon) -> list[list[str]]:
    """The words of the text as they are written, clause by clause; addresses and blocks of code are left out."""
    parts = _CLAUSE.split(_LEFT_OUT.sub("\n", text))
    return [found for part in parts if (found := _written(part, lexicon))]


def keys(text: str, lexicon: Lexicon) -> set[str]:
    """The keys of the words of the text that have one."""
    return {key for surface in _written(text, lexicon) if (key := key_of(surface))}


def _written(text: str, lexicon: Lexicon) -> list[str]:
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = []
    for word in words(text):
        for run in [word] if word.isascii() else _SCRIPTS.findall(word):
            found += lexicon.split(run) if _UNSPACED_RUN.match(run) else [run]
    return found


@lru_cache(maxsize=_CACHED_WORDS)
def key_of(surface: str) -> str:
    """What all forms of a word have in common; empty for a word that names nothing."""
    if _UNSPACED_RUN.match(surface):
        plain = surface in _COMMON or surface in _ALONE or surface in _OPENING
        return "" if plain or _COUNT.match(surface) else surface
    if surface.isdigit() or len(surface) == 1:
        return ""
    stems = terms(surface)
    return stems[0] if stems else ""
