"""Values of the database come out as Python's own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import neo4j.spatial
import neo4j.time
import neo4j.vector
import pytest

from trace_graph.store.plain_values import plain_value


@pytest.mark.parametrize(("value", "expected"), [
    (None, None),
    (True, True),
    (1.5, 1.5),
    ("text", "text"),
    ([1, [2, {"a": neo4j.time.Date(2026, 2, 3)}]], [1, [2, {"a": "2026-02-03"}]]),
    (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)),
    (neo4j.time.DateTime(2026, 1, 1, 12, 0, 0, 500_000_000), datetime(2026, 1, 1, 12, 0, 0, 500_000, tzinfo=UTC)),
    (neo4j.time.Time(1, 2, 3), "01:02:03.000000000"),
    (neo4j.time.Duration(days=1, hours=2), "P1DT2H"),
    (neo4j.spatial.CartesianPoint((1.0, 2.5)), "point(srid 7203: 1, 2.5)"),
    (neo4j.spatial.WGS84Point((24.9384, 60.1699, 5.0)), "point(srid 4979: 24.9384, 60.1699, 5)"),
    (neo4j.vector.Vector([1.0, 0.5], "f32"), [1.0, 0.5]),
    (b"\x00\xff", "AP8="),
])
def test_a_value_is_plain(value: Any, expected: Any) -> None:
    assert plain_value(value) == expected
    assert type(plain_value(value)) is type(expected)
