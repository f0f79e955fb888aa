"""What Neo4j plans decides: only reads of the graph, and only the procedures on the list."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trace_graph.errors import WriteRefused
from trace_graph.store.read_only import _refuse_by_plan


def operator(name: str, details: str = "", *children: dict[str, Any]) -> dict[str, Any]:
    return {"operatorType": f"{name}@neo4j", "args": {"Details": details}, "children": list(children)}


def summary(query_type: str, plan: dict[str, Any] | None) -> Any:
    return SimpleNamespace(query_type=query_type, plan=plan)


@pytest.mark.parametrize(("query_type", "plan"), [
    ("r", operator("ProduceResults", "n", operator("AllNodesScan", "n"))),
    ("r", operator("ProduceResults", "x", operator("ProcedureCall", "db.labels() :: (label :: STRING)"))),
    ("s", operator("ProduceResults", "x", operator("ProcedureCall", "dbms.components() :: (name :: STRING)"))),
])
def test_a_read_passes(query_type: str, plan: dict[str, Any]) -> None:
    _refuse_by_plan(summary(query_type, plan))


@pytest.mark.parametrize(("query_type", "plan"), [
    ("r", None),
    ("w", operator("ProduceResults", "", operator("Create", "(n)"))),
    ("rw", operator("ProduceResults", "", operator("Create", "(n)"))),
    ("s", operator("CreateIndex")),
    ("s", {"operatorType": "AdministrationCommand@system"}),
    ("s", operator("ProduceResults", "x", operator("Filter", "", operator("ProcedureCall", "dbms.components()")))),
    ("r", operator("ProduceResults", "r", operator("Apply", "", operator("Argument"), operator("LoadCSV", "r")))),
    ("r", operator("ProduceResults", "", operator("TerminateTransactions"))),
    ("r", operator("ProduceResults", "", operator("ProcedureCall", "db.stats.clear($autostring_0) :: ()"))),
    ("r", operator("ProduceResults", "", operator("ProcedureCall", "`apoc`.`load`.json($x) :: ()"))),
])
def test_anything_else_is_refused(query_type: str, plan: dict[str, Any] | None) -> None:
    with pytest.raises(WriteRefused):
        _refuse_by_plan(summary(query_type, plan))


def test_a_plan_of_any_depth_is_read() -> None:
    plan = operator("LoadCSV")
    for _ in range(5000):
        plan = operator("Apply", "", plan)

    with pytest.raises(WriteRefused):
        _refuse_by_plan(summary("r", plan))
