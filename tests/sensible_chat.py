"""A small deterministic reader behind the scripted server: it does by common words what a model does by understanding.

It reads our prompts as a model would get them, over HTTP, and answers each purpose: so commands can be tried whole,
recorded, replayed and shown, where no model can be had.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.scripted_chat import completion, stream
from tests.scripted_openai import Reply, Request

WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = """
about after also been before could does from have here into just like more much only over said some that their them
then there they this were what when where which will with would your yours
"""
COMMON = frozenset(_COMMON.split())


def sensible(request: Request) -> Reply:
    """What the reader says to a chat request."""
    messages = request.body["messages"]
    system, user = messages[0]["content"], messages[1]["content"]
    content = json.dumps(_answer(system, user), ensure_ascii=False)
    return stream(content) if request.body.get("stream") else completion(content)


def _answer(system: str, user: str) -> dict[str, Any]:
    if system.startswith("You file parts"):
        return {"picks": list(_picks(user))}
    if system.startswith("You keep the table"):
        return {"topics": list(_wordings(user))}
    if system.startswith("You choose where"):
        return _branch(user)
    if system.startswith("You answer a question"):
        return _found(user)
    return {"word": user.rsplit(maxsplit=1)[-1].strip('."')}


def words(text: str) -> Counter[str]:
    """The telling words of a text, without their endings."""
    return Counter(word.lower()[:6] for word in WORD.findall(text) if word.lower() not in COMMON)


def _common(one: Counter[str], other: Iterable[str]) -> int:
    return sum(1 for word in set(other) if word in one)


def blocks(text: str, label: str) -> dict[str, str]:
    """The parts of a text that begin with a label at the start of a line."""
    parts = re.split(rf"^({label}\d+)\b", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _picks(user: str) -> Iterable[dict[str, Any]]:
    topics, _, rest = user.partition("\nSegments:\n")
    said = {label: words(text) for label, text in blocks(topics, "T").items()}
    for label, text in blocks(rest, "S").items():
        head, _, turns = text.partition("\n")
        offered = re.findall(r"\b(?:T\d+|NEW-[A-Z]|HERE-[A-Z])", head)
        own = words(turns)
        best = max((one for one in offered if one in said), key=lambda one: _common(said[one], own), default=None)
        if best is not None and _common(said[best], own) >= 2:
            yield {"segment": label, "choice": best}
        else:
            new = next((one for one in offered if one.startswith("NEW")), offered[0])
            yield {"segment": label, "choice": new, "title": _title(turns)}


def _title(text: str) -> str:
    """Its most frequent words, as they stand in it."""
    counts = words(text)
    seen: dict[str, str] = {}
    for word in WORD.findall(text):
        seen.setdefault(word.lower()[:6], word.lower())
    return " ".join(seen[key] for key, _ in counts.most_common(3)) or "small talk"


def _wordings(user: str) -> Iterable[dict[str, Any]]:
    for line in user.splitlines():
        topic = json.loads(line)
        parts = topic.get("messages") or [f"{one['title']}. {one['summary']}" for one in topic["topics"]]
        texts = [part.partition(": ")[2] or part for part in parts]
        counts = words(" ".join(texts))
        best = sorted(texts, key=lambda text: -_common(counts, words(text)))[:2]
        summary = " ".join(" ".join(best).split()[:topic["words"]])
        yield {"label": topic["topic"], "title": _title(" ".join(texts)), "summary": summary}


def _branch(user: str) -> dict[str, Any]:
    head, _, _ = user.partition("\n")
    asked = words(head)
    branches = {label: words(text) for label, text in blocks(user, "T").items()}
    best = max(branches, key=lambda label: _common(branches[label], asked), default=None)
    if best is None or not _common(branches[best], asked):
        return {"pick": [], "stop": True}
    return {"pick": [best], "stop": False}


def _found(user: str) -> dict[str, Any]:
    asked = words(user.partition("\n")[0])
    said = {label: text.partition(": ")[2].strip() for label, text in blocks(user, "M").items()}
    best = max(said, key=lambda label: (_common(words(said[label]), asked), label), default=None)
    if best is None or not _common(words(said[best]), asked):
        return {"citations": [], "found": False, "answer": "The memory does not hold it."}
    return {"citations": [best], "found": True, "answer": f"{said[best].strip(chr(34))} [{best}]"}
