"""Which messages are remembered together, and what is asked of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trace_graph.bench.datasets import Dataset, Selection, read_dataset
from trace_graph.bench.questions import Question
from trace_graph.errors import InvalidInput, NotFound, TraceGraphError, UsageError
from trace_graph.models import MessageInput


def written(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def locomo(folder: Path) -> Path:
    def conversation(sample: str) -> dict[str, Any]:
        turns = [{"speaker": "Ann", "dia_id": f"D1:{turn}", "text": f"{sample} {turn}"} for turn in (1, 2)]
        return {
            "sample_id": sample, "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns},
            "qa": [
                {"question": f"{sample}?", "category": 4, "evidence": ["D1:1"]},
                {"question": f"{sample} again?", "category": 1, "evidence": ["D1:2"]},
                {"question": "Nothing?", "category": 3, "evidence": []}]}

    return written(folder, "locomo.json", [conversation("conv-43"), conversation("conv-44")])


def longmemeval(folder: Path, sessions: str) -> Path:
    turns = [{"role": "user", "content": "I paint.", "has_answer": True}, {"role": "assistant", "content": "Nice."}]
    date = "2023/05/30 (Tue) 01:00"
    of = {
        "evidence_sessions": {"evidence_sessions": [{"date": date, "turns": turns}]},
        "haystack_sessions": {"haystack_sessions": [turns], "haystack_dates": [date]}}[sessions]
    return written(folder, "longmemeval.json", [
        {"question_id": id, "question": "What do I do?", "question_type": "t",
         "question_date": "2023/06/01 (Thu) 10:00", "answer": "paint", **of} for id in ("q1", "q2")])


def beam(folder: Path) -> Path:
    for chat in ("1", "11"):
        (folder / chat).mkdir()
        written(folder / chat, "chat.json", [{"turns": [[
            {"role": "user", "id": 0, "content": "Hello", "time_anchor": "March-15-2024"},
            {"role": "assistant", "id": 1, "content": "Hi"}]]}])
        written(folder / chat, "probing_questions.json", {
            "temporal_reasoning": [{"question": "When?", "source_chat_ids": [0]}],
            "abstention": [{"question": "Who?"}]})
    return folder


def pools(dataset: Dataset) -> list[tuple[str, list[str | None], list[str]]]:
    return [
        (pool.name, [message.external_id for message in pool.messages], [question.id for question in pool.questions])
        for pool in dataset.pools]


def test_each_conversation_of_locomo_is_a_pool_and_what_names_no_evidence_is_not_asked(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("locomo", locomo(tmp_path)))

    assert pools(dataset) == [
        ("conv-43", ["conv-43:D1:1", "conv-43:D1:2"], ["conv-43:qa0", "conv-43:qa1"]),
        ("conv-44", ["conv-44:D1:1", "conv-44:D1:2"], ["conv-44:qa0", "conv-44:qa1"])]
    assert (dataset.unscored, dataset.rejected) == (2, 0)


def test_a_half_asks_only_its_questions_and_only_of_its_conversations(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("locomo", locomo(tmp_path), half="report"))

    assert [pool.name for pool in dataset.pools] == ["conv-44"]


def test_conversations_pooled_are_one_space_whatever_is_asked_of_it(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("locomo", locomo(tmp_path), pooled=True, half="report", questions=1))

    assert pools(dataset) == [
        ("pooled", ["conv-43:D1:1", "conv-43:D1:2", "conv-44:D1:1", "conv-44:D1:2"], ["conv-44:qa0"])]


def test_samples_and_the_first_questions_are_picked(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("locomo", locomo(tmp_path), samples=("conv-43",), questions=1))

    assert [(name, asked) for name, _, asked in pools(dataset)] == [("conv-43", ["conv-43:qa0"])]


def test_a_question_without_a_date_is_asked_when_the_last_message_was_said(tmp_path: Path) -> None:
    """Turn 2 is a second after turn 1."""
    pool = read_dataset(Selection("locomo", locomo(tmp_path))).pools[0]

    assert pool.asked_at(pool.questions[0]) == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)


def test_evidence_turns_alone_are_one_pool_of_sessions_of_their_own(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("longmemeval", longmemeval(tmp_path, "evidence_sessions")))

    assert pools(dataset) == [("pooled", ["q1:1:1", "q1:1:2", "q2:1:1", "q2:1:2"], ["q1", "q2"])]
    assert len({message.session for message in dataset.pools[0].messages}) == 4
    assert dataset.pools[0].asked_at(dataset.pools[0].questions[0]) == datetime(2023, 6, 1, 10, tzinfo=UTC)


def test_whole_histories_are_a_pool_each(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("longmemeval", longmemeval(tmp_path, "haystack_sessions")))

    assert pools(dataset) == [("q1", ["q1:1:1", "q1:1:2"], ["q1"]), ("q2", ["q2:1:1", "q2:1:2"], ["q2"])]
    assert dataset.pools[0].questions[0].evidence == ("q1:1:1",)


def test_each_chat_of_beam_is_a_pool_and_the_hash_is_of_all_its_files(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("beam", beam(tmp_path)))
    (tmp_path / "11" / "probing_questions.json").write_text('{"x": []}')
    changed = read_dataset(Selection("beam", tmp_path))

    assert pools(dataset) == [
        ("1", ["1:0", "1:1"], ["1:temporal_reasoning:0"]), ("11", ["11:0", "11:1"], ["11:temporal_reasoning:0"])]
    assert dataset.unscored == 2
    assert dataset.sha256 != changed.sha256


SAMPLE = {
    "messages": [
        {"session": "s", "role": "user", "author": "Mira", "text": "Roses.", "at": "2026-01-01T12:00:00Z",
         "external_id": "m1"},
        {"session": "s", "role": "assistant", "author": None, "text": "Which?", "at": "2026-01-01T12:01:00Z",
         "external_id": "m2"}],
    "questions": [
        {"id": "q1", "question": "Which flowers?", "category": "single", "evidence": ["m1", "m1"]},
        {"id": "q2", "question": "And?", "category": "none", "evidence": [], "asked_at": "2026-02-01"}]}


def test_the_sample_is_one_pool(tmp_path: Path) -> None:
    dataset = read_dataset(Selection("sample", written(tmp_path, "sample.json", SAMPLE)))

    assert pools(dataset) == [("sample", ["m1", "m2"], ["q1"])]
    assert dataset.pools[0].messages[0] == MessageInput(
        text="Roses.", role="user", author="Mira", session="s", at="2026-01-01T12:00:00Z", external_id="m1")
    assert dataset.pools[0].questions == (Question("q1", "Which flowers?", "single", ("m1",), "sample"),)
    assert dataset.unscored == 1


def changed_sample(**change: object) -> dict[str, object]:
    message, other = SAMPLE["messages"]
    return {**SAMPLE, "messages": [{**message, **change}, other]}


@pytest.mark.parametrize(("content", "message"), [
    (changed_sample(external_id="m2"), "sample.json: each message needs an external_id of its own."),
    (changed_sample(external_id=None), "sample.json: each message needs an external_id of its own."),
    (changed_sample(external_id="m3"), "sample.json: question q1 names m1, which is no message."),
    (changed_sample(at=None), "sample.json: each message needs a time (at), or figures would change by the day."),
    (changed_sample(name="Mira"),
     "sample.json is not in the form of this set: messages.0.name: Extra inputs are not permitted."),
    ({"messages": []}, "sample.json is not in the form of this set: questions: Field required."),
])
def test_a_sample_that_cannot_be_measured_is_refused(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_dataset(Selection("sample", written(tmp_path, "sample.json", content)))

    assert refused.value.message == message


def test_pairs_across_languages_are_one_pool_that_no_order_favours(tmp_path: Path) -> None:
    """SHA-256: `two` 3fc4..., `one` 7692..., `three` 8b5b...; each is a session of its own."""
    dataset = read_dataset(Selection("multilingual", written(tmp_path, "pairs.json", {
        "about": "x", "chinese_paraphrases": [{"message": "one", "question": "1?"}],
        "cross_language": [{"message": "three", "question": "3?"}], "distractors": ["two"]})))
    pool = dataset.pools[0]

    assert [(message.text, message.external_id, message.session) for message in pool.messages] == [
        ("two", "0", "pair-0"), ("one", "1", "pair-1"), ("three", "2", "pair-2")]
    assert [(one.id, one.text, one.category, one.evidence) for one in pool.questions] == [
        ("chinese_paraphrases:0", "1?", "chinese_paraphrases", ("1",)),
        ("cross_language:0", "3?", "cross_language", ("2",))]


@pytest.mark.parametrize(("selection", "kind", "message"), [
    ({"name": "locomo", "path": "nowhere.json"}, NotFound, "There is no file nowhere.json."),
    ({"name": "sample", "samples": ("x",)}, UsageError, "The set sample is one pool without halves."),
    ({"name": "sample", "half": "tune"}, UsageError, "The set sample is one pool without halves."),
    ({"name": "locomo", "samples": ("conv-99",)}, NotFound, "The file has no sample 'conv-99'."),
    ({"name": "locomo", "samples": ("conv-43",), "half": "report"}, InvalidInput,
     "locomo.json names no evidence for any question that is meant: there is nothing to measure."),
])
def test_what_cannot_be_measured_is_refused(
    tmp_path: Path, selection: dict[str, Any], kind: type[TraceGraphError], message: str
) -> None:
    path = Path(selection.pop("path", locomo(tmp_path)))

    with pytest.raises(kind) as refused:
        read_dataset(Selection(path=path, **selection))

    assert refused.value.message == message
