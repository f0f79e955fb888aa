"""When a model words a topic anew, and when it is left alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from trace_graph.llm_settings import SummarySettings
from trace_graph.models.ids import MessageId
from trace_graph.organize.due import (
    Again,
    Change,
    Standing,
    change_of_leaf,
    change_of_parent,
    is_due,
    left_behind,
    not_asked,
    refused,
)
from trace_graph.organize.values import WaitingMessage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
SETTINGS = SummarySettings(changed=0.34, drift=0.2, days=7, retry_minutes=10)
WORDED = Standing("llm", 20, 18, None, 0)
NO_MEAN = np.zeros(2)


def message(name: str, x: float, y: float) -> WaitingMessage:
    return WaitingMessage(MessageId(name), "s", 1, "Mira", name, np.array([x, y], dtype=np.float32), NOW)


@pytest.mark.parametrize(("standing", "change", "due"), [
    (replace(WORDED, method=None), Change(1.0), True),
    (replace(WORDED, method="extractive"), Change(0.0), True),
    (WORDED, Change(0.1), False),
    (WORDED, Change(0.34), True),
    (WORDED, Change(0.0, drift=0.2), True),
    (replace(WORDED, word_at=NOW + HOUR), Change(0.1), False),
    (replace(WORDED, word_at=NOW - HOUR), Change(0.1), True),
    (replace(WORDED, word_at=NOW + HOUR, failed=1), Change(1.0), False),
    (replace(WORDED, method="extractive", word_at=NOW + HOUR, failed=2), Change(1.0), False),
    (replace(WORDED, word_at=NOW, failed=1), Change(0.1), True),
])
def test_the_model_is_asked_for_what_changed_enough_or_waited_long(
    standing: Standing, change: Change, due: bool
) -> None:
    assert is_due(standing, change, NOW, SETTINGS) is due


def test_a_topic_that_falls_behind_has_its_day_from_the_first_time_on() -> None:
    first = left_behind(WORDED, NOW, SETTINGS)

    assert first == Again(NOW + timedelta(days=7))
    assert left_behind(replace(WORDED, word_at=first.at), NOW + HOUR, SETTINGS) == first


def test_each_refusal_doubles_the_pause_up_to_a_day() -> None:
    pauses = [refused(replace(WORDED, failed=failed), NOW, SETTINGS) for failed in (0, 1, 2, 60)]

    assert pauses == [
        Again(NOW + timedelta(minutes=10), 1), Again(NOW + timedelta(minutes=20), 2),
        Again(NOW + timedelta(minutes=40), 3), Again(NOW + timedelta(days=1), 61)]


def test_an_endpoint_that_is_away_is_no_refusal() -> None:
    assert not_asked(replace(WORDED, failed=2), NOW) == Again(NOW, 2)


def test_of_a_leaf_what_came_and_what_went_is_counted() -> None:
    messages = [message("a", 1, 0), message("b", 1, 0), message("c", 0, 1), message("d", 0, 1)]
    standing = Standing("llm", 4, 2, None, 0)

    assert change_of_leaf(standing, {"a", "b"}, messages, NO_MEAN).share == 0.5
    assert change_of_leaf(standing, {"a", "b"}, messages, NO_MEAN).drift == pytest.approx(1 - 0.5 ** 0.5)
    assert change_of_leaf(replace(standing, worded_count=4), {"a", "b", "x", "y"}, messages, NO_MEAN).share == 0.5
    assert change_of_leaf(replace(standing, worded_count=4), {"a", "b"}, messages[:2] * 2, NO_MEAN) == Change(0.0, 0.0)


def test_of_a_parent_children_that_no_wording_covers_are_counted() -> None:
    standing = Standing("llm", 100, 100, None, 0)

    assert change_of_parent(standing, {"a", "b"}, {"a": 60, "b": 40}).share == 0
    assert change_of_parent(standing, {"a"}, {"a": 60, "b": 40}).share == 0.4
    assert change_of_parent(standing, {"a", "gone"}, {"a": 100}).share == 0.5
    assert change_of_parent(replace(standing, worded_count=None), {"a"}, {"a": 100}).share == 1
