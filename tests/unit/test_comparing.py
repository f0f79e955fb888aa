"""What a replay tells: which of the items differ, and why they do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.test_tracing import answer, item, kept, request, scored
from trace_graph.models import ReplayChange, ReplayDifference
from trace_graph.retrieve.comparing import (
    COUNTER,
    EMBEDDER,
    ERASED,
    INDEX,
    MOVED,
    SETTING,
    UNKNOWN,
    UNLIKE_OTHERS,
    VERSION,
    Evidence,
    changes_since,
    differences,
)
from trace_graph.retrieve.tracing import KeptRecall, Trace, trace_of

ALL = frozenset({"a", "b", "c"})


@pytest.fixture
def recall() -> KeptRecall:
    """Of three messages two were shown."""
    ranked = [scored("a", 3.0), scored("b", 2.0), scored("c", 1.0)]
    return kept(traced(ranked, [item("a", 1), item("b", 2)]))


def traced(ranked: Any, items: Any) -> Trace:
    return trace_of(request(), answer(ranked, items))


def changed(trace: Trace, id: str, **values: Any) -> Trace:
    """The trace with other values of one candidate."""
    return trace.model_copy(update={"candidates": tuple(
        one._replace(**values) if one.id == id else one for one in trace.candidates)})


def test_the_same_items_with_the_same_figures_are_equal(recall: KeptRecall) -> None:
    near = changed(recall.trace, "a", score=recall.shown[0].score + 1e-6)

    assert differences(recall, near, Evidence([], ALL)) == []


@pytest.mark.parametrize(("values", "difference"), [
    ({"rank": 3}, ("rank", 1, 3, UNKNOWN)), ({"score": 3.8}, ("score", 3.9, 3.8, UNKNOWN)),
    ({"part": (0, 3)}, ("part", None, (0, 3), UNKNOWN)), ({"tokens": 4}, ("tokens", 3, 4, COUNTER)),
    ({"topic": "other"}, ("topic", "topic", "other", MOVED)),
], ids=lambda value: next(iter(value)) if isinstance(value, dict) else "")
def test_each_figure_that_differs_is_named(
    recall: KeptRecall, values: dict[str, Any], difference: tuple[Any, ...]
) -> None:
    kind, then, now, why = difference

    assert differences(recall, changed(recall.trace, "a", **values), Evidence([], ALL)) == [
        ReplayDifference(kind=kind, id="a", then=then, now=now, why=why)]


def test_an_erased_message_is_missing_and_changes_what_it_was_weighed_against(recall: KeptRecall) -> None:
    now = traced([scored("b", 2.5), scored("c", 1.0)], [item("b", 1), item("c", 2)])
    weighed = UNLIKE_OTHERS.format(count=1)

    found = differences(recall, now, Evidence([], ALL - {"a"}))

    assert [(one.kind, one.id, one.then, one.now, one.why) for one in found] == [
        ("missing", "a", 1, None, ERASED), ("rank", "b", 2, 1, weighed), ("score", "b", 2.9, 3.4, weighed),
        ("added", "c", None, 2, weighed)]


@pytest.mark.parametrize(("kind", "why"), [("embedder", EMBEDDER), ("version", VERSION), ("setting", SETTING)])
def test_what_the_replay_could_not_take_from_then_is_the_cause(recall: KeptRecall, kind: Any, why: str) -> None:
    now = changed(recall.trace, "a", score=9.0)

    def cause(replayed: bool) -> str:
        change = ReplayChange(kind=kind, name="x", then=1, now=2, replayed=replayed)
        return differences(recall, now, Evidence([change], ALL))[0].why

    assert (cause(False), cause(True)) == (why, UNKNOWN)


def test_where_not_all_that_was_scored_is_kept_the_index_may_be_the_cause(recall: KeptRecall) -> None:
    crowded = kept(recall.trace.model_copy(update={"others": None}))

    assert differences(crowded, changed(recall.trace, "a", score=9.0), Evidence([], ALL))[0].why == INDEX


def test_a_counter_that_gives_other_tokens_explains_what_fits(recall: KeptRecall) -> None:
    now = changed(changed(recall.trace, "a", tokens=9), "b", rank=None)

    assert [(one.kind, one.why) for one in differences(recall, now, Evidence([], ALL))] == [
        ("tokens", COUNTER), ("missing", COUNTER)]


def test_what_changed_around_a_recall_is_named_with_whether_the_replay_took_it_from_then(recall: KeptRecall) -> None:
    then = recall.parameters.model_copy(update={"settings": {"window": 2, "k1": 1.2, "dropped": 1}})
    assert then.embedder is not None
    now = then.model_copy(update={
        "settings": {"window": 3, "k1": 1.2}, "version": "2.0.0",
        "embedder": then.embedder._replace(name="other", probe="xyz")})

    assert [tuple(change.model_dump().values()) for change in changes_since(then, now)] == [
        ("setting", "recall.dropped", 1, None, False), ("setting", "recall.window", 2, 3, True),
        ("embedder", "embedder", "static:x", "other", False), ("version", "trace-graph", "1.2.3", "2.0.0", False)]


def test_an_embedder_that_was_only_renamed_is_no_change(recall: KeptRecall) -> None:
    then = recall.parameters
    assert then.embedder is not None

    assert changes_since(then, then.model_copy(update={"embedder": then.embedder._replace(name="renamed")})) == []
