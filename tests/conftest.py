"""Fixtures for tests that need a real database engine: `engine_address`, once for each engine."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import hypothesis
import pytest

from tests.engines.releases import RELEASES, EngineAddress
from tests.engines.running import ENGINE_KINDS, RunningEngines
from trace_graph.errors import TraceGraphError

NOT_RUN = "--no-neo4j: the tests against Neo4j did NOT run. How to get one: tests/engines/README.md"


# How long an example takes says how busy the machine is, not whether the code is right.
# CI has twenty minutes for everything: half of the usual hundred examples there.
EXAMPLES = 50 if os.environ.get("CI") == "true" else 100
hypothesis.settings.register_profile("no deadline", deadline=None, max_examples=EXAMPLES)
hypothesis.settings.load_profile("no deadline")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-neo4j", action="store_true", help="skip the tests that need a Neo4j server")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--no-neo4j") and os.environ.get("CI") == "true":
        raise pytest.UsageError("--no-neo4j is refused where CI=true: there Neo4j must be tested.")
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(*_: object) -> None:
    """Ended by SIGTERM, pytest would not stop the engines; interrupted, it does."""
    raise KeyboardInterrupt


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _in_turn(config, items)
    for item in items:
        if "engine_address" in getattr(item, "fixturenames", ()):
            item.add_marker("engine")
            # With several workers (pytest -n) all tests of one engine go to one of them, so that each starts once.
            item.add_marker(pytest.mark.xdist_group(_group(item)))
        elif "tests/readme/" in item.nodeid:
            item.add_marker(pytest.mark.xdist_group("readme"))  # the demo is run once, not by every worker


def _in_turn(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In CI a test runs on the embedded engine and on one Neo4j release, now this one, now that one: both run the same
    text of nearly all queries, and there are twenty minutes for everything. What is marked `each_release` runs on both,
    as all does outside CI.
    """
    if os.environ.get("CI") != "true":
        return
    turns: dict[str, list[pytest.Item]] = {}
    for item in items:
        engine = item.callspec.params.get("engine_address") if hasattr(item, "callspec") else None
        if engine in RELEASES and item.get_closest_marker("each_release") is None:
            turns.setdefault(item.nodeid.replace(str(engine), "*"), []).append(item)
    both = [same for same in turns.values() if len(same) == len(RELEASES)]
    left_out = [item for turn, same in enumerate(both) for item in same if item is not same[turn % len(same)]]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def _group(item: pytest.Item) -> str:
    """The engine's."""
    return str(item.callspec.params["engine_address"])  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--no-neo4j"):
        terminalreporter.write_line(NOT_RUN, yellow=True, bold=True)


@pytest.fixture(scope="session")
def running_engines() -> Iterator[RunningEngines]:
    """All engines of the session; nothing is started before it is asked for."""
    with RunningEngines() as engines:
        yield engines


@pytest.fixture(scope="session", params=ENGINE_KINDS)
def engine_address(request: pytest.FixtureRequest, running_engines: RunningEngines) -> EngineAddress:
    """Where one engine answers. A test that takes it runs against each engine, and is marked `engine`."""
    if request.param in RELEASES and request.config.getoption("--no-neo4j"):
        pytest.skip(NOT_RUN)
    try:
        return running_engines.address(request.param)
    except TraceGraphError as error:
        pytest.fail(f"{error.message}\n{error.fix}", pytrace=False)


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Runs a coroutine on the one event loop of the module, so that a connection can serve several tests."""
    with asyncio.Runner() as runner:
        yield runner.run
