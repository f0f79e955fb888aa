"""The embedder for models of the sentence-transformers library, an extra of the package."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trace_graph.embed.protocol import Embedded, Vector
from trace_graph.embed.vectors import NO_VECTOR, embeddable, unit
from trace_graph.embed.windows import combine, windows
from trace_graph.errors import ConfigError, EmbeddingFailed

INSTALL = "pip install 'trace-graph[sentence-transformers]'"



class Model(Protocol):
    """What is used of `sentence_transformers.SentenceTransformer`."""

    tokenizer: Any
    prompts: dict[str, str]
    default_prompt_name: str | None

    @property
    def max_seq_length(self) -> float | None:
        """Tokens that the model reads; the rest of a text is cut. None or infinite: all of them."""
        ...

    def encode(
        self, sentences: list[str], *, normalize_embeddings: bool, convert_to_numpy: bool, show_progress_bar: bool
    ) -> NDArray[np.float32]:
        """Embed: (count, dimension)."""
        ...


class SentenceTransformersEmbedder:
    """A local transformer. Weights load on the first `embed`, from disk only: nothing is ever downloaded.

    A text beyond the model's limit is divided into windows that fit, and has the mean of their vectors, weighted by
    characters; `Embedded.split` counts such texts. Calls run one after another in a thread of their own: the
    library's tokenizers cannot be used by two threads at once.
    """

    def __init__(self, name_or_path: str) -> None:
        self.name = f"sentence-transformers:{name_or_path}"
        self._name_or_path = name_or_path
        self._model: Model | None = None
        self._dimension: int | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trace-graph-embed")

    @classmethod
    def load(cls, name_or_path: str) -> SentenceTransformersEmbedder:
        """Open a model by its folder, or by its name in the local cache; the weights load on the first `embed`.

        Raises: ConfigError where the library is not installed.
        """
        if importlib.util.find_spec("sentence_transformers") is None:
            raise ConfigError(
                "TRACE_GRAPH_EMBEDDER asks for sentence-transformers, which is not installed.",
                fix=f"Install it: {INSTALL}",
            )
        return cls(name_or_path)

    @property
    def dimension(self) -> int:
        """Numbers of a vector; known after the first `embed`."""
        if self._dimension is None:
            raise EmbeddingFailed(
                f"The dimension of {self.name} is not known before the first text is embedded.",
                fix="Await fingerprint(embedder) first.",
            )
        return self._dimension

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed the texts; see `Embedder.embed`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._embed, list(texts))

    async def close(self) -> None:
        """Let go of the weights and the thread; the embedder cannot be used afterwards."""
        self._thread.shutdown(wait=False)
        self._model = None

    def _embed(self, texts: list[str]) -> Embedded:
        if self._model is None:
            self._model = _load(self._name_or_path)
        places, refused = embeddable(texts)
        parts = [_parts(self._model, texts[place]) for place in places]
        flat = [part for of_text in parts for part in of_text]
        rows = iter(_encode(self._model, flat) if flat else ())
        vectors: list[Vector | None] = [None] * len(texts)
        for place, of_text in zip(places, parts, strict=True):
            vectors[place] = combine([unit(next(rows)) for _ in of_text], [len(part) for part in of_text])
            if vectors[place] is None:
                refused[place] = NO_VECTOR
        self._dimension = next((len(vector) for vector in vectors if vector is not None), self._dimension)
        return Embedded(vectors, refused=refused, split=sum(len(of_text) > 1 for of_text in parts))


def _load(name_or_path: str) -> Model:
    library = importlib.import_module("sentence_transformers")
    try:
        model: Model = library.SentenceTransformer(name_or_path, local_files_only=True)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"There is no sentence-transformers model {name_or_path} on this machine, or it is not whole.",
            fix="Give its folder in TRACE_GRAPH_EMBEDDER, or download it once where there is a network: "
            f"hf download {name_or_path}",
        ) from error
    return model


def _parts(model: Model, text: str) -> list[str]:
    limit = model.max_seq_length
    if limit is None or not np.isfinite(limit):
        return [text]
    prompt = model.prompts.get(model.default_prompt_name or "", "")
    return windows(text, lambda part: _tokens(model.tokenizer, prompt + part), int(limit))


def _tokens(tokenizer: Any, text: str) -> int:
    # verbose: the tokenizer would warn of each text beyond the limit, which is what is being found out here.
    return len(tokenizer(text, truncation=False, verbose=False)["input_ids"])


def _encode(model: Model, texts: list[str]) -> NDArray[np.float32]:
    try:
        return model.encode(texts, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False)
    except RuntimeError as error:  # torch: out of memory, a device that is gone
        raise EmbeddingFailed(
            "The sentence-transformers model failed while it was embedding.",
            fix="See the cause with --debug; a smaller model, or fewer messages at once, need less memory.",
        ) from error
