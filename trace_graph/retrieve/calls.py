"""Calls to models are looked up: lists, single calls, what they made, figures."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, get_args

from trace_graph.access.scopes import Scope, Space
from trace_graph.errors import InvalidInput, NotFound
from trace_graph.models import CallDetail, CallGroup, CallLine, CallMade, CallStats
from trace_graph.models.calls import Outcome, Purpose
from trace_graph.store.batches import grouped
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row

ORGANISING: frozenset[str] = frozenset({"route", "descend", "summarise"})
"""Purposes of the organiser."""
MOST_LISTED = 10_000
"""Calls of one list. Guess: 5 MB of JSON."""
PAGE_CHARACTERS = 1024 * 1024
"""About what one page of calls holds of text. Guess."""
CALL_CHARACTERS = 1_000
"""What a call counts beside its texts. Guess."""

_OF_A_CALL = frozenset(CallDetail.model_fields) - {"space", "made", "inputs", "figures"}


@dataclass(frozen=True)
class Wanted:
    """Which calls are meant."""

    purposes: tuple[Purpose, ...]
    outcomes: tuple[Outcome, ...]
    since: datetime
    limit: int

    @classmethod
    def of(cls, purpose: str | None, outcome: str | None, since: datetime, limit: int) -> Wanted:
        """Checked. Raises: InvalidInput."""
        if type(limit) is not int or not 1 <= limit <= MOST_LISTED:
            raise InvalidInput(f"A list of calls has 1 to {MOST_LISTED:,} of them.", fix="Give such a --limit.")
        return cls(
            _known("purpose", purpose, get_args(Purpose)), _known("outcome", outcome, get_args(Outcome)), since, limit)


def _known(what: str, given: str | None, known: tuple[Any, ...]) -> tuple[Any, ...]:
    if given is not None and given not in known:
        raise InvalidInput(f"There is no {what} of that name.", fix=f"Give one of {', '.join(known)}.")
    return known if given is None else (given,)


async def list_calls(store: Store, scope: Scope, space: Space, wanted: Wanted) -> list[CallLine]:
    """The latest calls for a space, the latest first; `scope` is what may be read.

    Raises: EngineUnavailable, StoreFailed.
    """
    rows = await store.read(
        "list_calls", wanted=[space.id], spaces=scope.ids, purposes=list(wanted.purposes),
        outcomes=list(wanted.outcomes), since=wanted.since, limit=wanted.limit)
    return [CallLine(**row) for row in rows]


async def read_call(store: Store, scope: Scope, id: str) -> CallDetail:
    """One call.

    Raises: NotFound where there is none, or one of its spaces must not be read: the two look the same.
    """
    found = await read_calls(store, scope, [id])
    if not found:
        raise NotFound(f"There is no call {id!r}.", fix="See trace-graph calls list --space S.")
    return found[0]


async def read_calls(store: Store, scope: Scope, ids: Sequence[str]) -> list[CallDetail]:
    """Calls by id, those that are there, in the order of the ids. Raises: EngineUnavailable, StoreFailed."""
    rows = await store.read("read_calls", ids=list(ids), spaces=scope.ids)
    made: dict[str, list[CallMade]] = defaultdict(list)
    for row in await store.read("made_by_calls", ids=list(ids), spaces=scope.ids):
        made[row["call"]].append(CallMade(kind=row["kind"], id=row["id"]))
    names = {str(space.id): space.name for space in scope.spaces}
    calls = {row["properties"]["id"]: _detail(row["properties"], names, made) for row in rows}
    return [calls[id] for id in ids if id in calls]


async def all_calls(store: Store, scope: Scope, space: Space) -> AsyncIterator[CallDetail]:
    """Every call for a space, by id, which is about the order in which they were made."""
    rows = sorted(await store.read_lists("call_ids", wanted=[space.id], spaces=scope.ids), key=lambda row: str(row[0]))
    for page in grouped(rows, PAGE_CHARACTERS, lambda row: CALL_CHARACTERS + int(row[1] or 0)):
        for call in await read_calls(store, scope, [str(row[0]) for row in page]):
            yield call


async def call_stats(store: Store, scope: Scope, space: Space) -> CallStats:
    """What calls for a space cost. Raises: EngineUnavailable, StoreFailed."""
    rows = await store.read_lists("call_figures", wanted=[space.id], spaces=scope.ids)
    return stats_of(space.name, space.messages, rows)


def stats_of(name: str, messages: int, rows: Sequence[Sequence[Any]]) -> CallStats:
    """Figures of calls. Pure.

    Args:
        rows: purpose, model, outcome, requests, milliseconds, tokens in, tokens out.
    """
    together: dict[tuple[Any, ...], list[Sequence[Any]]] = defaultdict(list)
    for row in rows:
        together[tuple(row[:3])].append(row)
    groups = [_group(key, together[key], messages) for key in sorted(together)]
    organising = sum(group.calls for group in groups if group.purpose in ORGANISING)
    return CallStats(
        space=name, messages=messages, calls=len(rows), requests=sum(group.requests for group in groups),
        tokens_in=sum(group.tokens_in for group in groups), tokens_out=sum(group.tokens_out for group in groups),
        organising_calls_per_message=_per(organising, messages), groups=groups)


def _group(key: tuple[Any, ...], rows: Sequence[Sequence[Any]], messages: int) -> CallGroup:
    purpose, model, outcome = key
    milliseconds = sorted(row[4] for row in rows)
    return CallGroup(
        purpose=purpose, model=model, outcome=outcome, calls=len(rows), requests=sum(row[3] for row in rows),
        tokens_in=sum(row[5] or 0 for row in rows), tokens_out=sum(row[6] or 0 for row in rows),
        milliseconds_p50=_rank(milliseconds, 0.5), milliseconds_p95=_rank(milliseconds, 0.95),
        calls_per_message=_per(len(rows), messages))


def _rank(ordered: Sequence[int], share: float) -> int:
    """The smallest value that so large a share does not exceed."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def _per(calls: int, messages: int) -> float:
    return round(calls / messages, 4) if messages else 0.0


def _detail(properties: Row, names: Mapping[str, str], made: Mapping[str, list[CallMade]]) -> CallDetail:
    kept = {name: properties.get(name) for name in _OF_A_CALL}
    return CallDetail(
        **kept, space=names[properties["space"]], inputs=json.loads(properties["inputs"]),
        figures=json.loads(properties.get("figures") or "{}"), made=made.get(properties["id"], []))
