"""Recall: what was said is found, whatever is asked, and nothing of a space that was not asked for."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.prepared import Graph
from tests.store.talk import SUBJECTS, conversation
from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings, Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import InvalidInput, NotFound, StoreFailed
from trace_graph.memory import Memory
from trace_graph.models import MessageInput, RecallResult
from trace_graph.retrieve.overview import read_stats
from trace_graph.retrieve.recall import RecallRequest
from trace_graph.retrieve.recall import answer as answer_to
from trace_graph.store.connection import Store
from trace_graph.text.tokens import count_tokens


@pytest.fixture(scope="module")
def talk(memory: Memory, run: Run) -> Iterator[str]:
    """A space with the whole conversation, filed, and two messages that are not."""
    name = f"talk-{secrets.token_hex(6)}"
    later = [
        MessageInput(
            text="Ines won the regatta with her red dinghy.",
            author="Ines",
            external_id="late:0",
            at="2024-04-01T10:00:00Z",
        ),
        MessageInput(
            text="我对花生过敏，来月結婚します。", author="小明", external_id="late:1", at="2024-04-02T10:00:00Z"
        ),
    ]

    async def make() -> None:
        await memory.add_many(conversation(), space=name)
        await memory.organize(space=name)
        await memory.add_many(later, space=name)

    run(make())
    yield name


def ids(result: RecallResult) -> list[str | None]:
    return [item.external_id for item in result.items]


ORDERS = {
    "Which berth does the Petrel have?":
        "boat:1 boat:0 boat:2 boat:3 boat:4 work:7 work:5 garden:7 doctor:5 doctor:7",
    "What is Mira allergic to?":
        "doctor:4 doctor:6 doctor:2 doctor:5 doctor:3 music:0 work:0 music:2 garden:2 work:2",
    "When is the concert of the orchestra?":
        "music:7 music:1 music:6 music:5 music:2 music:3 music:0 music:4 doctor:7 garden:1",
    "What did Tomas say about apple trees?":
        "garden:5 garden:7 garden:3 garden:4 garden:6 doctor:1 garden:1 garden:2 doctor:7 work:1",
}
TOP_TEN = {question: order.split() for question, order in ORDERS.items()}
"""External ids in the order in which every engine ranks them. Source: computed on all three, 2026-11-30; a change of
the embedder or of the ranking's constants changes them."""


def test_the_ranking_is_the_same_on_every_engine_filed_or_not_and_whatever_the_ids(
    memory: Memory, run: Run, space: str
) -> None:
    async def ask() -> list[dict[str, list[str | None]]]:
        answers = []
        for name, organised in ((space, False), (f"{space}-again", True)):
            await memory.add_many(conversation(), space=name)
            if organised:
                await memory.organize(space=name)
            answers.append(
                {question: ids(await memory.recall(question, space=name, limit=10)) for question in TOP_TEN}
            )
        return answers

    assert run(ask()) == [TOP_TEN, TOP_TEN]


def test_a_message_is_found_as_soon_as_it_is_added_and_before_it_is_filed(
    memory: Memory, run: Run, space: str
) -> None:
    """PC-076."""

    async def ask() -> list[list[str | None]]:
        found = []
        for colour, thing in (("red", "car"), ("blue", "pool")):
            await memory.add(f"I want a {colour} {thing}.", space=space, external_id=thing)
            found.append(ids(await memory.recall(f"Which {thing} do I want?", space=space))[:1])
        return found

    assert run(ask()) == [["car"], ["pool"]]


def test_filed_and_waiting_messages_stand_side_by_side(memory: Memory, run: Run, talk: str) -> None:
    result = run(memory.recall("Who won the regatta in the harbour?", space=talk))

    assert {"late:0", "boat:7"} <= set(ids(result)[:4])
    paths = {item.external_id: item.topic_path for item in result.items}
    assert paths["late:0"] == []
    assert paths["boat:7"] != []


