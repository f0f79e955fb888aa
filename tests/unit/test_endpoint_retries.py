from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trace_graph.endpoints.retries import may_retry, pause_asked, seconds_to_wait

NOW = datetime(2026, 5, 14, 9, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(("headers", "seconds"), [
    ({}, None),
    ({"retry-after": "3"}, 3.0),
    ({"retry-after": "0"}, 0.0),
    ({"retry-after": "-1"}, None),
    ({"retry-after": "NaN"}, None),
    ({"retry-after": "inf"}, None),
    ({"retry-after": ""}, None),
    ({"retry-after": "soon"}, None),
    ({"retry-after": "Thu, 14 May 2026 09:00:20 GMT"}, 20.0),
    ({"retry-after": "Thu, 14 May 2026 09:00:20"}, 20.0),
    ({"retry-after": "Thu, 14 May 2026 08:00:00 GMT"}, 0.0),
    ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
])
def test_the_pause_asked_for_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert pause_asked(headers, NOW) == seconds


@pytest.mark.parametrize(("status", "code", "tries", "pause", "again"), [
    (429, "rate_limit_exceeded", 9, None, True),
    (429, None, 1, 30.0, True),
    (429, None, 1, 30.1, False),
    (429, "insufficient_quota", 1, None, False),
    (503, None, 9, None, True),
    (500, None, 2, None, True),
    (500, None, 3, None, False),
    (None, None, 2, None, True),
    (None, None, 3, None, False),
    (400, None, 1, None, False),
    (401, None, 1, None, False),
])
def test_only_what_waiting_can_mend_is_tried_again(
    status: int | None, code: str | None, tries: int, pause: float | None, again: bool,
) -> None:
    assert may_retry(status, code, tries, pause) is again


def test_waits_grow_to_a_limit_and_differ_between_workers() -> None:
    waits = [[seconds_to_wait(tries, None) for _ in range(50)] for tries in (1, 2, 3, 9)]

    for some, full in zip(waits, (0.5, 1, 2, 8), strict=True):
        assert 0.75 * full <= min(some) < max(some) <= full


def test_a_pause_asked_for_is_never_cut_short() -> None:
    assert all(3 <= seconds_to_wait(1, 3.0) <= 3.75 for _ in range(50))
