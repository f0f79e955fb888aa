"""A memory on each engine, a fresh space for each test, and a look into the graph that goes round the library."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.releases import EngineAddress
from tests.store.prepared import Graph, open_graph, prepare, settings_of
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.memory import Memory
from trace_graph.store.connection import Store
from trace_graph.store.local_server import LocalServer

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(scope="session")
def settings(engine_address: EngineAddress) -> Settings:
    """How to reach one engine, whose schema and embedder are there already."""
    asyncio.run(prepare(engine_address))
    return settings_of(engine_address)


@pytest.fixture(scope="module")
def memory(settings: Settings, run: Run) -> Iterator[Memory]:
    """One memory for the tests of a module; each keeps to a space of its own."""
    opened = Memory(settings=settings, actor="tester", embedder=StaticEmbedder.shipped())
    yield opened
    run(opened.close())


@pytest.fixture(scope="module")
def store(settings: Settings, run: Run) -> Iterator[Store]:
    """The same engine by its store."""
    connected = run(Store.connect(settings))
    yield connected
    run(connected.close())


@pytest.fixture(scope="module")
def graph(settings: Settings, run: Run) -> Iterator[Graph]:
    """The same engine by the bare driver: Cypher of the test's own."""
    opened = open_graph(settings)
    yield opened
    run(opened.close())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A data folder of its own, whose engine is stopped in the end."""
    yield tmp_path / "data"
    asyncio.run(LocalServer(tmp_path / "data").stop())


@pytest.fixture
def space() -> str:
    """The name of a space that nobody else uses."""
    return f"test-{secrets.token_hex(6)}"
