from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from trace_graph.embed.choose import open_embedder
from trace_graph.embed.openai import OpenAIEmbedder
from trace_graph.embed.static import SHIPPED, StaticEmbedder
from trace_graph.errors import ConfigError


def test_static_is_the_shipped_model() -> None:
    embedder = open_embedder("static")

    assert isinstance(embedder, StaticEmbedder)
    assert (embedder.name, embedder.dimension) == ("static:multilingual-static", 256)


def test_a_folder_of_a_static_model_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(SHIPPED.parent))

    assert open_embedder(f"static:{SHIPPED}").name == "static:multilingual_static"
    assert open_embedder("static:~/multilingual_static").name == "static:multilingual_static"


@pytest.mark.parametrize("model", ["my-embed", "org/Model-3-Embed-1B", "text-embedding-clone", "embed:latest"])
def test_any_name_of_an_endpoint_is_taken_as_it_is(model: str) -> None:
    """PC-121."""
    embedder = open_embedder(f"openai:{model}", openai_base_url="http://localhost:9/v1")

    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.name == f"openai:{model}"


@pytest.mark.parametrize(
    "spec", ["", " ", "static:", "openai", "openai: ", "sentence-transformers:", "ollama:x", "Static"]
)
def test_another_form_is_refused_with_the_forms_there_are(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_embedder(spec)

    assert (caught.value.message, caught.value.fix) == (
        f"TRACE_GRAPH_EMBEDDER={spec!r} names no embedder.",
        "Set TRACE_GRAPH_EMBEDDER to static, static:PATH, sentence-transformers:NAME_OR_PATH or openai:NAME.",
    )


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no folder"):
        open_embedder(f"static:{tmp_path / 'missing'}")


def test_a_missing_extra_is_refused_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(ConfigError) as caught:
        open_embedder("sentence-transformers:all-MiniLM-L6-v2")

    assert (caught.value.message, caught.value.fix) == (
        "TRACE_GRAPH_EMBEDDER asks for sentence-transformers, which is not installed.",
        "Install it: pip install 'trace-graph[sentence-transformers]'",
    )
