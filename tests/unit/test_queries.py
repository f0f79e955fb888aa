"""How a query file is read, and which text of a query an engine gets."""

from __future__ import annotations

import pytest

from trace_graph.errors import NotFound, StoreFailed
from trace_graph.store.engine import recognise
from trace_graph.store.queries import NamedQuery, Queries, parse

GOOD = """// A line before the first header is nobody's.

// name: find_boats
// Boats by name:
// id and colour.
// mode: read
// params: names, spaces
UNWIND $names AS name
// a comment of the query itself
MATCH (b:Boat {name: name}) WHERE b.space IN $spaces
RETURN b.id AS id

// name: drop_anchor
// Drops it.
// mode: write
// engine: neo4j
// unscoped: no space has it
MATCH (a:Anchor) DELETE a
"""


def named(name: str, variant: str = "any") -> NamedQuery:
    return NamedQuery(name, "A sentence.", "read", frozenset(), variant, None, variant, "x.cypher")  # type: ignore[arg-type]  # a table of texts


def test_a_file_is_split_into_its_queries() -> None:
    first, second = parse(GOOD, "boats.cypher")

    assert first == NamedQuery(
        name="find_boats", description="Boats by name: id and colour.", mode="read",
        parameters=frozenset({"names", "spaces"}), variant="any", unscoped=None, file="boats.cypher",
        text="UNWIND $names AS name\n// a comment of the query itself\n"
             "MATCH (b:Boat {name: name}) WHERE b.space IN $spaces\nRETURN b.id AS id")
    assert second == NamedQuery(
        name="drop_anchor", description="Drops it.", mode="write", parameters=frozenset(), variant="neo4j",
        unscoped="no space has it", text="MATCH (a:Anchor) DELETE a", file="boats.cypher")


@pytest.mark.parametrize("broken", [
    "// name: x\n// A sentence.\nRETURN 1", "// name: x\n// A sentence.\n// mode: sideways\nRETURN 1",
    "// name: x\n// mode: read\nRETURN 1", "// name: x\n// A sentence.\n// mode: read\n",
    "// name: x\n// A sentence.\n// mode: read\n// engine: oracle\nRETURN 1",
], ids=["no mode", "unknown mode", "no sentence", "no text", "unknown engine"])
def test_a_header_that_lacks_something_is_refused_with_file_and_name(broken: str) -> None:
    with pytest.raises(StoreFailed) as refused:
        parse(broken, "boats.cypher")

    assert refused.value.message == (
        "boats.cypher: the header of 'x' lacks a sentence, a mode or its text, or names no engine we know.")


@pytest.mark.parametrize("params", ["", "// params: b\n", "// params: a, b\n"], ids=["none", "another", "one too many"])
def test_parameters_that_are_not_those_of_the_text_are_refused(params: str) -> None:
    with pytest.raises(StoreFailed) as refused:
        parse(f"// name: x\n// A sentence.\n// mode: read\n{params}RETURN $a", "boats.cypher")

    assert refused.value.message == "boats.cypher: the params of 'x' are not those of its text."


def test_one_name_twice_for_one_engine_is_refused() -> None:
    with pytest.raises(StoreFailed) as refused:
        Queries([named("a"), named("a", "neo4j"), named("a")])

    assert refused.value.message == "Queries with one name twice: ['a (any)']."


@pytest.mark.parametrize(("agent", "version", "text"), [
    ("Neo4j/2026.09.0", "2026.09.0", "neo4j-search"), ("Neo4j/5.26.12", "5.26.12", "neo4j"),
    ("Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)", "5.26.0", "arcadedb"),
])
def test_an_engine_gets_the_best_text_that_it_understands(agent: str, version: str, text: str) -> None:
    queries = Queries([named("q", variant) for variant in ("any", "arcadedb", "neo4j", "neo4j-search")])

    assert queries.pick("q", recognise(agent, version).variants).text == text


def test_an_engine_without_a_text_of_its_own_gets_the_one_for_all() -> None:
    assert Queries([named("q"), named("q", "neo4j")]).pick("q", ("arcadedb", "any")).text == "any"


def test_an_unknown_query_is_not_found() -> None:
    with pytest.raises(NotFound) as refused:
        Queries([named("q", "neo4j")]).pick("q", ("arcadedb", "any"))

    assert (refused.value.message, refused.value.fix) == (
        "There is no query named 'q'.", "See trace-graph queries list.")


def test_all_queries_come_by_name() -> None:
    assert [query.name for query in Queries([named("b"), named("a")]).all()] == ["a", "b"]
