"""Calls to models as they are kept, counted and shown again."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.made_calls import NOW, made_call
from trace_graph.errors import InvalidInput
from trace_graph.memory.health import model_health, waiting_of
from trace_graph.memory.probing import Tried
from trace_graph.models import CallGroup, CallStats, ConfiguredModel, ModelHealth, WaitingMessages
from trace_graph.retrieve.calls import Wanted, stats_of
from trace_graph.store.calls import call_of, rows_of_calls
from trace_graph.store.ledger import Clock

CLOCK = Clock(7, NOW + timedelta(seconds=3), 4)


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_a_call_comes_back_as_it_was_kept(reply: str, inputs: dict[str, object]) -> None:
    """But for what no database takes: NUL, and halves of a character."""
    call = made_call(reply=reply, inputs=inputs)

    [row] = rows_of_calls("s", [("c1", call)], clock=CLOCK)

    row["reply"].encode()
    assert call_of(row) == replace(call, reply=row["reply"])
    assert row["reply"] == reply.replace("\0", "\ufffd")


def test_a_half_of_a_character_is_replaced() -> None:
    [row] = rows_of_calls("s", [("c1", made_call(reply="\ud83d.", inputs={"a": "\udc00"}))], clock=CLOCK)

    assert (row["reply"], row["inputs"]) == ("\ufffd.", '{"a":"\ufffd"}')


def test_history_has_its_change_and_what_passes_has_its_space() -> None:
    [history] = rows_of_calls("s", [("c1", made_call())], clock=CLOCK)
    [passing] = rows_of_calls("s", [("c1", made_call())], recall="r", spaces=["s", "t"])

    assert {name: history[name] for name in history.keys() - passing.keys()} == {
        "recorded_at": CLOCK.recorded_at, "change_seq": 7}
    assert {name: passing[name] for name in passing.keys() - history.keys()} == {
        "passing_in": "s", "recall": "r", "spaces": ["s", "t"]}
    assert json.loads(history["inputs"]) == made_call().inputs
    assert (history["day"], history["space"]) == ("2026-03-01", "s")


def test_a_day_is_one_of_utc() -> None:
    late = datetime.fromisoformat("2026-03-01T23:30:00-05:00")

    [row] = rows_of_calls("s", [("c1", made_call(at=late))])

    assert (row["day"], row["at"]) == ("2026-03-02", late.astimezone(UTC))


def test_a_second_attempt_follows_the_first_at_the_same_question() -> None:
    other = {"segments": []}
    calls = [
        ("c1", made_call(outcome="refused", form="schema")), ("c2", made_call(outcome="faulty", form="json")),
        ("c3", made_call(inputs=other)), ("c4", made_call(attempt=2, form="json")),
        ("c5", made_call(attempt=2, inputs={}))]

    assert [row["follows"] for row in rows_of_calls("s", calls)] == [None, None, None, "c2", None]


def test_figures_are_those_of_purpose_model_and_outcome() -> None:
    rows = [["route", "m", "ok", 1, number, 100, 10] for number in range(1, 101)]
    rows += [["walk", "m", "failed", 3, 9000, None, None]]

    assert stats_of("s", 1000, rows) == CallStats(
        space="s", messages=1000, calls=101, requests=103, tokens_in=10_000, tokens_out=1000,
        organising_calls_per_message=0.1, groups=[
            CallGroup(
                purpose="route", model="m", outcome="ok", calls=100, requests=100, tokens_in=10_000, tokens_out=1000,
                milliseconds_p50=50, milliseconds_p95=95, calls_per_message=0.1),
            CallGroup(
                purpose="walk", model="m", outcome="failed", calls=1, requests=3, tokens_in=0, tokens_out=0,
                milliseconds_p50=9000, milliseconds_p95=9000, calls_per_message=0.001)])
    assert stats_of("s", 0, []) == CallStats(
        space="s", messages=0, calls=0, requests=0, tokens_in=0, tokens_out=0, organising_calls_per_message=0,
        groups=[])


@pytest.mark.parametrize(("purpose", "outcome", "limit"), [("rout", None, 5), (None, "bad", 5), (None, None, 0)])
def test_a_list_of_what_does_not_exist_is_refused(purpose: str | None, outcome: str | None, limit: int) -> None:
    with pytest.raises(InvalidInput):
        Wanted.of(purpose, outcome, NOW, limit)


def used(day: str, model: str, outcome: str, calls: int, tokens: int) -> dict[str, object]:
    return {"day": day, "model": model, "outcome": outcome, "calls": calls, "requests": calls, "tokens": tokens}


def test_the_allowance_counts_all_of_today_and_the_failures_are_the_models_own() -> None:
    model = ConfiguredModel(name="m", host="h:1", calls_a_day=100, tokens_a_day=None)
    rows = [
        used("2026-03-01", "m", "ok", 6, 600), used("2026-03-01", "m", "failed", 1, 0),
        used("2026-03-01", "m", "refused", 1, 0), used("2026-03-01", "other", "empty", 2, 20),
        used("2026-02-28", "m", "truncated", 2, 50)]
    forms = [{"model": "m", "host": "h:2", "form": "plain", "at": NOW.isoformat()},
             {"model": "m", "host": "h:1", "form": "json", "at": NOW.isoformat()}]

    assert model_health(model, rows, forms, "2026-03-01", None) == ModelHealth(
        name="m", host="h:1", form="json", form_since=NOW, calls_today=10, calls_a_day=100, tokens_today=620,
        tokens_a_day=None, lately=10, failed_share=0.3)
    tried = model_health(model, [], [], "2026-03-01", Tried("answered", True))
    assert tried.model_dump(include={"form", "failed_share", "probe", "answered"}) == {
        "form": None, "failed_share": None, "probe": "answered", "answered": True}


def test_what_waits_is_told_by_space_with_its_age() -> None:
    rows = [{"space": id, "waiting": 3, "since": NOW - timedelta(seconds=90)} for id in ("2", "1")]

    assert waiting_of(rows, {"1": "a", "2": "b"}, NOW) == [
        WaitingMessages(space=name, waiting=3, oldest_seconds=90) for name in ("a", "b")]
