"""A message as it was given becomes one as it is stored, and the keys that make it unique."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.errors import InvalidInput
from trace_graph.ingest.prepare import (
    Prepared,
    external_key,
    message_properties,
    passage_properties,
    place_key,
    prepare,
    session_key,
    spoken_texts,
    with_vectors,
)
from trace_graph.models import MessageInput

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def prepared(message: MessageInput, zone: str = "UTC") -> Prepared:
    ids = count(1)
    return prepare(message, zone=zone, now=NOW, new_id=lambda: f"id{next(ids)}")


def test_a_short_message_is_read_whole() -> None:
    message = prepared(
        MessageInput(
            text="The Petrel sails.",
            role="assistant",
            author=" Mira\u200b ",
            session="a  b",
            at="2024-05-01T10:00:00+02:00",
            external_id="x",
            agent="helper",
        )
    )

    assert message == Prepared(
        id="id1",
        session="a b",
        role="assistant",
        author="Mira",
        agent="helper",
        text="The Petrel sails.",
        content=None,
        occurred_at=datetime(2024, 5, 1, 8, tzinfo=UTC),
        occurred_offset=120,
        external_id="x",
        tokens=4,
        terms=("petrel", "sail"),
        passages=(),
        vector=None,
    )
    assert message.spoken == "Mira: The Petrel sails."
    assert message.content_hash == "735d7d956d94784647120dedb62c3242b54b1d9a56bdce58bb5ab8d632e6e192"


def test_without_more_than_a_text_the_role_speaks_now_in_the_default_session() -> None:
    message = prepared(MessageInput(text="Hello."))

    assert (message.author, message.session, message.occurred_at, message.occurred_offset, message.external_id) == (
        "user",
        "default",
        NOW,
        0,
        None,
    )


def test_a_long_message_is_cut_into_passages_that_know_their_speaker() -> None:
    text = " ".join(f"word{number}." for number in range(250))
    message = prepared(MessageInput(text=text, author="Mira"))

    assert len(message.passages) > 1
    assert "".join(text[part.start : part.end] for part in message.passages) == text
    assert [part.spoken for part in message.passages] == [
        f"Mira: {text[part.start : part.end]}" for part in message.passages
    ]
    assert len({message.id, *(part.id for part in message.passages)}) == len(message.passages) + 1


def test_vectors_go_to_the_texts_they_were_made_of() -> None:
    long = " ".join(f"word{number}." for number in range(250))
    messages = [prepared(MessageInput(text=text)) for text in ("One.", long, "Three.")]
    texts = spoken_texts(messages)
    vectors = [np.array([float(number)], dtype=np.float32) for number in range(len(texts))]

    filled = with_vectors(messages, [None, *vectors[1:]])

    got = [vector for message in filled for vector in (message.vector, *(part.vector for part in message.passages))]
    assert [None if vector is None else int(vector[0]) for vector in got] == [None, *range(1, len(texts))]


def test_a_message_s_node_holds_its_terms_under_its_space_s_key() -> None:
    message = prepared(
        MessageInput(text="The Petrel sails.", external_id="x", content=[{"type": "text", "text": "é"}])
    )
    properties = message_properties(message, space="S", key="s7", seq=3, clock={"recorded_at": NOW, "change_seq": 9})

    assert properties == {
        "id": "id1",
        "space": "S",
        "session": "default",
        "seq": 3,
        "place_key": place_key("S", "default", 3),
        "role": "user",
        "author": "user",
        "agent": None,
        "text": "The Petrel sails.",
        "content": '[{"type":"text","text":"é"}]',
        "occurred_at": NOW,
        "occurred_offset": 0,
        "occurred_day": message.occurred_day,
        "external_id": "x",
        "external_key": "S/x",
        "content_hash": message.content_hash,
        "tokens": 4,
        "terms": "s7_petrel s7_sail",
        "embedding": None,
        "waiting": True,
        "waiting_in": "S",
        "recorded_at": NOW,
        "change_seq": 9,
    }


def test_a_passage_s_node_knows_its_message_and_its_place() -> None:
    message = prepared(MessageInput(text=" ".join(f"word{number}." for number in range(250))))
    part = with_vectors([message], [np.array([0.5], dtype=np.float32)] * len(spoken_texts([message])))[0].passages[1]

    properties = passage_properties(part, message, space="S", key="s7")

    assert properties == {
        "id": part.id,
        "space": "S",
        "message": message.id,
        "start": part.start,
        "end": part.end,
        "terms": " ".join(f"s7_{term}" for term in part.terms),
        "embedding": [0.5],
    }


NAMES = st.text(min_size=1, max_size=12)
NUMBERS = st.integers(1, 999)


@given(NAMES, NUMBERS, NAMES, NUMBERS)
def test_two_places_never_share_a_key(one: str, first: int, other: str, second: int) -> None:
    """PC-079: whatever the sessions are called, with slashes and digits in them."""
    same = (one, first) == (other, second)

    assert (place_key("S", one, first) == place_key("S", other, second)) is same
    assert (session_key("S", one) == session_key("S", other)) is (one == other)


def test_the_place_before_a_message_is_found_by_its_key() -> None:
    """What the organiser counts on."""
    stem, _, seq = place_key("S", "a/1", 7).rpartition("/")

    assert f"{stem}/{int(seq) - 1}" == place_key("S", "a/1", 6)


def test_an_external_key_is_absent_where_there_is_no_id() -> None:
    assert (external_key("S", None), external_key("S", "a/b")) == (None, "S/a/b")


@pytest.mark.parametrize(
    "message",
    [
        MessageInput(text=""),
        MessageInput(text=" \u200b"),
        MessageInput(text="a\x00"),
        MessageInput(text="x", session=" "),
        MessageInput(text="x", author="\x07"),
        MessageInput(text="x", author=""),
        MessageInput(text="x", agent=""),
        MessageInput(text="x", external_id=""),
        MessageInput(text="x", at="soon"),
        MessageInput(text="x", content=float("nan")),
        MessageInput(text="x", agent="\x00"),
        MessageInput(content=[]),
    ],
    ids=[
        "empty", "invisible", "NUL", "session", "author", "no author", "no agent", "external id", "time", "content",
        "agent", "no parts"],
)
def test_a_message_that_breaks_a_rule_is_refused(message: MessageInput) -> None:
    with pytest.raises(InvalidInput):
        prepared(message)


def test_a_time_without_an_offset_is_read_in_the_zone_it_is_given() -> None:
    message = prepared(MessageInput(text="x", at="2024-07-01T12:00:00"), "Asia/Kathmandu")

    assert (message.occurred_at, message.occurred_offset) == (datetime(2024, 7, 1, 6, 15, tzinfo=UTC), 345)
