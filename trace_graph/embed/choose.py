"""Which embedder a setting means."""

from __future__ import annotations

from pathlib import Path

from trace_graph.embed.openai import OpenAIEmbedder
from trace_graph.embed.protocol import Embedder
from trace_graph.embed.sentence_transformers import SentenceTransformersEmbedder
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import ConfigError

FORMS = "static, static:PATH, sentence-transformers:NAME_OR_PATH or openai:NAME"


def open_embedder(
    spec: str, *, openai_base_url: str | None = None, openai_api_key: str | None = None
) -> Embedder:
    """Open the embedder that the value of TRACE_GRAPH_EMBEDDER names; weights and connections come with its first use.

    A model's name is passed on as it is, never looked up or guessed from.

    Raises: ConfigError for another form, a folder without a model, a missing package or key.
    """
    kind, colon, model = (part.strip() for part in spec.partition(":"))
    if kind == "static" and not colon:
        return StaticEmbedder.shipped()
    if kind == "static" and model:
        return StaticEmbedder.load(Path(model).expanduser())
    if kind == "sentence-transformers" and model:
        return SentenceTransformersEmbedder.load(model)
    if kind == "openai" and model:
        return OpenAIEmbedder(model, base_url=openai_base_url, api_key=openai_api_key)
    raise ConfigError(
        f"TRACE_GRAPH_EMBEDDER={spec!r} names no embedder.", fix=f"Set TRACE_GRAPH_EMBEDDER to {FORMS}."
    )
