"""Calls to language models: kept in the graph, counted against the allowance of a day, and dropped when they may go.

Two kinds. A call of organising belongs to the history of its space: it is written with what it made, its ledger event
covers it, and exports hold it. Every other call is passing: of a recall it goes with that recall, of a run of the
organiser that had no use of it after `PASSING_DAYS`; no export holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from typing import Any

from trace_graph.errors import StoreFailed
from trace_graph.models.calls import ModelCall
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Clock, Record
from trace_graph.store.rows import Row

PASSING_DAYS = 30
"""Days for which calls are kept that neither made anything nor belong to a recall. Guess: a month of failures shows
what is wrong with an endpoint."""
MOST_DROPPED = 1000
"""Calls that one query removes. Guess."""

NO_SPACE = "none"
"""Stands in `passing_in` of calls that were made for no space; no id of a space is this."""

CallWithId = tuple[str, ModelCall]
"""A call and the id that it has in the graph."""

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
"""What a model may write as an escape of JSON, and no database takes."""


@dataclass(frozen=True)
class Used:
    """What was asked of models on one day, by all who share the database."""

    calls: int
    requests: int
    """HTTP requests, those that were tried again included."""
    tokens: int
    """In and out, as endpoints count them."""


ProvedForm = Mapping[str, Any]
"""What one model at one host proved able to do, as JSON: `model`, `host`, `form`, `at` and more."""


async def write_calls(
    transaction: Transaction, space: str, calls: Sequence[CallWithId], clock: Clock
) -> list[Record]:
    """Write calls of organising in the transaction of what they made; what its ledger event must cover."""
    rows = rows_of_calls(space, calls, clock=clock)
    if rows:
        await transaction.run("keep_calls", calls=rows)
    return [Record("ModelCall", row) for row in rows]


async def link_made(transaction: Transaction, pairs: Sequence[tuple[str, str]], clock: Clock) -> list[Record]:
    """Draw MADE from calls to the revisions, topics and messages that they made; what the ledger event must cover.

    Args:
        pairs: id of the call, id of what it made.

    Raises: StoreFailed where one of them is not there.
    """
    stamp = {"recorded_at": clock.recorded_at, "change_seq": clock.change_seq}
    wanted = sorted(set(pairs))
    if wanted:
        rows = await transaction.run("link_made", links=[
            {"source": call, "target": made, "properties": stamp} for call, made in wanted])
        if rows[0]["made"] != len(wanted):
            raise StoreFailed(f"MADE was drawn {rows[0]['made']} times, not {len(wanted)}.")
    return [Record("MADE", {"from": call, "to": made, **stamp}) for call, made in wanted]


async def keep_calls(
    store: Store, space: str, calls: Sequence[CallWithId], *, now: datetime, recall: str | None = None,
    spaces: Sequence[str] | None = None,
) -> None:
    """Keep passing calls, in a transaction of their own; drop those of the space that may go.

    Args:
        recall: id of the recall that they served.
        spaces: ids of all spaces whose texts may stand in them; default: this one.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    async def work(transaction: Transaction) -> None:
        await write_passing_calls(transaction, space, calls, recall=recall, spaces=spaces)
        await drop_passing_calls(transaction, space, now)

    if calls:
        await store.write(work, "keep_calls", space=space)


