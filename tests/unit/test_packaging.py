"""What pyproject.toml packs is what there is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAPPED = {"trace_graph.cli": ROOT / "cli", "trace_graph.cypher": ROOT / "cypher", "trace_graph.web": ROOT / "web"}


def _folder(package: str) -> Path:
    return MAPPED.get(package, ROOT / Path(*package.split(".")))


def test_every_folder_with_code_is_a_listed_package() -> None:
    inside = {".".join(file.parent.relative_to(ROOT).parts) for file in (ROOT / "trace_graph").rglob("*.py")}

    assert sorted(SETTINGS["tool"]["setuptools"]["packages"]) == sorted({*inside, *MAPPED})


def test_every_listed_package_has_an_init_file() -> None:
    lacking = [
        package for package in SETTINGS["tool"]["setuptools"]["packages"]
        if not (_folder(package) / "__init__.py").is_file()]

    assert lacking == []


@pytest.mark.parametrize("package", SETTINGS["tool"]["setuptools"]["packages"])
def test_every_file_beside_the_code_is_package_data(package: str) -> None:
    patterns = SETTINGS["tool"]["setuptools"]["package-data"].get(package, [])
    folder = _folder(package)
    packed = {file for pattern in patterns for file in folder.glob(pattern)}
    loose = [
        file.name for file in folder.iterdir()
        if file.is_file() and file.suffix not in (".py", ".pyc") and file not in packed]

    assert loose == []


def test_the_weights_of_the_default_embedder_are_packed() -> None:
    folder = _folder("trace_graph.embed.multilingual_static")

    assert {file.name for file in folder.iterdir()} >= {"model.safetensors", "tokenizer.json", "config.json"}
