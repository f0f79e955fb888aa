"""What a query calls is found whatever stands around it, and what only looks like it is not taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.read_only_attempts import CALLS, LOADS, WRITES
from trace_graph.errors import UsageError, WriteRefused
from trace_graph.store.cypher_words import Token, refuse_by_words, words_of

GAPS = st.lists(
    st.sampled_from([" ", "\n", "\t", "\u00a0", "\u2028", "/* ' */", "/*`*/", "/**/", "// \" \n", "//\r"]), min_size=1
).map("".join)
"""What may stand between two words."""
TEXTS = st.text(st.sampled_from("ab'\"`\\/*\n .(){}LOADCSV"), max_size=30)


def quoted(text: str, mark: str) -> str:
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


@pytest.mark.parametrize("query", [*CALLS.values(), *LOADS.values()])
def test_calls_and_loads_are_refused_before_any_engine_is_asked(query: str) -> None:
    with pytest.raises(WriteRefused):
        refuse_by_words(query)


@pytest.mark.parametrize("query", WRITES.values())
def test_writing_clauses_are_left_to_the_engine(query: str) -> None:
    """The words do not stand in for a database's own read-only mode."""
    refuse_by_words(query)


def test_a_query_falls_into_words_names_and_marks() -> None:
    tokens = words_of("MATCH (n:`a``b`) // x\nWHERE n.x = 'it\\'s' /* y */ RETURN 1")

    assert tokens == [
        Token("word", "match"), Token("mark", "("), Token("word", "n"), Token("mark", ":"), Token("name", "a`b"),
        Token("mark", ")"), Token("word", "where"), Token("word", "n"), Token("mark", "."), Token("word", "x"),
        Token("mark", "="), Token("word", "return"), Token("word", "1")]


@given(GAPS, TEXTS, st.sampled_from("'\""), GAPS)
def test_load_csv_is_found_behind_any_text_and_in_any_pieces(gap: str, text: str, mark: str, after: str) -> None:
    with pytest.raises(WriteRefused):
        refuse_by_words(f"WITH {quoted(text, mark)} AS x{after}LOAD{gap}CSV FROM 'x' AS row RETURN row")


@given(TEXTS, st.sampled_from("'\""))
def test_what_stands_in_a_text_is_no_keyword(text: str, mark: str) -> None:
    assert words_of(f"RETURN {quoted('LOAD CSV ' + text, mark)} AS x") == [
        Token("word", "return"), Token("word", "as"), Token("word", "x")]


@given(TEXTS)
def test_what_stands_in_a_name_is_no_keyword(text: str) -> None:
    assert words_of("RETURN `" + text.replace("`", "``") + "`") == [Token("word", "return"), Token("name", text)]


@given(st.text(max_size=60))
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    try:
        refuse_by_words(text)
    except (UsageError, WriteRefused) as error:
        assert error.message


@pytest.mark.parametrize("query", ["RETURN 'x", 'RETURN "x', "RETURN `x", "RETURN 1 /* x", "RETURN `a```b`"])
def test_what_does_not_end_is_refused_with_its_place(query: str) -> None:
    with pytest.raises(UsageError, match=r"begins at character \d+ of the query does not end"):
        refuse_by_words(query)


@pytest.mark.parametrize("query", [
    "MATCH (call:Call) RETURN call, call.x",
    "MATCH (n) RETURN n.call AS x",
    "MATCH (n) RETURN n.load AS csv",
    "CALL { RETURN 1 AS x } RETURN x",
    "CALL (x) { RETURN 1 AS y } RETURN y",
    "CALL db.labels",
    "call DB.Labels()",
    "CALL `db`.`labels`()",
    "CALL db.index.fulltext.queryNodes($i, $q) YIELD node RETURN node",
    "RETURN date.truncate('month', date()), duration.between(date(), date())",
    "RETURN vector.similarity.cosine($a, $b), point.distance($p, $q)",
    "RETURN count(n.x), size(n.y), toUpper(n.name)",
    "RETURN 1.5 * (2 + 3), range(0, 3)[0..(1 + 1)]",
])
def test_a_reading_query_passes(query: str) -> None:
    refuse_by_words(query)


@pytest.mark.parametrize("query", [
    "WITH 1 AS x RETURN 1.CALL apoc.load.json('x')",
    "RETURN [1][0..CALL apoc.load.json('x')]",
    "RETURN 0..apoc.text.join([], '')",
    "RETURN x.apoc.load(1)",
    "SHOW TRANSACTIONS YIELD id TERMINATE TRANSACTIONS id",
])
def test_what_could_be_read_in_two_ways_is_refused(query: str) -> None:
    with pytest.raises(WriteRefused):
        refuse_by_words(query)
