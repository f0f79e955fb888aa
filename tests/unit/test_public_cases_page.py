"""The page of public cases names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs/decisions/0004-public-cases.md"

NAMED = re.compile(r"`((?:unit|store|cli|engines)/\w+\.py)(?:::(\w+))?`")


def test_every_test_that_the_page_names_is_there() -> None:
    named = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    missing = [
        f"{file}::{test}" for file, test in named
        if not (TESTS / file).is_file() or (test and f"def {test}(" not in (TESTS / file).read_text(encoding="utf-8"))]

    assert len(named) > 60
    assert missing == []


def test_every_case_stands_in_the_page_once_in_a_table() -> None:
    cases = re.findall(r"(?m)^\| (PC-\d{3}) ", PAGE.read_text(encoding="utf-8"))

    assert len(cases) == len(set(cases)) == 88
