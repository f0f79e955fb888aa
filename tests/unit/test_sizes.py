"""The check of sizes finds what is over the limit, and nothing at it."""

from __future__ import annotations

from tests.sizes import too_long


def function_of(lines: int) -> str:
    return "def f():\n" + "    x = 1\n" * (lines - 1)


def test_a_function_of_60_lines_passes_and_one_of_61_is_named() -> None:
    assert list(too_long("a.py", function_of(60))) == []
    assert list(too_long("a.py", function_of(61))) == ["a.py:1 f: 61 lines, at most 60"]


def test_a_method_counts_as_a_function() -> None:
    inside = "class C:\n" + "".join(f"    {line}\n" for line in function_of(61).splitlines())

    assert list(too_long("a.py", inside)) == ["a.py:2 f: 61 lines, at most 60"]


def test_a_file_of_600_lines_passes_and_one_of_601_is_named_whatever_its_language() -> None:
    assert list(too_long("a.cypher", "RETURN 1\n" * 600)) == []
    assert list(too_long("a.cypher", "RETURN 1\n" * 601)) == ["a.cypher: 601 lines, at most 600"]