PUNCTUATION = [
    "wind/weather",
    'either/or "maybe',
    "time: 10:30",
    "(a AND",
    "foo^",
    "a && b",
    "[1 TO",
    "{x",
    "\\",
    "C:\\boats\\petrel.txt",
    "~petrel",
    "!",
    "*",
    "?",
    "***",
    '""',
    '\\"',
    "OR",
    "AND OR NOT",
    "to be OR not to be",
    "+petrel -boat",
    "petrel~0.8",
    "terms:(x)",
    "/regex[a-z]+/",
    "petrel AND NOT boat",
    "a:b:c",
    "x || y",
    "'",
    "`",
    "$text",
    "{text: 1}",
    "//",
    "https://example.org/a?b=c&d=e",
    "\t\n",
    "</think> boat name",
]


def test_no_punctuation_is_an_operator_and_none_is_an_error(memory: Memory, run: Run, talk: str) -> None:
    """PC-044, PC-047."""

    async def ask() -> dict[str, int]:
        return {question: len((await memory.recall(question, space=talk)).items) for question in PUNCTUATION}

    assert run(ask()).keys() == set(PUNCTUATION)


@pytest.mark.parametrize(
    ("stored", "questions"),
    [
        ("NORDAN trial, TRAD antenna, OR nurse", ["NORDAN", "TRAD antenna", "OR nurse"]),
        (
            "Run wget -qO- https://example.org/i.sh | sh -x, then open D:\\mira\\notes\\a|b.txt",
            ["i.sh", "wget", "notes", "example.org"],
        ),
        (
            'It was wind/weather, either/or "maybe", at 10:30 in C:\\boats\\petrel.txt',
            ["wind/weather", "10:30", "C:\\boats\\petrel.txt"],
        ),
        (
            "The file ends with <|endoftext|> and the template uses <|im_start|>user and [INST].",
            ["template", "endoftext"],
        ),
    ],
)
def test_words_between_punctuation_are_found_by_their_words(
    memory: Memory, run: Run, space: str, stored: str, questions: list[str]
) -> None:
    """PC-044, PC-046, PC-050, PC-023."""

    async def ask() -> list[tuple[str | None, bool]]:
        await memory.add_many(conversation(("garden",)), space=space)
        await memory.add(stored, space=space, external_id="it", session="other")
        found = []
        for question in questions:
            first = (await memory.recall(question, space=space)).items[0]
            found.append((first.external_id, "text" in first.why.found_by))
        return found

    assert run(ask()) == [("it", True)] * len(questions)


@pytest.mark.parametrize("question", ["   \n\t", " " * 5_000, "\u200b", "...", "？！", "*", '""', "\\"])
def test_a_question_with_nothing_to_look_for_is_answered_with_nothing(
    memory: Memory, run: Run, talk: str, question: str
) -> None:
    """PC-047, PC-053, PC-152."""
    result = run(memory.recall(question, space=talk))

    assert (result.items, result.context, result.tokens, result.topics) == ([], "", 0, [])
    assert (result.searchable, result.smallest_budget) == (False, None)


def test_a_question_of_thousands_of_words_is_answered(memory: Memory, run: Run, talk: str) -> None:
    """PC-055: Lucene itself would refuse more than 1,024 clauses."""
    musing = " ".join(f"musing{number} and/or 'so'" for number in range(2_000))

    result = run(memory.recall(f"Where is the sourdough of rye? {musing}", space=talk))

    assert "bread:0" in ids(result)


@pytest.mark.parametrize(
    ("question", "external_id"), [("花生过敏", "late:1"), ("过敏", "late:1"), ("結婚", "late:1")]
)
def test_a_question_in_a_script_without_spaces_finds_its_message(
    memory: Memory, run: Run, talk: str, question: str, external_id: str
) -> None:
    """PC-103."""
    first = run(memory.recall(question, space=talk)).items[0]

    assert (first.external_id, "text" in first.why.found_by) == (external_id, True)


