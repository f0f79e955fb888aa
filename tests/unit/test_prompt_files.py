"""Prompts by name and version: of the package, and of a folder of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from trace_graph.errors import ConfigError, NotFound
from trace_graph.llm.prompt_files import Prompt, prompt, prompts_from


def test_the_latest_version_counts_and_every_version_of_a_folder_can_be_had(tmp_path: Path) -> None:
    for version in (1, 2, 10):
        (tmp_path / f"sing-{version}.md").write_text(f"\n Version {version}.\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no prompt", encoding="utf-8")

    with prompts_from(tmp_path):
        found = prompt("sing"), prompt("sing", 2)

    assert found == (Prompt("sing", 10, "Version 10."), Prompt("sing", 2, "Version 2."))
    with pytest.raises(NotFound):
        prompt("sing")


def test_a_folder_that_cannot_be_read_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError), prompts_from(tmp_path / "nowhere"):
        raise AssertionError("never here")


def test_a_prompt_that_there_is_not_is_said() -> None:
    with pytest.raises(NotFound, match="sing-0"):
        prompt("sing")


@pytest.mark.parametrize(("name", "text", "words"), [
    ("answer-99999999999999999999.md", "Answer.", "more than 9 digits"),
    ("answer-1000000000.md", "Answer.", "more than 9 digits"),
    ("answer-7.md", "", "is empty"), ("answer-7.md", " \n\t\n", "is empty"),
])
def test_a_prompt_that_cannot_be_used_is_said_before_anything_is_asked(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match=words) as caught, prompts_from(tmp_path):
        raise AssertionError("never here")
    assert name in str(caught.value)


def test_a_version_of_nine_digits_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "sing-999999999.md").write_text("Sing.", encoding="utf-8")
    with prompts_from(tmp_path):
        assert prompt("sing").version == 999_999_999
