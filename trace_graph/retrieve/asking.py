"""How a question asks: whose words it is after, whether it wants many things, which of its words only ask. Pure.

English and Chinese. A question that says none of this, in whatever language, is ranked without these hints.
Source of the patterns: read off the tuning halves of three data sets (docs/decisions/0007-ranking.md); they name ways
of asking, never what is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from trace_graph.text.terms import terms

Meant = Literal["user", "assistant"]

_SAID = (
    "told|recommended|mentioned|suggested|said|gave|provided|listed|explained|advised|wrote|made|described|showed|shared|"
    "used"
)
_SAY = "tell|recommend|mention|suggest|say|give|provide|list|explain|advise|write|describe|show|share"
_ASSISTANT = re.compile(
    rf"\bdid you (?:just |also |specifically )?(?:{_SAY})\b"
    rf"|\byou (?:just |also |specifically |previously |had |have |once )?(?:{_SAID})\b"
    r"|\byour (?:suggestion|recommendation|answer|advice|explanation|reply|list)s?\b"
    r"|\b(?:our|the) (?:previous|last|earlier) (?:chat|conversation|discussion)\b"
    r"|你(?:之前|上次|当时|曾经|刚才|刚刚|先前|以前)?(?:推荐|建议|提到|提过|说过|告诉|列出|给过|给我的)"
    r"|你的(?:建议|推荐|回答|答案)",
    re.IGNORECASE,
)
_USER = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our)\b|[我俺咱]", re.IGNORECASE)
_OF_BOTH = re.compile(r"\bsummar(?:y|ies|i[sz]e[sd]?)\b|\boverview\b|\brecap\b|总结|概述|概括|回顾|總結", re.IGNORECASE)
_MANY = re.compile(
    r"\b(?:list|enumerate|how many|how much|how often|in (?:what|which) order|the order in which|all (?:the|of|my|our)|"
    r"every|each|everything|summar(?:y|i[sz]e)|overview|recap|throughout|various|across)\b"
    r"|列出|列举|哪些|多少|几[个次种家位天部本场]|所有|全部|每[个次]|顺序|总结|概述|一共|总共",
    re.IGNORECASE,
)
_ASKING_WORDS = frozenset(terms(
    "conversation chat discuss discussion mention remind previous summary summarize comprehensive throughout remember "
    "recall"))
"""Terms that speak of the conversation itself. Source: measured, R@10 on BEAM's tuning half .582 to .592, nothing on
LoCoMo and LongMemEval; a longer list (order, list, tell, know, ...) costs .005 to .009 on LoCoMo."""


def meant_role(question: str) -> Meant | None:
    """Whose words are asked for: `what did I say` the user's, `what did you recommend` the assistant's.

    None where it is not said, or where both are meant (a summary).
    """
    if _OF_BOTH.search(question):
        return None
    if _ASSISTANT.search(question):
        return "assistant"
    return "user" if _USER.search(question) else None


def asks_for_many(question: str) -> bool:
    """Whether the answer is spread by nature: a list, a count, an order, a summary."""
    return _MANY.search(question) is not None


def without_asking_words(wanted: Sequence[str]) -> tuple[str, ...]:
    """The terms of a question without those that only ask; all of them where nothing else is left."""
    return tuple(term for term in wanted if term not in _ASKING_WORDS) or tuple(wanted)