def test_a_small_space_beside_a_large_one_gives_all_it_has_and_nothing_of_the_other(
    memory: Memory, run: Run, space: str
) -> None:
    """PC-049."""
    near = [MessageInput(text=f"The boat Petrel lies in the harbour at pier {number}.") for number in range(800)]
    far = [
        MessageInput(text=f"Loaf {number} of bread is in the oven.", external_id=str(number)) for number in range(20)
    ]

    async def ask() -> RecallResult:
        await memory.add_many(near, space=f"{space}-large")
        await memory.add_many(far, space=space)
        return await memory.recall("Where in the harbour does the boat Petrel lie?", space=space, limit=50)

    result = run(ask())

    assert sorted(ids(result), key=str) == sorted((str(number) for number in range(20)), key=str)
    assert {way for item in result.items for way in item.why.found_by} == {"vector"}


def test_a_space_whose_share_of_the_index_is_taken_by_nearer_ones_is_scanned(
    settings: Settings, run: Run, space: str
) -> None:
    """PC-049: where the vectors of others fill the whole of what was fetched."""
    starving = settings.model_copy(update={"recall": RecallSettings(candidates=1, candidates_large=1, window=0)})
    near = [MessageInput(text=f"The boat Petrel lies in the harbour at pier {number}.") for number in range(400)]
    far = [MessageInput(text=f"Loaf {number} of bread is in the oven.", session=str(number)) for number in range(250)]

    async def ask() -> list[str]:
        async with Memory(settings=starving, embedder=StaticEmbedder.shipped()) as memory:
            await memory.add_many(near, space=f"{space}-large")
            await memory.add_many(far, space=space)
            result = await memory.recall("Where in the harbour does the boat Petrel lie?", space=space, limit=1)
            return [item.text for item in result.items]

    found = run(ask())

    assert len(found) == 1
    assert found[0].startswith("Loaf ")