async def keep_calls_of_no_space(store: Store, calls: Sequence[CallWithId], *, now: datetime) -> None:
    """Keep passing calls that were made for no space, so that the allowance of the day counts them.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    rows = [{**row, "space": None, "spaces": None} for row in rows_of_calls(NO_SPACE, calls)]

    async def work(transaction: Transaction) -> None:
        await transaction.run("keep_calls", calls=rows)
        await drop_passing_calls(transaction, NO_SPACE, now)

    if rows:
        await store.write(work, "keep_calls")


async def write_passing_calls(
    transaction: Transaction, space: str, calls: Sequence[CallWithId], *, recall: str | None = None,
    spaces: Sequence[str] | None = None,
) -> None:
    """Keep passing calls within a transaction; MADE leads to their recall where that is there already."""
    rows = rows_of_calls(space, calls, recall=recall, spaces=spaces)
    if not rows:
        return
    await transaction.run("keep_calls", calls=rows)
    if recall is not None:
        await transaction.run("link_made_recalls", links=[{"source": row["id"], "target": recall} for row in rows])


async def drop_passing_calls(transaction: Transaction, space: str, now: datetime) -> None:
    """Remove calls of recalls that are kept no more, and old ones of no recall.

    Those of today and yesterday stay: they count against the allowance of their day, and their recall may be written
    after them.
    """
    today = now.astimezone(UTC).date()
    before, since = ((today - timedelta(days=days)).isoformat() for days in (1, PASSING_DAYS))
    dropped = MOST_DROPPED
    while dropped == MOST_DROPPED:
        rows = await transaction.run(
            "drop_passing_calls", space=space, before=before, since=since, most=MOST_DROPPED)
        dropped = rows[0]["dropped"]


async def used_today(store: Store, day: date) -> Used:
    """What was asked of models on a day (UTC), over the whole database."""
    rows = await store.read("calls_of_days", days=[day.isoformat()])
    return Used(*(sum(int(row[name]) for row in rows) for name in ("calls", "requests", "tokens")))


async def read_forms(store: Store) -> list[ProvedForm]:
    """What models proved able to do, by model and host. Raises: EngineUnavailable, StoreFailed."""
    return _forms(await store.read("read_forms"))


async def save_forms(store: Store, forms: Sequence[ProvedForm], *, token: str) -> None:
    """Note what these models proved able to do; what is known of others stays, also where two save at once.

    Args:
        token: a fresh id, for the lock.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    async def work(transaction: Transaction) -> None:
        known = {_place(one): one for one in _forms(await transaction.run("lock_forms", token=token))}
        known |= {_place(one): one for one in forms}
        await transaction.run("save_forms", forms=_json([known[place] for place in sorted(known)]))

    await store.write(work, "save_forms")


def rows_of_calls(
    space: str, calls: Sequence[CallWithId], *, clock: Clock | None = None, recall: str | None = None,
    spaces: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """The properties of calls, in their order: history with a clock, passing without. Pure."""
    more: dict[str, Any] = {"passing_in": space, "recall": recall, "spaces": list(spaces or [space])}
    if clock is not None:
        more = {"recorded_at": clock.recorded_at, "change_seq": clock.change_seq}
    return [
        {"id": id, "space": space, **_properties(call), "follows": _before(calls[:place], call), **more}
        for place, (id, call) in enumerate(calls)]


def call_of(properties: Mapping[str, Any]) -> ModelCall:
    """The call of a node's properties."""
    known = {one.name: properties.get(one.name) for one in fields(ModelCall)}
    return ModelCall(**{
        **known, "inputs": json.loads(properties["inputs"]), "figures": json.loads(properties.get("figures") or "{}")})


def _properties(call: ModelCall) -> dict[str, Any]:
    values = {one.name: getattr(call, one.name) for one in fields(call)}
    return {
        **{name: _storable(value) for name, value in values.items()},
        "inputs": _json(call.inputs), "figures": _json(call.figures) if call.figures else None,
        "at": call.at.astimezone(UTC), "day": call.at.astimezone(UTC).date().isoformat()}


def _before(earlier: Sequence[CallWithId], call: ModelCall) -> str | None:
    """The call whose fault this one names: the attempt before it at the same question."""
    return next((
        id for id, one in reversed(earlier)
        if call.attempt > 1 and (one.purpose, one.attempt) == (call.purpose, call.attempt - 1)
        and one.inputs == call.inputs), None)


def _storable(value: Any) -> Any:
    return _NOT_STORABLE.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value


def _json(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return str(_storable(text))


def _forms(rows: Sequence[Row]) -> list[ProvedForm]:
    kept: list[ProvedForm] = json.loads(rows[0]["forms"] or "[]") if rows else []
    return kept


def _place(form: ProvedForm) -> tuple[str, str]:
    return str(form["model"]), str(form["host"])
