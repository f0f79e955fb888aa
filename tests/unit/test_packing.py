"""From the ranking to what is shown: inside the budget, in rank order, and to be read in order of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.models import RecallItem, Why
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.packing import Described, fitting, pack, reading_order, smallest_budget
from trace_graph.retrieve.ranking import Scored
from trace_graph.text.tokens import count_tokens

START = datetime(2024, 3, 4, 22, 30, tzinfo=UTC)


def scored(id: str, tokens: int = 10, part: tuple[int, int] | None = None) -> Scored:
    return Scored(
        Candidate(id, "s", "a", 1, "Mira", 100, tokens, ("petrel", "boat", "petrel"), 10, 0.5, ("text",), part),
        1.00004,
        0.5,
        0.4,
        0.0,
    )


def described(id: str, text: str | None = None, part: tuple[int, int] | None = None, **more: object) -> Described:
    values: dict[str, object] = {
        "external_id": f"x{id}",
        "author": "Mira",
        "session": "a",
        "seq": 1,
        "occurred_at": START,
        "offset": 0,
        "topic_path": ("boats",),
        **more,
    }
    return Described(id, text=f"one two {id}" if text is None else text, part=part, **values)  # type: ignore[arg-type]  # a table of values


def shown(items: list[RecallItem]) -> list[str]:
    return [item.id for item in items]


@pytest.mark.parametrize(
    ("budget", "limit", "head"),
    [
        (25, None, ["a", "b", "c"]),
        (20, None, ["a", "b", "c"]),
        (9, None, ["a", "b", "c", "d"]),
        (2, None, ["d"]),
        (1, None, ["d"]),
        (None, 3, ["a", "b", "c"]),
        (None, 99, ["a", "b", "c", "d"]),
        (1000, None, ["a", "b", "c", "d"]),
    ],
)
def test_the_head_is_what_fits_and_the_first_that_does_not(
    budget: int | None, limit: int | None, head: list[str]
) -> None:
    ranked = [scored("a"), scored("b"), scored("c", 11), scored("d", 1)]

    assert [one.candidate.id for one in fitting(ranked, budget, limit)] == head


def test_the_first_ones_that_do_not_fit_alone_are_passed_over() -> None:
    """Those that are far too large are not even read."""
    ranked = [scored("huge", 81), scored("large", 80), scored("small", 5)]

    head = fitting(ranked, 20, None)
    packed = pack(head, {"large": described("large", "w " * 80), "small": described("small", "w")}, 20, count_tokens)

    assert [one.candidate.id for one in head] == ["large", "small"]
    assert (shown(packed.items), packed.is_full) == (["small"], False)


@pytest.mark.parametrize(("budget", "is_full"), [(5, True), (6, False), (None, False)])
def test_it_is_full_when_something_was_left_over(budget: int | None, is_full: bool) -> None:
    head = [scored("a"), scored("b")]

    packed = pack(head, {id: described(id) for id in "ab"}, budget, lambda text: len(text.split()))

    assert packed.is_full is is_full


def test_a_long_message_counts_as_the_passage_that_will_be_shown() -> None:
    """Whether its passage is known already or not."""
    ranked = [scored("known", 9_000, (0, 50)), scored("unknown", 9_000), scored("short", 10)]

    assert [one.candidate.id for one in fitting(ranked, 130, None)] == ["known", "unknown", "short"]


def test_an_item_shows_the_whole_message_or_its_passage_with_all_that_speaks_for_it() -> None:
    head = [scored("a"), scored("b")]
    texts = {"a": described("a", "Whole."), "b": described("b", "left  the part  right", (4, 15))}

    items = pack(head, texts, None, count_tokens).items

    assert items[0] == RecallItem(
        rank=1,
        id="a",
        external_id="xa",
        text="Whole.",
        part=None,
        author="Mira",
        occurred_at=START,
        session="a",
        topic_path=["boats"],
        score=1.90004,
        tokens=2,
        why=Why(text=1.0, vector=0.5, speaker=0.4, date=0.0, found_by=["text"], words=["petrel", "boat"]),
    )
    assert (items[1].rank, items[1].text, items[1].part) == (2, "the part", (4, 15))


def test_what_was_erased_between_two_queries_is_left_out() -> None:
    assert shown(
        pack([scored("a"), scored("gone"), scored("b")], {id: described(id) for id in "ab"}, None, count_tokens).items
    ) == ["a", "b"]


@given(st.lists(st.integers(1, 30), max_size=12), st.integers(1, 60))
def test_what_is_shown_never_exceeds_the_budget_and_ranks_from_one(sizes: list[int], budget: int) -> None:
    head = [scored(str(place), size) for place, size in enumerate(sizes)]
    texts = {str(place): described(str(place), "w " * size) for place, size in enumerate(sizes)}

    items = pack(head, texts, budget, lambda text: len(text.split())).items

    assert sum(item.tokens for item in items) <= budget
    assert [item.rank for item in items] == list(range(1, len(items) + 1))
    assert shown(items) == [str(place) for place in range(len(sizes)) if str(place) in shown(items)]
    assert bool(items) is any(size <= budget for size in sizes)


def test_the_context_is_read_in_order_of_time_by_day_and_session() -> None:
    texts = {
        "late": described("late", "Last.", occurred_at=START + timedelta(days=1), session="b"),
        "second": described("second", "Second.", seq=2, author="Tomas"),
        "first": described("first", "First\nmore.\nTomas: not his.", seq=1),
    }
    items = pack([scored(id) for id in texts], texts, None, count_tokens).items

    assert reading_order(items, texts) == (
        "[4 March 2024, session a]\nMira: First\n    more.\n    Tomas: not his.\nTomas: Second.\n\n"
        "[5 March 2024, session b]\nMira: Last."
    )


AWKWARD = st.text(alphabet=st.sampled_from("ab [],:\n\r\t\v\f\x1c\x85\u2028\u202e</>#`{}"), max_size=40)


@given(st.lists(AWKWARD, max_size=5))
def test_a_context_can_be_taken_apart_into_its_items_again(contents: list[str]) -> None:
    """PC-173: whatever a message holds, it neither ends its item nor begins another one."""
    texts = {str(place): described(str(place), text, seq=place) for place, text in enumerate(contents)}
    context = reading_order(pack([scored(id) for id in texts], texts, None, count_tokens).items, texts)
    lines = context.splitlines()

    assert lines[:1] == (["[4 March 2024, session a]"] if contents else [])
    heads = ("Mira: ", "Mira (again on 4 March 2024): ")  # what was said twice stands once
    assert len([line for line in lines if line.startswith(heads)]) == len(set(contents))
    assert [line for line in lines[1:] if not line.startswith((*heads, "    "))] == []


def test_a_context_hides_nothing_from_whoever_reads_it() -> None:
    """PC-175: an instruction in tag characters would be seen by a model only; emoji and flags stay."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    texts = {"a": described("a", f"nice weather{hidden} \U0001f44d\U0001f3fd", author="Mi\u202era")}
    context = reading_order(pack([scored("a")], texts, None, count_tokens).items, texts)

    assert context == (
        "[4 March 2024, session a]\nMi\\u202era: nice weather\\U000e006f\\U000e0062\\U000e0065\\U000e0079 "
        "\U0001f44d\U0001f3fd")


