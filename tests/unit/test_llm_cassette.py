"""Record once, replay without a model: the same answers, and an error where something differs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.scripted_chat import completion, without_response_format
from tests.scripted_openai import Reply, ScriptedOpenAI, error, scripted_openai
from tests.unit.test_llm_asking import GOOD, question
from trace_graph.config import Settings
from trace_graph.errors import InvalidInput, NotFound, ReplayDiffers
from trace_graph.llm.asking import Asker
from trace_graph.llm.cassette import Replaying
from trace_graph.llm.forms import Forms
from trace_graph.llm.opening import Record, open_model
from trace_graph.llm.pinned import Pinned
from trace_graph.llm.resting import Spent
from trace_graph.llm.values import Answered, Request
from trace_graph.llm_settings import LlmSettings

MOMENT = datetime(2026, 5, 14, 9, 0, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as scripted:
        yield scripted


def counting(server: ScriptedOpenAI) -> None:
    """Every reply differs, also those to one and the same request."""
    server.answer = lambda request: completion(json.dumps({"facts": [f"fact {len(server.requests)}"]}))


async def at_once(seconds: float) -> None:
    """Stands in for sleeping."""


def recorder(server: ScriptedOpenAI, path: Path, **llm: Any) -> Asker:
    settings = Settings(model="m", openai_base_url=server.url, llm=LlmSettings(**llm))
    return open_model(settings, clock=lambda: MOMENT, forms=Forms(), cassette=Record(path, 7, MOMENT), sleep=at_once)


def replayer(tape: Replaying) -> Asker:
    return open_model(Settings(), clock=lambda: MOMENT, forms=Forms(), cassette=tape)


def ask(model: Asker, requests: Sequence[Request[Any]]) -> list[Answered[Any]]:
    async def run() -> list[Answered[Any]]:
        answers = list(await asyncio.gather(*map(model.ask, requests)))
        await model.close()
        return answers

    return asyncio.run(run())


def test_a_replay_gives_the_same_answers_and_the_same_calls_without_a_server(
    server: ScriptedOpenAI, tmp_path: Path
) -> None:
    """Refused forms, an empty reply, a failure that passes and identical requests among them; milliseconds as well."""
    counting(server)
    server.answer = without_response_format(server.answer)
    server.script = [error(503), Reply(500, b"")]
    path = tmp_path / "run.jsonl"
    requests = [question(), question(), question(text="other"), question(), question(text="other")]

    recorded = ask(recorder(server, path), requests)
    asked = len(server.requests)
    tape = Replaying(path)
    replayed = ask(replayer(tape), requests)

    assert replayed == recorded
    assert len({one.value.facts[0] for one in recorded if one.value}) == 5
    assert (len(server.requests), tape.leftovers) == (asked, 0)
    assert (tape.header.model, tape.header.seed, tape.header.moment) == ("m", 7, MOMENT)


def test_a_replay_ends_where_the_recorded_run_had_used_up_its_allowance(
    server: ScriptedOpenAI, tmp_path: Path
) -> None:
    counting(server)
    path = tmp_path / "run.jsonl"
    settings = Settings(model="m", openai_base_url=server.url, llm=LlmSettings(calls_per_day=10, calls_per_run=9))
    model = open_model(settings, clock=lambda: MOMENT, forms=Forms(), used_today=Spent(calls=8),
                       cassette=Record(path, 7, MOMENT))

    recorded = ask(model, [question()] * 4)

    assert [one.value is not None for one in recorded] == [True, True, False, False]
    replayed = ask(replayer(Replaying(path)), [question()] * 4)
    assert [(one.value, one.calls) for one in replayed] == [(one.value, one.calls) for one in recorded]


def test_a_request_that_is_not_in_the_cassette_is_an_error_that_says_what_differs(
    server: ScriptedOpenAI, tmp_path: Path
) -> None:
    counting(server)
    path = tmp_path / "run.jsonl"
    ask(recorder(server, path), [question()])
    start = "The cassette holds no reply to this request (route, route-1)"

    def said(request: Request[Any], *before: Request[Any]) -> str:
        tape = Replaying(path)
        model = replayer(tape)
        for one in before:
            asyncio.run(model.ask(one))
        with pytest.raises(ReplayDiffers) as differs:
            asyncio.run(model.ask(request))
        assert tape.leftovers == (0 if before else 1)
        return differs.value.message

    assert said(question(text="private words")) == (
        f"{start}; the most similar one in it has another content of the messages.")
    assert said(replace(question(), max_tokens=5)) == f"{start}; the most similar one in it has another max_tokens."
    assert said(question(), question()) == f"{start} a 2. time."
    assert said(question(text="x"), question()) == f"{start}: it ends here. Its run was broken off, or had less to do."
    assert said(replace(question(text="x"), purpose="walk")).endswith("no other one for this purpose is left in it.")


def test_a_cassette_that_was_being_written_is_read_up_to_its_last_whole_line(
    server: ScriptedOpenAI, tmp_path: Path
) -> None:
    counting(server)
    path = tmp_path / "run.jsonl"
    recorded = ask(recorder(server, path), [question(text=str(number)) for number in range(3)])
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])

    tape = Replaying(path)

    assert tape.leftovers == 2
    assert ask(replayer(tape), [question(text="0")]) == recorded[:1]


def test_a_cassette_holds_what_the_model_said_and_not_what_it_was_asked(server: ScriptedOpenAI, tmp_path: Path) -> None:
    server.answer = lambda request: completion(GOOD)
    path = tmp_path / "run.jsonl"
    ask(recorder(server, path), [question(text="Walnuts are in the cellar.")])

    assert "Mira plays cello" in path.read_text()
    assert "cellar" not in path.read_text()


def test_files_that_are_no_cassettes_are_refused(server: ScriptedOpenAI, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(NotFound):
        Replaying(path)
    for text in ("", "{}\n", "[1]\n", "rubbish\n", '{"cassette":2}\n', '{"cassette":1,"model":"m"}\n'):
        path.write_text(text)
        with pytest.raises(InvalidInput):
            Replaying(path)
    with pytest.raises(InvalidInput, match="already"):
        recorder(server, path)
    assert path.read_text() == '{"cassette":1,"model":"m"}\n'


def test_pinned_ids_repeat_in_order_and_say_their_moment() -> None:
    one, other, later = (Pinned(7, MOMENT), Pinned(8, MOMENT), Pinned(7, MOMENT.replace(hour=10)))
    ids = [one.new_id() for _ in range(1000)]

    assert ids == [again.new_id() for again in [Pinned(7, MOMENT)] for _ in range(1000)]
    assert ids == sorted(set(ids))
    assert not set(ids) & {pinned.new_id() for pinned in (other, later) for _ in range(1000)}
    assert {(UUID(id).version, UUID(id).int >> 80) for id in ids} == {(7, int(MOMENT.timestamp() * 1000))}
    assert one.clock() == MOMENT


HEADER = {"cassette": 1, "model": "m", "host": "h", "seed": 7, "moment": "2026-05-14T09:00:00+00:00", "form": "schema",
          "calls_left": None, "tokens_left": None}
COMPLETION = {"content": "a", "reasoning": None, "finish": "stop", "tokens_in": 1, "tokens_out": 1, "requests": 1,
              "milliseconds": 3}
FAILURE = {"why": "failed", "reason": "No.", "requests": 1, "failures": 1, "milliseconds": 3, "partial": None}
LINE = {"hash": "0", "nth": 0, "asked": {"purpose": "route"}}
ODD = [3, -3, 2**64, 1.5, True, "text", "\0", "\ud800", [], ["a"], {}, {"a": 1}, None]

CHANGED = some.one_of(
    some.tuples(some.sampled_from(sorted(HEADER)), some.sampled_from(ODD)).map(
        lambda change: [{**HEADER, change[0]: change[1]}, {**LINE, "reply": COMPLETION}]),
    some.tuples(some.sampled_from([*sorted(LINE), "reply"]), some.sampled_from(ODD)).map(
        lambda change: [HEADER, {**LINE, "reply": COMPLETION, change[0]: change[1]}]),
    some.tuples(some.sampled_from(sorted(COMPLETION)), some.sampled_from(ODD)).map(
        lambda change: [HEADER, {**LINE, "reply": {**COMPLETION, change[0]: change[1]}}]),
    some.tuples(some.sampled_from(sorted(FAILURE)), some.sampled_from(ODD)).map(
        lambda change: [HEADER, {**LINE, "failure": {**FAILURE, change[0]: change[1]}}]),
    some.lists(some.sampled_from([*ODD, HEADER, LINE]), max_size=3),
)


@given(CHANGED)
def test_a_cassette_whatever_was_changed_in_it_is_refused_or_can_be_asked(lines: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="ascii")
        try:
            tape = Replaying(path)
        except InvalidInput as error:
            assert "is no cassette" in str(error) or "newer" in str(error)
            return
        with suppress(ReplayDiffers):  # nothing is asked where the header says that no calls are left
            ask(replayer(tape), [question()])
        for (hash, nth), line in tape._lines.items():
            held = line.completion or line.failure
            assert held is not None and isinstance(hash, str) and isinstance(nth, int)
            json.dumps(asdict(held), ensure_ascii=False).encode()
            assert all(abs(one) < 2**63 for one in asdict(held).values() if isinstance(one, int))


@pytest.mark.parametrize(("lines", "number"), [
    ([3], 1), ([{**HEADER, "model": 3}], 1), ([{**HEADER, "moment": "2026-05-14T09:00:00"}], 1), ([], 1),
    ([HEADER, {**LINE, "reply": COMPLETION}, {**LINE, "reply": 3}], 3), ([HEADER, {**LINE, "asked": {}}], 2),
    ([HEADER, {**LINE, "reply": {**COMPLETION, "tokens_in": 2**64}}], 2), ([HEADER, LINE], 2), ([HEADER, None], 2),
])
def test_a_cassette_that_was_changed_names_the_line(tmp_path: Path, lines: list[Any], number: int) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="ascii")

    with pytest.raises(InvalidInput, match=f"is no cassette, or was changed: line {number} cannot be used"):
        Replaying(path)
