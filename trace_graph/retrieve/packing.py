"""From ranked candidates to what is shown: items inside a budget, and the context in reading order. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import groupby

from trace_graph.models import Dropped, Place, RecallItem, Why
from trace_graph.retrieve.ranking import Scored
from trace_graph.text.display import visible
from trace_graph.text.tokens import TokenCounter

LONG_TOKENS = 120
"""A message with more may have passages: they begin at about 120 words, in scripts without spaces at about 90 tokens
a passage."""

PASSAGE_TOKENS = 60
"""What a passage counts before it is read: half of a usual one, so that the head is rather too long than too short."""

MOST_OVERCOUNTED = 4
"""How many of our tokens may be one of a plugged-in counter. Guess: tokenizers give three words at least one."""

MOST_DAYS = 5
"""Days named on which the same was said again. Guess."""


@dataclass(frozen=True)
class Described:
    """A message's text and whereabouts, as read for showing it."""

    id: str
    external_id: str | None
    text: str
    part: tuple[int, int] | None
    """The passage to show, of a long message."""
    author: str
    session: str
    seq: int
    occurred_at: datetime
    offset: int
    """Minutes east of UTC."""
    topic_path: tuple[str, ...]
    topic: str | None = None
    """Id of the topic it lies in; None while it waits."""

    @property
    def shown(self) -> str:
        """What is shown of it."""
        return self.text if self.part is None else self.text[self.part[0]:self.part[1]].strip()


@dataclass(frozen=True)
class Packed:
    """What is shown."""

    items: list[RecallItem]
    is_full: bool
    """Whether something was left over that did not fit any more."""
    passed_over: Mapping[str, Dropped] = field(default_factory=dict)
    """By message, why it is not shown although something behind it may be."""


def fitting(ranked: Sequence[Scored], budget: int | None, limit: int | None) -> list[Scored]:
    """The head of the ranking that must be read to fill the budget, by the stored token counts.

    It ends with the first that does not fit any more; a long message counts as a passage. What is far too large for the
    whole budget is left out while nothing fits. With a limit the budget is off.
    """
    if limit is not None or budget is None:
        return list(ranked[:limit])
    head: list[Scored] = []
    used = 0
    for one in ranked:
        tokens = expected_tokens(one)
        if used == 0 and tokens > budget:
            if tokens <= MOST_OVERCOUNTED * budget:
                head.append(one)
            continue
        used += tokens
        head.append(one)
        if used > budget:
            break
    return head


def smallest_budget(first: Scored, described: dict[str, Described], count: TokenCounter) -> int | None:
    """The smallest budget, in tokens, with which this first hit is shown; None where it is gone meanwhile."""
    message = described.get(first.candidate.id)
    # Nothing is read whose stored count is far beyond the budget.
    return None if message is None else max(-(-expected_tokens(first) // MOST_OVERCOUNTED), count(message.shown))


def expected_tokens(one: Scored) -> int:
    """Tokens of what will be shown of a candidate, as far as they are known before it is read."""
    # A long message is shown by a passage; how large that is, is known only when it is read.
    is_long = one.candidate.part is not None or one.candidate.tokens > LONG_TOKENS
    return min(one.candidate.tokens, PASSAGE_TOKENS) if is_long else one.candidate.tokens


def pack(
    head: Sequence[Scored], described: dict[str, Described], budget: int | None, count: TokenCounter,
    limit: int | None = None,
) -> Packed:
    """Whole items in rank order until one does not fit, as measured, or the limit is reached.

    The first ones that do not fit alone are passed over, so that a small budget is not an empty answer. What its author
    said in the same words elsewhere is shown once, with its other places.
    """
    items: list[RecallItem] = []
    passed_over: dict[str, Dropped] = {}
    shown: dict[tuple[str, str], RecallItem] = {}
    used = 0
    for one in head:
        if limit is not None and len(items) >= limit:
            return Packed(items, True, passed_over)
        message = described.get(one.candidate.id)
        if message is None:  # erased between two queries
            passed_over[one.candidate.id] = "not readable"
            continue
        same = shown.get((message.author, message.text))
        if same is not None:
            same.also.append(_place(message))
            passed_over[message.id] = "duplicate"
            continue
        tokens = count(message.shown)
        if budget is not None and used + tokens > budget:
            if items:
                return Packed(items, True, passed_over)
            passed_over[one.candidate.id] = "budget"
            continue
        used += tokens
        items.append(_item(len(items) + 1, one, message, tokens))
        shown[message.author, message.text] = items[-1]
    return Packed(items, False, passed_over)


def _place(message: Described) -> Place:
    return Place(
        id=message.id, external_id=message.external_id, session=message.session, occurred_at=message.occurred_at)


def _item(rank: int, scored: Scored, message: Described, tokens: int) -> RecallItem:
    candidate = scored.candidate
    return RecallItem(
        rank=rank, id=message.id, external_id=message.external_id, text=message.shown, part=message.part,
        author=message.author, occurred_at=message.occurred_at, session=message.session,
        topic_path=list(message.topic_path), score=round(scored.score, 6), tokens=tokens,
        why=Why(
            text=round(scored.text, 4), vector=round(scored.vector, 4), speaker=round(scored.speaker, 4),
            date=round(scored.date, 4), role=round(scored.role, 4), near=round(scored.near, 4),
            found_by=list(candidate.found_by), words=list(dict.fromkeys(candidate.hits))))


def reading_order(items: Iterable[RecallItem], described: dict[str, Described]) -> str:
    """The items as a text to read: by time, grouped by session, with date and speaker.

    Each item begins a line of its own, its further lines are indented, and characters that hide or act are written as
    escapes: no message can look like another one, nor hold what only a model would see.
    """
    ordered = sorted(items, key=lambda item: (
        described[item.id].occurred_at, described[item.id].session, described[item.id].seq))
    blocks = []
    for (day, session), group in groupby(ordered, key=lambda item: _heading(described[item.id])):
        lines = [
            f"{visible(item.author, one_line=True)}{_said_again(item, described)}: {_indented(item.text)}"
            for item in group]
        blocks.append("\n".join([f"[{day}, session {visible(session, one_line=True)}]", *lines]))
    return "\n\n".join(blocks)


def _said_again(item: RecallItem, described: dict[str, Described]) -> str:
    """On which other days its author said the same; nothing where it was said once."""
    if not item.also:
        return ""
    places = sorted((described[place.id] for place in item.also), key=lambda one: one.occurred_at)
    days = list(dict.fromkeys(_heading(place)[0] for place in places))
    more = f" and {len(days) - MOST_DAYS} other days" if len(days) > MOST_DAYS else ""
    return f" (again on {', '.join(days[:MOST_DAYS])}{more})"


def _heading(message: Described) -> tuple[str, str]:
    local = message.occurred_at.astimezone(timezone(timedelta(minutes=message.offset)))
    return f"{local.day} {local:%B} {local.year}", message.session


def _indented(text: str) -> str:
    # A line that a message brings along must not look like another speaker's.
    return visible(text).replace("\n", "\n    ")
