"""docs/models.md shows what happens: its session prints what stands there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.readme.transcript import ROOT, printed

PAGE = ROOT / "docs" / "models.md"


def _settled(text: str) -> list[str]:
    """The lines without what differs from run to run: times, folders, ports, and the width that they take."""
    text = re.sub(r"local:\S+", "local:.demo", text)
    text = re.sub(r"(?:127\.0\.0\.1|localhost):\d+", "localhost", text)
    text = re.sub(r"known since \S+ \S+ UTC", "known since then", text)
    text = re.sub(r"in \d+\.\d s", "in N s", text)
    text = re.sub(r"^((?:answer|route|summarise|walk) .*?)\d+ +\d+ +(0\.\d+)$", r"\1\2", text, flags=re.MULTILINE)
    return [" ".join(line.split()).replace("─", "") for line in text.strip().splitlines()]


def test_the_session_prints_what_the_page_shows(tmp_path: Path) -> None:
    shown = re.search(r"```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert shown

    assert _settled(printed(tmp_path / "memory")) == _settled(shown[1])
