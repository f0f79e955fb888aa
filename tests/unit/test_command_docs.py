"""docs/commands.md is what the commands say of themselves."""

from __future__ import annotations

from tools.generate_command_docs import PAGE, generated


def test_the_page_of_commands_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == generated(), "run: python tools/generate_command_docs.py"