def test_all_that_is_left_is_found_after_messages_were_erased(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    """Neo4j's filtered search fails where it is asked for more than there is, once anything was deleted."""
    said = [MessageInput(text=f"Gull {number} sat on the pier of the Petrel.") for number in range(300)]

    async def ask() -> int:
        receipts = await memory.add_many(said, space=space)
        gone = [receipt.id for receipt in receipts[:10]]
        await graph.rows("MATCH (m:Message) WHERE m.id IN $ids DETACH DELETE m", ids=gone)
        return len((await memory.recall("gull", space=space, limit=298)).items)

    assert run(ask()) == 290


def test_nothing_of_another_space_is_ever_shown(memory: Memory, run: Run, space: str) -> None:
    """PC-079, PC-082, PC-104, PC-140: whatever the space is called, and although its neighbours say the same."""
    names = [f"{space}{end}" for end in ("", "-", " x", "_", "é", "🙂", ".a", "：b".replace("：", "ï"), "~")]

    async def ask() -> dict[str, set[str]]:
        for name in names:
            await memory.add(f"The Petrel lies in the harbour of {name}.", space=name, session="same")
            await memory.add("Yes.", space=name, session="same")
        return {
            name: {item.text for item in (await memory.recall("harbour Petrel", space=name)).items} for name in names
        }

    assert run(ask()) == {name: {f"The Petrel lies in the harbour of {name}.", "Yes."} for name in names}


def test_several_spaces_are_asked_at_once_and_ranked_together(memory: Memory, run: Run, space: str) -> None:
    async def ask() -> tuple[set[str | None], set[str | None]]:
        await memory.add_many(conversation(("boat",)), space=space)
        await memory.add_many(conversation(("bread",)), space=f"{space}-b")
        await memory.add_many(conversation(("music",)), space=f"{space}-c")
        question = "Is rye bread sold in the harbour?"
        two = await memory.recall(question, space=[space, f"{space}-b"], limit=50)
        one = await memory.recall(question, space=space, limit=50)
        return set(ids(two)), set(ids(one))

    two, one = run(ask())

    assert two == {f"{subject}:{turn}" for subject in ("boat", "bread") for turn in range(8)}
    assert one == {f"boat:{turn}" for turn in range(8)}


def test_no_word_is_dropped_where_many_spaces_are_asked_at_once(memory: Memory, run: Run, space: str) -> None:
    """60 spaces x 20 terms are more than one keyword query holds; only the last space and the last word answer."""
    names = [f"{space}-{number}" for number in range(60)]
    question = " ".join([*(f"musing{number}" for number in range(19)), "zeppelin"])

    async def ask() -> list[tuple[str, list[str]]]:
        for name in names:
            text = "A zeppelin flew over the marshes." if name == names[-1] else "Rain fell on the roof."
            await memory.add(text, space=name)
        found = await memory.recall(question, space=names, limit=100)
        return [(item.text, item.why.words) for item in found.items if "text" in item.why.found_by]

    assert run(ask()) == [("A zeppelin flew over the marshes.", ["zeppelin"])]


def test_the_size_of_the_whole_is_asked_once_a_recall(
    memory: Memory, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages and passages are both ranked by vectors where messages are long."""
    asked: list[str] = []
    read = Store.read

    async def counting(self: Store, name: str, **parameters: Any) -> Any:
        asked.append(name)
        return await read(self, name, **parameters)

    async def ask() -> RecallResult:
        await memory.add("The gulls sat on the pier all day and shouted. " * 40, space=space)
        monkeypatch.setattr(Store, "read", counting)
        return await memory.recall("What did the gulls do?", space=space)

    assert {"passage text", "passage vector"} & set(run(ask()).items[0].why.found_by)
    assert asked.count("count_stored") == 1


def test_a_space_that_is_not_there_is_never_an_empty_answer(memory: Memory, run: Run, space: str, talk: str) -> None:
    """PC-086, PC-127."""
    for wanted in (space, [talk, space]):
        with pytest.raises(NotFound) as refused:
            run(memory.recall("harbour", space=wanted))
        assert refused.value.message == f"There is no space named {space!r}."


def test_items_say_where_they_lie_and_why_they_are_there_and_keep_the_budget(
    memory: Memory, graph: Graph, run: Run, talk: str
) -> None:
    """PC-043."""
    result = run(memory.recall("Which berth does the Petrel have?", space=talk, budget=120))
    stored = {
        row["id"]: row["text"]
        for row in run(
            graph.rows(
                "MATCH (s:Space {name: $name}) MATCH (m:Message {space: s.id}) RETURN m.id AS id, m.text AS text",
                name=talk,
            )
        )
    }

    assert [item.rank for item in result.items] == list(range(1, len(result.items) + 1))
    assert [item.text for item in result.items] == [stored[item.id] for item in result.items]
    assert [item.tokens for item in result.items] == [count_tokens(item.text) for item in result.items]
    assert result.tokens == sum(item.tokens for item in result.items) <= 120
    assert len(result.items) > 3
    for item in result.items:
        why = item.why
        assert item.score == pytest.approx(why.text + why.vector + why.speaker + why.date, abs=0.001)
        assert item.topic_path
    assert result.items[0].why.words == ["petrel", "berth"]
    assert [topic for topic in result.topics if not topic.path or topic.title != topic.path[-1]] == []
    assert "[5 March 2024, session about boat]\nMira: We launched the sailing boat Petrel" in result.context


def test_a_budget_smaller_than_the_best_message_shows_the_best_that_fits(
    memory: Memory, run: Run, space: str
) -> None:
    async def ask() -> list[str | None]:
        await memory.add("The Petrel " + "sails on and on " * 20, space=space, external_id="long")
        await memory.add("Petrel: yes.", space=space, external_id="short")
        return ids(await memory.recall("Petrel sails", space=space, budget=10))

    assert run(ask()) == ["short"]


@pytest.mark.parametrize("words_a_token", [1, 3])
def test_a_counter_of_ones_own_fills_the_budget_however_little_it_counts(
    settings: Settings, run: Run, talk: str, words_a_token: int
) -> None:
    """The counts that are stored are ours: a third more than there are words."""
    def count(text: str) -> int:
        return -(-len(text.split()) // words_a_token)

    async def ask() -> tuple[RecallResult, RecallResult]:
        async with Memory(settings=settings, embedder=StaticEmbedder.shipped(), count=count) as memory:
            everything = await memory.recall("Which berth does the Petrel have?", space=talk, limit=50)
            return everything, await memory.recall("Which berth does the Petrel have?", space=talk, budget=60)

    everything, filled = run(ask())

    shown = len(filled.items)
    assert ids(filled) == ids(everything)[:shown]
    assert filled.tokens <= 60 < filled.tokens + everything.items[shown].tokens


def test_a_limit_gives_as_many_items_and_switches_the_budget_off(memory: Memory, run: Run, talk: str) -> None:
    result = run(memory.recall("What happened?", space=talk, limit=37))

    assert len(result.items) == 37
    assert result.tokens == sum(count_tokens(item.text) for item in result.items)


def test_ten_questions_do_not_share_one_order_and_no_score_is_nan(memory: Memory, run: Run, talk: str) -> None:
    """PC-053, PC-052: and asking changes nothing."""
    questions = [
        "bread",
        "sailing",
        "pills",
        "tomatoes",
        "invoices",
        "cello",
        "Friday breakfast",
        "blue paint",
        "knee",
        "the weather on Mars",
    ]

    async def ask() -> list[list[RecallResult]]:
        return [[await memory.recall(question, space=talk, limit=20) for question in questions] for _ in range(2)]

    first, again = run(ask())

    orders = [tuple(ids(result)) for result in first]
    assert len(set(orders)) == 10
    assert orders == [tuple(ids(result)) for result in again]
    scores = [item.score for result in first for item in result.items]
    assert [score for score in scores if not math.isfinite(score)] == []
    assert all([item.score for item in r.items] == sorted((i.score for i in r.items), reverse=True) for r in first)


def test_a_speaker_named_in_the_question_lifts_what_they_said(memory: Memory, run: Run, talk: str) -> None:
    named = run(memory.recall("What did Ines say about the harbour?", space=talk))
    unnamed = run(memory.recall("What did they say about the harbour?", space=talk))

    speaker = {item.external_id: item.why.speaker for item in named.items}
    assert speaker.pop("late:0") == 0.4
    assert set(speaker.values()) == {0.0}
    assert ids(named).index("late:0") < ids(unnamed).index("late:0")


def test_a_date_named_in_the_question_lifts_what_was_said_then(memory: Memory, run: Run, talk: str) -> None:
    result = run(memory.recall("What was said on 7 March 2024?", space=talk, limit=8))

    dates = {str(item.external_id).split(":")[0]: item.why.date for item in result.items}
    assert dates["garden"] == 0.8
    assert set(dates.values()) <= {0.8, *(round(0.8 * math.exp(-days / 7), 4) for days in range(1, 60))}


def test_the_day_of_a_message_is_that_of_the_place_where_it_was_said(memory: Memory, run: Run, space: str) -> None:
    """PC-062: half past midnight on 8 March in Auckland is still the 7th in UTC."""

    async def ask() -> list[str | None]:
        await memory.add("The lamp is lit.", space=space, at="2024-03-08T00:30:00+13:00", external_id="8th")
        await memory.add("The lamp is lit.", space=space, at="2024-06-01T00:30:00Z", external_id="June")
        result = await memory.recall("What was lit on 8 March 2024?", space=space)
        return [item.external_id for item in result.items if item.why.date == 0.8]

    assert run(ask()) == ["8th"]


def test_yesterday_is_counted_on_the_clock_of_whoever_asks(memory: Memory, run: Run, space: str) -> None:
    """PC-062: one instant, asked in Auckland and in Los Angeles, has two days before it."""
    asked = ("2024-05-16T18:30:00+12:00", "2024-05-15T23:30:00-07:00")

    async def ask() -> list[list[str | None]]:
        for day in (14, 15):
            await memory.add("The lamp is lit.", space=space, at=f"2024-05-{day}T12:00:00Z", external_id=str(day))
        results = [await memory.recall("What was lit yesterday?", space=space, asked_at=moment) for moment in asked]
        return [[item.external_id for item in result.items if item.why.date == 0.8] for result in results]

    assert run(ask()) == [["15"], ["14"]]


def test_fifty_adds_and_fifty_recalls_at_once_all_succeed(memory: Memory, run: Run, space: str) -> None:
    """PC-070, PC-164."""

    async def work() -> tuple[int, int]:
        await memory.add("The Petrel is here.", space=space, external_id="first")
        done = await asyncio.gather(
            *(memory.add(f"Note {number}.", space=space) for number in range(50)),
            *(memory.recall("Petrel", space=space, limit=1) for _ in range(50)),
        )
        found = [result for result in done if isinstance(result, RecallResult) and ids(result) == ["first"]]
        return len(done) - 50, len(found)

    assert run(work()) == (50, 50)


def test_a_search_that_fails_is_an_error_and_never_an_empty_answer(
    memory: Memory, run: Run, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PC-167."""

    async def broken(self: Store, name: str, **parameters: Any) -> Any:
        raise StoreFailed("broken")

    monkeypatch.setattr(Store, "read_lists", broken)

    with pytest.raises(StoreFailed, match="broken"):
        run(memory.recall("Petrel", space=talk))


def test_an_answer_without_items_says_why(memory: Memory, run: Run, talk: str, space: str) -> None:
    """Too small a budget, or nothing there."""

    async def ask() -> list[tuple[int, bool, int | None]]:
        await memory.create_space(space)
        small = await memory.recall("Who won the regatta in the harbour?", space=talk, budget=1)
        needed = small.smallest_budget or 0
        answers = [
            await memory.recall("Who won the regatta in the harbour?", space=talk, budget=needed),
            await memory.recall("regatta", space=space),
        ]
        assert small.items == [] and needed > 1
        return [(len(answer.items), answer.searchable, answer.smallest_budget) for answer in answers]

    assert run(ask()) == [(1, True, None), (0, True, None)]


def test_an_empty_question_is_refused(memory: Memory, run: Run, talk: str) -> None:
    with pytest.raises(InvalidInput, match=r"^The question is empty\.$"):
        run(memory.recall("", space=talk))


def test_a_memory_that_holds_no_space_answers_with_nothing(store: Store, run: Run) -> None:
    """Asked for all its spaces; the store is shared, so the scope is made empty by hand."""

    async def ask() -> tuple[RecallResult, Any]:
        embedder = StaticEmbedder.shipped()

        async def embed(text: str, _: float) -> Any:
            return (await embedder.embed([text]))[0]

        request = RecallRequest("Petrel", datetime(2024, 1, 1, tzinfo=UTC), 2000, None)
        found = await answer_to(
            store, Scope(()), request, embed=embed, settings=RecallSettings(), count=count_tokens, new_id=lambda: "id"
        )
        return found.result, await read_stats(store, Scope(()), None)

    answer, stats = run(ask())

    assert (answer.items, answer.topics, answer.context) == ([], [], "")
    assert (stats.messages, stats.topics, stats.depth, stats.largest_leaf) == (0, 0, 0, 0)


def test_all_subjects_of_the_conversation_have_eight_turns() -> None:
    """What the figures above count on."""
    assert {subject: len(turns) for subject, turns in SUBJECTS.items()} == dict.fromkeys(SUBJECTS, 8)