def test_the_day_is_that_of_the_place_where_it_was_said() -> None:
    """PC-062: half past ten in the evening in UTC is the next day in Kathmandu."""
    texts = {"a": described("a", "Hello.", offset=345)}

    assert reading_order(pack([scored("a")], texts, None, count_tokens).items, texts) == (
        "[5 March 2024, session a]\nMira: Hello."
    )


def test_nothing_to_show_is_an_empty_context() -> None:
    assert reading_order([], {}) == ""


@pytest.mark.parametrize(
    ("part", "tokens", "text", "needed"),
    [(None, 10, "one two three", 4), (None, 30, "one two three", 8), ((0, 3), 400, "one two three", 15)],
    ids=["as counted", "a quarter of what is stored", "a passage is expected to have 60"],
)
def test_the_smallest_budget_shows_the_first_hit_and_one_less_does_not(
    part: tuple[int, int] | None, tokens: int, text: str, needed: int
) -> None:
    first, messages = scored("a", tokens, part), {"a": described("a", text, part)}

    budget = smallest_budget(first, messages, count_tokens)
    assert budget == needed
    assert shown(pack(fitting([first], budget, None), messages, budget, count_tokens).items) == ["a"]
    assert shown(pack(fitting([first], budget - 1, None), messages, budget - 1, count_tokens).items) == []
    assert smallest_budget(first, {}, count_tokens) is None


def test_what_was_said_again_is_shown_once_with_its_other_places() -> None:
    head = [scored("a"), scored("b"), scored("c"), scored("d")]
    texts = {
        "a": described("a", "The petrel is blue."), "b": described("b", "Other."),
        "c": described("c", "The petrel is blue.", session="b", occurred_at=START + timedelta(days=2)),
        "d": described("d", "The petrel is blue.", author="Tomas"),
    }
    packed = pack(head, texts, None, count_tokens)

    assert shown(packed.items) == ["a", "b", "d"]  # another person's word is another's
    assert [(place.id, place.external_id, place.session) for place in packed.items[0].also] == [("c", "xc", "b")]
    assert packed.passed_over == {"c": "duplicate"}
    assert "Mira (again on 6 March 2024): The petrel is blue." in reading_order(packed.items, texts)


def test_a_limit_counts_what_is_shown() -> None:
    head = [scored(id) for id in "abcd"]
    texts = {id: described(id, "same" if id in "ab" else id) for id in "abcd"}

    assert shown(pack(head, texts, None, count_tokens, 2).items) == ["a", "c"]
