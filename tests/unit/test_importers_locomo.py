from __future__ import annotations

import json
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from trace_graph.errors import InvalidInput, NotFound
from trace_graph.ingest.importers import locomo
from trace_graph.ingest.importers.lines import BadItem, Item, Parsed, Rejected, Unit
from trace_graph.ingest.importers.source_times import locomo_time
from trace_graph.models import MessageInput

parsed, rejected = partial(Parsed, unit=Unit.ITEM), partial(Rejected, unit=Unit.ITEM)
"""Items of a document, whose places are counted and not its lines."""


def turn(dia_id: str, text: str, **more: object) -> dict[str, object]:
    return {"speaker": "Ann", "dia_id": dia_id, "text": text, **more}


def sample(name: str, **sessions: object) -> dict[str, Any]:
    return {"qa": [], "conversation": {"speaker_a": "Ann", **sessions}, "sample_id": name}


def read(tmp_path: Path, document: object, samples: list[str] | None = None) -> list[Item]:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(document))
    return list(locomo.read(file, samples))


TWO = [
    sample(
        "c-1",
        session_10_date_time="9:05 am on 1 January, 2024", session_10=[turn("D10:1", "last")],
        session_2_date_time="12:30 am on 31 December, 2023",
        session_2=[
            turn("D2:1", "Look!", blip_caption="a red boat", img_url=["u"]), turn("D2:2", "", blip_caption="a cat"),
        ],
        session_11_date_time="9:05 am on 2 January, 2024",
    ),
    sample("c-2", session_1_date_time="1:56 pm on 8 May, 2023", session_1=[turn("D1:1", "hello")]),
]
C1 = [
    parsed(1, MessageInput(
        text="Look! [a red boat]", author="Ann", session="c-1/session_2", at="2023-12-31T00:30:00",
        external_id="c-1:D2:1",
    )),
    parsed(2, MessageInput(
        text="[a cat]", author="Ann", session="c-1/session_2", at="2023-12-31T00:30:01", external_id="c-1:D2:2"
    )),
    parsed(3, MessageInput(
        text="last", author="Ann", session="c-1/session_10", at="2024-01-01T09:05:00", external_id="c-1:D10:1"
    )),
]
C2 = [
    parsed(4, MessageInput(
        text="hello", author="Ann", session="c-2/session_1", at="2023-05-08T13:56:00", external_id="c-2:D1:1"
    )),
]


def test_sessions_come_by_number_with_captions_dates_and_ids(tmp_path: Path) -> None:
    assert read(tmp_path, TWO) == [*C1, *C2]


@pytest.mark.parametrize(("samples", "expected"), [(["c-2"], C2), (["c-2", "c-1"], [*C1, *C2])])
def test_samples_pick_conversations_and_places_stay_the_files(
    tmp_path: Path, samples: list[str], expected: list[Item]
) -> None:
    assert read(tmp_path, TWO, samples) == expected


def test_an_unknown_sample_is_refused_with_those_there_are(tmp_path: Path) -> None:
    many = [sample(f"c-{number}") for number in range(1, 8)]

    with pytest.raises(NotFound, match="no sample 'c-9'") as caught:
        read(tmp_path, many, ["c-1", "c-9"])

    assert caught.value.fix == "It has c-1, c-2, c-3, c-4, c-5 and 2 more."


def test_a_bad_turn_does_not_stop_the_others(tmp_path: Path) -> None:
    items = read(tmp_path, sample(
        "c-1", session_1_date_time="soon", session_1=[turn("D1:1", "a")], session_2=[turn("D2:1", "b")],
        session_3_date_time="1:56 pm on 30 February, 2023", session_3=[turn("D3:1", "c")],
        session_4_date_time="1:56 pm on 8 May, 2023",
        session_4=["x", {"speaker": "Ann", "dia_id": "D4:2"}, {"text": "d", "speaker": "Ann"}, turn("D4:4", "e")],
    ))

    assert items == [
        rejected(1, "c-1, session_1, turn 1: the date 'soon' does not read like '1:56 pm on 8 May, 2023'."),
        rejected(2, "c-1, session_2, turn 1: session_2_date_time is not there."),
        rejected(3, "c-1, session_3, turn 1: the date '1:56 pm on 30 February, 2023' does not exist."),
        rejected(4, "c-1, session_4, turn 1: the turn is not a JSON object."),
        rejected(5, "c-1, session_4, turn 2: text is not there."),
        rejected(6, "c-1, session_4, turn 3: dia_id is not there."),
        parsed(7, MessageInput(
            text="e", author="Ann", session="c-1/session_4", at="2023-05-08T13:56:03", external_id="c-1:D4:4"
        )),
    ]


@pytest.mark.parametrize("document", [{}, [1], [sample("a"), sample("a")], [{"sample_id": "a"}], "x"])
def test_another_file_is_refused(tmp_path: Path, document: object) -> None:
    with pytest.raises(InvalidInput, match="is not LoCoMo: sample"):
        read(tmp_path, document)


@pytest.mark.parametrize(("text", "time"), [
    ("12:00 am on 1 June, 2022", datetime(2022, 6, 1)),
    ("12:09 pm on 13 September, 2023", datetime(2023, 9, 13, 12, 9)),
    ("11:59 PM on 31 december, 2023", datetime(2023, 12, 31, 23, 59)),
])
def test_dates_are_read(text: str, time: datetime) -> None:
    assert locomo_time(text) == time


@pytest.mark.parametrize("text", ["13:00 pm on 1 June, 2022", "1:60 pm on 1 June, 2022", "1:00 pm on 1 Juin, 2022"])
def test_dates_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadItem):
        locomo_time(text)
