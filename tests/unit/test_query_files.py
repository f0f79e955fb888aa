"""What holds for every shipped query, and that none stands anywhere else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from trace_graph.store.queries import shipped_queries

REPOSITORY = Path(__file__).parents[2]

CONTENT = re.compile(
    r":\s*(Message|Passage|SummaryRevision|Topic|Session|Event|Recall|ModelCall)\b|(Message|Passage)\["
)
CYPHER = re.compile(
    r"(?im)^\s*(OPTIONAL\s+)?MATCH\s*\(|\bMERGE\s*\(|\bCREATE\s*\(\w*:|\bDETACH\s+DELETE\b|^\s*UNWIND\s+\S+\s+AS\b|"
    r"\bRETURN\s+\w+\.\w+|\bCALL\s+db\."
)


def test_every_reading_query_that_gives_out_content_filters_by_the_callers_spaces() -> None:
    """Or says in its header why it need not."""
    unfiltered = [
        query.name
        for query in shipped_queries().all()
        if query.mode == "read" and CONTENT.search(query.text) and "$spaces" not in query.text and not query.unscoped
    ]

    assert unfiltered == []


def test_every_reading_query_takes_spaces_or_says_why_not() -> None:
    silent = [
        query.name
        for query in shipped_queries().all()
        if query.mode == "read" and "spaces" not in query.parameters and not query.unscoped
    ]

    assert silent == []


def test_no_query_is_both_filtered_and_excused() -> None:
    assert [query.name for query in shipped_queries().all() if query.unscoped and "$spaces" in query.text] == []


def test_every_query_says_in_a_sentence_what_it_is_for() -> None:
    wrong = [
        query.name
        for query in shipped_queries().all()
        if not query.description.endswith((".", ")")) or not query.description[0].isupper()
    ]

    assert wrong == []


def test_no_writing_query_hides_behind_a_reading_header() -> None:
    writing = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DETACH)\b")

    assert [
        query.name for query in shipped_queries().all() if query.mode == "read" and writing.search(query.text)
    ] == []


def test_every_writing_query_says_whether_it_may_run_twice_or_is_plain_about_what_it_does() -> None:
    """A retried transaction runs it again; what creates without MERGE is made safe by whoever calls it."""
    creating = [
        query.name
        for query in shipped_queries().all()
        if query.mode == "write" and "MERGE" in query.text and "twice" not in query.description
    ]

    assert creating == []


def texts_in(path: Path) -> list[str]:
    """Every string of a Python file that is no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described
    ]


def test_nobody_outside_the_query_files_holds_cypher() -> None:
    sources = [*REPOSITORY.glob("trace_graph/**/*.py"), *REPOSITORY.glob("cli/**/*.py")]
    found = [
        f"{path.relative_to(REPOSITORY)}: {text[:60]}"
        for path in sources
        for text in texts_in(path)
        if CYPHER.search(text)
    ]

    assert len(sources) > 50
    assert found == []


def test_the_scan_knows_cypher_when_it_sees_it() -> None:
    assert all(
        CYPHER.search(text)
        for text in (
            "MATCH (n) RETURN n",
            "x\n  OPTIONAL MATCH (n)",
            "MERGE (n:Meta)",
            "CREATE (n:Space)",
            "UNWIND $ids AS id",
            "CALL db.index.vector.queryNodes",
            "WITH n RETURN n.id AS id",
        )
    )
