"""A model walks the tree beside the flat search: what it may do, and what it cannot undo."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import pytest

from tests.scripted_model import ScriptedModel
from tests.store.conftest import Run
from tests.store.prepared import Graph
from tests.store.talk import SUBJECTS, conversation
from trace_graph.config import Settings
from trace_graph.errors import ConfigError, InvalidInput
from trace_graph.llm.purposes.answer import AnswerReply
from trace_graph.llm.purposes.walk import WalkReply
from trace_graph.llm.values import Answered, OnText, Reply, Request
from trace_graph.memory import Memory
from trace_graph.models import RecallResult, TopicNode
from trace_graph.text.times import utc_now

QUESTION = "Which berth does the Petrel have?"

# What the engines differ in is the queries, which test_queries has each of them run.
pytestmark = pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)

SERVED = """
MATCH (c:ModelCall)-[:MADE]->(r:Recall {id: $id}) RETURN c.purpose AS purpose, c.id AS id ORDER BY c.id
"""
CITED = "MATCH (:Recall {id: $id})-[c:CITED]->(m:Message) RETURN c.rank AS rank, m.external_id AS id ORDER BY c.rank"


class AskedToday(ScriptedModel):
    """Its calls are of now: those of days before, whose recall is not there yet, would be taken for left over."""

    async def ask(self, request: Request[Reply], *, on_text: OnText | None = None) -> Answered[Reply]:
        answered = await super().ask(request, on_text=on_text)
        return replace(answered, calls=tuple(replace(call, at=utc_now()) for call in answered.calls))


def asking(memory: Memory, answer: Callable[[Request[Any]], Any]) -> ScriptedModel:
    """Have the memory ask a model that answers so."""
    model = AskedToday(answer)
    memory._modelling = replace(memory._modelling, given=model)
    return model


def walker(topics: Collection[str]) -> Callable[[Request[Any]], WalkReply]:
    """Picks what of these is offered; stops where none is."""

    def answer(request: Request[Any]) -> WalkReply:
        labels = [one["label"] for one in request.inputs["offered"] if one["topic"] in topics]
        return WalkReply(pick=labels, stop=not labels)

    return answer


def leading_to(tree: TopicNode, subject: str) -> set[str]:
    """The topics that hold messages of a subject, or lie above those."""
    found: set[str] = set()
    for child in tree.children:
        below = leading_to(child, subject)
        if below or any(str(message.external_id).startswith(subject) for message in child.messages):
            found |= {child.id, *below}
    return found


def depth_of(tree: TopicNode) -> int:
    return 1 + max(map(depth_of, tree.children)) if tree.children else 0


async def filed(memory: Memory, space: str) -> str:
    await memory.add_many(conversation(), space=space)
    await memory.organize(space=space, use_model=False)
    return space


@pytest.fixture(scope="module")
def talk(memory: Memory, run: Run) -> str:
    """A space with six subjects, filed, which no test changes."""
    return str(run(filed(memory, f"test-{secrets.token_hex(6)}")))


def ids(result: RecallResult) -> list[str]:
    return [str(item.external_id) for item in result.items]


def test_the_walk_is_told_kept_and_run_again_without_a_model(
    settings: Settings, memory: Memory, graph: Graph, run: Run, talk: str
) -> None:
    async def ask() -> tuple[Any, ...]:
        tree = await memory.tree(space=talk, messages=True)
        model = asking(memory, walker(leading_to(tree, "boat")))
        result = await memory.recall(QUESTION, space=talk, limit=12, mode="guided")
        asked = len(model.requests)
        explained = await memory.explain(result.recall_id)
        replayed = await memory.replay(result.recall_id)
        return tree, result, explained, replayed, asked, len(model.requests), await graph.rows(
            SERVED, id=result.recall_id)

    tree, result, explained, replayed, asked, asked_after, served = run(ask())

    assert result.mode == "guided"
    assert result.walk is not None
    assert {one.id for one in result.walk.branches} <= leading_to(tree, "boat")
    assert result.walk.fault is None
    assert result.walk.steps[0].picked
    assert {branch.id for branch in result.walk.steps[0].offered} == {child.id for child in tree.children}
    outside = [item for item in result.items if not str(item.external_id).startswith("boat")]
    assert outside
    assert result.recovered == [item.id for item in outside]
    assert all(item.topic_path for item in outside)
    assert (explained.mode, explained.walk) == ("guided", result.walk)
    assert (replayed.equal, replayed.differences) == (True, [])
    assert asked == asked_after == result.walk.model_calls <= depth_of(tree) + 2
    assert [row["purpose"] for row in served] == ["walk"] * asked
    assert {row["id"] for row in served} == {id for step in result.walk.steps for id in step.call_ids}


def test_the_walk_alone_shows_nothing_from_elsewhere_and_every_hit_is_a_message_that_is_there(
    memory: Memory, run: Run, talk: str
) -> None:
    """PC-043: ids and texts of what is found by the tree are those of the memory."""

    async def ask() -> tuple[RecallResult, bool]:
        tree = await memory.tree(space=talk, messages=True)
        asking(memory, walker(leading_to(tree, "boat")))
        alone = await memory.recall("Petrel", space=talk, budget=2000, mode="guided", fallback=False)
        return alone, (await memory.replay(alone.recall_id)).equal

    alone, equal = run(ask())

    assert alone.walk is not None
    assert (alone.recovered, alone.walk.share, equal) == ([], 1.0, True)
    assert {f"boat:{turn}" for turn in range(8)} <= set(ids(alone))
    said = {f"{subject}:{turn}": text for subject, texts in SUBJECTS.items() for turn, text in enumerate(texts)}
    assert [item.text for item in alone.items] == [said[str(item.external_id)] for item in alone.items]


def test_whatever_a_model_does_the_flat_search_is_there(memory: Memory, run: Run, talk: str) -> None:
    """Always wrong, inventing labels, stopping at once, silent: the best hit stays the best, and it is said why."""

    async def ask(answer: Callable[[Request[Any]], Any]) -> RecallResult:
        asking(memory, answer)
        return await memory.recall(QUESTION, space=talk, limit=6, mode="guided")

    async def all_of_them() -> list[RecallResult]:
        tree = await memory.tree(space=talk, messages=True)
        return [
            await memory.recall(QUESTION, space=talk, limit=6),
            await ask(walker(leading_to(tree, "music") - leading_to(tree, "boat"))),
            await ask(lambda _: WalkReply(pick=["T99", "everything"])),
            await ask(lambda _: WalkReply(stop=True)),
            await ask(lambda _: None)]

    fast, wrong, invented, stopped, silent = run(all_of_them())

    assert all(result.items[0].id == fast.items[0].id for result in (wrong, invented, stopped, silent))
    assert wrong.items[0].id in wrong.recovered
    for result in (invented, stopped):
        assert (result.mode, ids(result), len(result.recovered)) == ("guided", ids(fast), 6)
        assert result.walk is not None
        assert (result.walk.branches, result.walk.fault) == ([], None)
    assert invented.walk is not None
    assert invented.walk.steps[0].ignored == 2
    assert (silent.mode, ids(silent), silent.recovered) == ("fast", ids(fast), [])
    assert silent.walk is not None
    assert (silent.walk.fault, silent.walk.model_calls) == ("no reply", 1)


def test_the_tree_of_then_is_walked_for_what_was_known_then(memory: Memory, run: Run, space: str) -> None:
    async def ask() -> tuple[RecallResult, TopicNode, bool]:
        talk = await filed(memory, space)
        tree = await memory.tree(space=talk, messages=True)
        then = memory._clock()
        await memory.add_many(
            [one.model_copy(update={"external_id": f"later:{number}", "session": "later"})
             for number, one in enumerate(conversation(("boat",)))], space=talk)
        await memory.organize(space=talk, use_model=False)
        asking(memory, walker(leading_to(tree, "boat")))
        result = await memory.recall(QUESTION, space=talk, limit=12, mode="guided", known_at=then)
        return result, tree, (await memory.replay(result.recall_id)).equal

    result, tree, equal = run(ask())

    assert result.walk is not None
    assert {(one.id, one.title) for one in result.walk.steps[0].offered} == {
        (child.id, child.title) for child in tree.children}
    assert {one.id for one in result.walk.branches} <= leading_to(tree, "boat")
    assert result.walk.branches
    assert not [id for id in ids(result) if id.startswith("later")]
    assert equal


def test_an_answer_is_kept_with_its_recall_and_the_messages_it_cites(
    memory: Memory, graph: Graph, run: Run, talk: str
) -> None:
    def answer(request: Request[Any]) -> AnswerReply:
        # The message of berth twelve; the label of the second citation was not given.
        line = next(line for line in request.messages[1].text.splitlines() if "gave us berth twelve" in line)
        return AnswerReply(citations=[line.split(",")[0], "M99"], found=True, answer="Berth twelve.")

    async def ask() -> tuple[Any, ...]:
        asking(memory, answer)
        pieces: list[str] = []
        result = await memory.ask(QUESTION, space=talk, on_text=pieces.append)
        explained = await memory.explain(result.recall_id)
        return (result, "".join(pieces), explained, await graph.rows(CITED, id=result.recall_id),
                await graph.rows(SERVED, id=result.recall_id))

    result, streamed, explained, cited, served = run(ask())

    assert (result.answer, result.found, result.citations_dropped, result.model_calls) == ("Berth twelve.", True, 1, 1)
    assert [(one.number, one.external_id) for one in result.cited] == [(1, "boat:2")]
    assert cited == [{"rank": 1, "id": "boat:2"}]
    assert [row["purpose"] for row in served] == ["answer"]
    assert streamed.strip() == "Berth twelve."
    assert explained.answer is not None
    assert (explained.answer.text, explained.answer.found, explained.answer.citations, explained.answer.dropped) == (
        "Berth twelve.", True, result.citations, 1)


def test_a_guided_answer_counts_the_calls_of_its_walk(memory: Memory, run: Run, talk: str) -> None:
    async def ask() -> Any:
        tree = await memory.tree(space=talk, messages=True)
        walks = walker(leading_to(tree, "boat"))
        model = asking(memory, lambda request: walks(request) if request.purpose == "walk" else AnswerReply())
        return await memory.ask(QUESTION, space=talk, mode="guided"), len(model.requests)

    result, asked = run(ask())

    assert (result.found, result.citations, result.fault) == (False, [], None)
    assert (result.model_calls, result.tokens_in, result.tokens_out) == (asked, 100 * asked, 10 * asked)
    assert result.recall.walk.model_calls == asked - 1


def test_without_a_model_it_is_said_how_to_get_one(memory: Memory, run: Run, talk: str) -> None:
    memory._modelling = replace(memory._modelling, given=None)

    for verb in (memory.ask(QUESTION, space=talk), memory.recall(QUESTION, space=talk, mode="guided")):
        with pytest.raises(ConfigError, match="none is configured") as refused:
            run(verb)
        assert "TRACE_GRAPH_MODEL" in refused.value.fix
    with pytest.raises(InvalidInput, match="flat search itself"):
        run(memory.recall(QUESTION, space=talk, fallback=False))
