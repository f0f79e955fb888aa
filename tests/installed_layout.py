"""Shows the packages to tools as an installation would: cli/, cypher/ and web/ below trace_graph.

mypy and import-linter read folders and do not follow the mapping of an editable install. This lays out links to the
working tree in .cache/layout and prints that folder.
"""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def lay_out(repository: Path, layout: Path) -> None:
    """Fill `layout` with links to the packages of pyproject.toml, to what is not installed, and to the settings."""
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    folders: dict[str, str] = settings["tool"]["setuptools"]["package-dir"]
    shutil.rmtree(layout, ignore_errors=True)
    package = layout / "trace_graph"
    package.mkdir(parents=True)
    for entry in (repository / folders.pop("trace_graph")).iterdir():
        (package / entry.name).symlink_to(entry)
    for name, folder in folders.items():
        (package / name.removeprefix("trace_graph.")).symlink_to(repository / folder)
    for shared in ("tests", "bench", "tools", "pyproject.toml"):
        (layout / shared).symlink_to(repository / shared)


if __name__ == "__main__":
    lay_out(REPOSITORY, REPOSITORY / ".cache" / "layout")
    print(REPOSITORY / ".cache" / "layout")
