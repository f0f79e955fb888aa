"""The ledger's clock goes forward only, and its hash covers everything but caches, whatever the order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.store.ledger import CACHES, TICK, Actor, Clock, Record, event, payload_hash

NOW = datetime(2026, 1, 1, 12, 0, 0, 5, tzinfo=UTC)


def test_the_first_reading_of_a_clock_is_now() -> None:
    assert Clock.after(None, None, None, NOW) == Clock(1, NOW, 1)


@pytest.mark.parametrize(
    ("last", "now", "next"),
    [
        (NOW - timedelta(days=1), NOW, NOW),
        (NOW, NOW, NOW + TICK),
        (NOW + timedelta(days=1), NOW, NOW + timedelta(days=1) + TICK),
    ],
    ids=["behind", "standing", "jumped back"],
)
def test_each_reading_lies_after_the_last_whatever_the_clock_shows(
    last: datetime, now: datetime, next: datetime
) -> None:
    assert Clock.after(7, last, 9, now) == Clock(8, next, 10)


@given(st.lists(st.datetimes(timezones=st.just(UTC), min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1))))
def test_readings_strictly_increase(moments: list[datetime]) -> None:
    readings: list[Clock] = []
    for moment in moments:
        last = readings[-1] if readings else None
        if last is None:
            readings.append(Clock.after(None, None, None, moment))
        else:
            readings.append(Clock.after(last.change_seq, last.recorded_at, last.event_seq, moment))

    assert [one.change_seq for one in readings] == list(range(1, len(moments) + 1))
    assert [one.recorded_at for one in readings] == sorted({one.recorded_at for one in readings})


MESSAGE: dict[str, Any] = {
    "id": "m1",
    "text": "é e\u0301",
    "seq": 1,
    "recorded_at": NOW,
    "content": None,
    "embedding": [0.1, 0.2],
    "waiting": True,
}


def test_the_hash_is_the_known_one() -> None:
    """Once written it may never change: stored ledgers would no longer verify."""
    assert payload_hash([Record("Message", MESSAGE), Record("NEXT", {"from": "m0", "to": "m1"})]) == (
        "03086c674f093760f742c57e94b8c232b60561694229958656489a69a3aa5143"
    )


def test_order_absent_values_and_caches_do_not_change_a_hash() -> None:
    plain = {"id": "m1", "text": "é e\u0301", "seq": 1, "recorded_at": NOW, "embedding": [0.1, 0.2]}
    link = Record("NEXT", {"to": "m1", "from": "m0"})

    assert payload_hash([Record("Message", MESSAGE), link]) == payload_hash([link, Record("Message", plain)])


@pytest.mark.parametrize(
    "change",
    [
        {"id": "m2"},
        {"text": "é é"},
        {"seq": 2},
        {"seq": "1"},
        {"recorded_at": NOW + TICK},
        {"content": ""},
        {"embedding": [0.1, 0.3]},
        {"more": 1},
    ],
)
def test_every_property_that_is_no_cache_changes_the_hash(change: dict[str, Any]) -> None:
    assert payload_hash([Record("Message", {**MESSAGE, **change})]) != payload_hash([Record("Message", MESSAGE)])


def test_the_same_properties_under_another_label_are_another_record() -> None:
    assert payload_hash([Record("Message", {"id": "x"})]) != payload_hash([Record("Topic", {"id": "x"})])


def test_an_instant_hashes_the_same_in_every_zone() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=5, minutes=45)))

    assert payload_hash([Record("Message", {"at": NOW})]) == payload_hash([Record("Message", {"at": there})])


def test_a_vector_hashes_by_the_32_bit_floats_that_engines_keep() -> None:
    assert payload_hash([Record("Message", {"embedding": [0.1]})]) == payload_hash(
        [Record("Message", {"embedding": [0.10000000149011612]})]
    )


@pytest.mark.parametrize("kind", sorted(CACHES))
def test_a_cache_of_its_own_label_only_is_left_out(kind: str) -> None:
    cache = sorted(CACHES[kind])[0]

    assert payload_hash([Record(kind, {"id": "x", cache: "y"})]) == payload_hash([Record(kind, {"id": "x"})])
    assert "Event" not in CACHES
    assert payload_hash([Record("Event", {"id": "x", cache: "y"})]) != payload_hash([Record("Event", {"id": "x"})])


def test_an_event_says_who_did_what_through_which_door() -> None:
    records = [Record("Message", {"id": "m1"})]

    assert event(
        Clock(8, NOW, 3),
        id="e1",
        space="s1",
        actor=Actor("mira", "cli"),
        action="messages.added",
        targets=("m1",),
        records=records,
        reason="asked to",
    ) == {
        "id": "e1",
        "space": "s1",
        "seq": 3,
        "place_key": "s1/3",
        "change_seq": 8,
        "recorded_at": NOW,
        "actor": "mira",
        "door": "cli",
        "action": "messages.added",
        "targets": ["m1"],
        "payload_hash": payload_hash(records),
        "reason": "asked to",
    }
