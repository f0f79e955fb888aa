"""Where a session's waiting messages are cut into segments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from trace_graph.models.ids import NewId
from trace_graph.organize.values import (
    FiledMessage,
    FiledSegment,
    Segment,
    SegmentId,
    ShapeSettings,
    Total,
    WaitingMessage,
)
from trace_graph.organize.vectors import centred, unit_rows


def cut(
    waiting: Iterable[WaitingMessage],
    tails: Mapping[str, FiledSegment],
    mean: Total,
    new_id: NewId,
    *,
    settings: ShapeSettings = ShapeSettings(),  # noqa: B008 (frozen)
) -> list[Segment]:
    """The segments of the waiting messages, in order of the time they begin.

    `tails` holds the last filed segment of each session that has one. Messages that follow it without a break join
    it, up to the largest size of a segment: so a session that is organised turn by turn is cut like a whole one.

    Source: TextTiling (Hearst 1997) on centred vectors, as in the retrieval study, section 4.
    """
    sessions: dict[str, list[WaitingMessage]] = defaultdict(list)
    for message in waiting:
        sessions[message.session].append(message)
    segments: list[Segment] = []
    for session, messages in sessions.items():
        messages.sort(key=lambda message: (message.seq, message.id))
        segments += _cut_session(messages, tails.get(session), mean, new_id, settings)
    return sorted(segments, key=lambda segment: (
        segment.messages[0].occurred_at, segment.session, segment.messages[0].seq))


def _cut_session(
    messages: Sequence[WaitingMessage],
    tail: FiledSegment | None,
    mean: Total,
    new_id: NewId,
    settings: ShapeSettings,
) -> list[Segment]:
    segments: list[Segment] = []
    start = 0
    for end in [*_gaps(messages, settings), len(messages)]:
        block = messages[start:end]
        open_tail = tail if start == 0 and tail and _goes_on(tail, block[0], settings) else None
        filed = open_tail.messages if open_tail else ()
        cuts = [0, *borders([*filed, *block], len(filed), mean, settings), len(filed) + len(block)]
        for left, right in pairwise(cuts):
            turns = tuple(block[max(0, left - len(filed)):right - len(filed)])
            if not turns:
                continue
            joins = open_tail is not None and left == 0
            segments.append(Segment(
                id=open_tail.id if joins and open_tail else SegmentId(new_id()),
                session=block[0].session, messages=turns,
                after=None if segments else tail, joins=joins))
        start = end
    return segments


def _gaps(messages: Sequence[WaitingMessage], settings: ShapeSettings) -> list[int]:
    return [place for place in range(1, len(messages))
            if abs(messages[place].occurred_at - messages[place - 1].occurred_at) > settings.gap]


def _goes_on(tail: FiledSegment, first: WaitingMessage, settings: ShapeSettings) -> bool:
    if len(tail.messages) >= settings.max_turns:
        return False
    return abs(first.occurred_at - tail.messages[-1].occurred_at) <= settings.gap


def borders(
    turns: Sequence[WaitingMessage | FiledMessage], fixed: int, mean: Total, settings: ShapeSettings,
) -> list[int]:
    """The places to cut turns that follow each other without a gap: `i` means between turn i-1 and turn i.

    The first `fixed` turns stay together. Pieces have `min_turns` to `max_turns` turns; only what is cut off right
    behind the fixed turns may be shorter, as more may follow it.
    """
    count = len(turns)
    # A cut soon behind the fixed turns, yet too far for them to reach it, would leave a piece that cannot be cut.
    dead = range(settings.max_turns + 1, fixed + settings.min_turns)
    allowed = [place for place in range(max(fixed, settings.min_turns), count)
               if place == fixed or (count - place >= settings.min_turns and place not in dead)]
    if not allowed:
        return []
    similar = _similarities(turns, mean, settings.window)
    found: list[int] = []
    for place in sorted(_dips(similar, allowed, settings), key=lambda place: (similar[place], place)):
        if all(abs(place - other) >= settings.min_turns for other in found):
            found.append(place)
    return _with_forced_cuts(sorted(found), count, allowed, similar, settings)


def _similarities(turns: Sequence[WaitingMessage | FiledMessage], mean: Total, window: int) -> list[float]:
    """Cosine of the turns before and behind each place; nan where one side has no vector. Index 0 is unused."""
    known = np.array([turn.vector is not None for turn in turns])
    rows = np.zeros((len(turns), len(mean)))
    if known.any():
        rows[known] = centred(np.array([turn.vector for turn in turns if turn.vector is not None], dtype=float), mean)
    sums = np.vstack([np.zeros(len(mean)), np.cumsum(rows, axis=0)])
    counts = np.concatenate([[0], np.cumsum(known)])
    places = np.arange(len(turns))
    low, high = np.maximum(places - window, 0), np.minimum(places + window, len(turns))
    similar = np.einsum("ij,ij->i", unit_rows(sums[places] - sums[low]), unit_rows(sums[high] - sums[places]))
    blind = (counts[places] == counts[low]) | (counts[high] == counts[places])
    return [float(value) for value in np.where(blind, np.nan, similar)]


def _dips(similar: Sequence[float], allowed: Sequence[int], settings: ShapeSettings) -> list[int]:
    """The allowed places that are local minima and clearly below the mean similarity."""
    seen = np.array([value for value in similar[1:] if not np.isnan(value)])
    weight = settings.usual_weight
    mean = (settings.usual_similarity * weight + seen.sum()) / (weight + len(seen))
    spread = ((settings.usual_deviation**2 + (settings.usual_similarity - mean)**2) * weight
              + ((seen - mean)**2).sum()) / (weight + len(seen))
    limit = mean - settings.dip * spread**0.5
    around = {place: [similar[other] for other in (place - 1, place + 1) if 0 < other < len(similar)]
              for place in allowed}
    return [place for place in allowed
            if similar[place] < limit and not any(value < similar[place] for value in around[place])]


def _with_forced_cuts(
    found: Sequence[int], count: int, allowed: Sequence[int], similar: Sequence[float], settings: ShapeSettings,
) -> list[int]:
    """The cuts, and more of them, at the least similar places, until no piece is too long."""
    cuts = [0, *found, count]
    piece = 0
    while piece < len(cuts) - 1:
        start, end = cuts[piece], cuts[piece + 1]
        if end - start <= settings.max_turns:
            piece += 1
            continue
        places = [place for place in allowed if place - start >= settings.min_turns
                  and (end == count or end - place >= settings.min_turns) and place < end]
        middle = (start + end) / 2
        cuts.insert(piece + 1, min(places, key=lambda place: (
            1.0 if np.isnan(similar[place]) else similar[place], abs(place - middle), place)))
    return cuts[1:-1]
