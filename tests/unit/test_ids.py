"""Ids are UUIDv7: valid, of now, in order, and never the same."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from uuid import RFC_4122, UUID

import pytest

from trace_graph.models import ids as ids_module
from trace_graph.models import uuid7


def test_an_id_is_a_uuid_of_version_7_that_says_when_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    id = uuid7()
    after = time.time_ns() // 1_000_000

    parsed = UUID(id)
    assert (str(parsed), parsed.version, parsed.variant) == (id, 7, RFC_4122)
    assert before <= parsed.int >> 80 <= after + 1


def test_ids_sort_in_the_order_in_which_they_were_made() -> None:
    ids = [uuid7() for _ in range(5_000)]

    assert ids == sorted(ids)
    assert len(set(ids)) == 5_000


def test_ids_stay_in_order_while_the_clock_stands_and_jumps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = time.time_ns() + 3_600_000_000_000
    moments = iter([moment, moment, moment, moment - 10**9, moment - 10**12, moment + 10**6])
    monkeypatch.setattr(time, "time_ns", lambda: next(moments))
    # With a sequence of its own: the ids of all later tests of this process would be of the future.
    monkeypatch.setattr(ids_module, "_sequence", ids_module._Sequence())

    ids = [uuid7() for _ in range(6)]

    assert all(earlier < later for earlier, later in pairwise(ids))
    assert {UUID(id).version for id in ids} == {7}


def test_threads_never_get_the_same_id() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda _: [uuid7() for _ in range(500)], range(8))
        ids = [id for part in made for id in part]

    assert len(set(ids)) == 4_000


def test_the_random_part_differs_from_id_to_id() -> None:
    tails = {uuid7()[24:] for _ in range(1_000)}

    assert len(tails) == 1_000
