"""Where a Neo4j for the tests comes from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engines.neo4j_jars import jars_are_complete
from tests.engines.provider import (
    Container,
    GivenServer,
    Maven,
    Missing,
    Surroundings,
    choose_provider,
    given_server,
)
from tests.engines.releases import NEO4J_5, NEO4J_2026, EngineAddress
from tests.engines.running import given_address
from trace_graph.errors import ConfigError

BARE = Surroundings(
    given=None,
    docker_answers=False,
    testcontainers_installed=False,
    versions_downloaded=frozenset(),
    maven_obtainable=False,
)
EVERYTHING = Surroundings(
    given=None,
    docker_answers=True,
    testcontainers_installed=True,
    versions_downloaded=frozenset({"5.26.12", "2026.09.0"}),
    maven_obtainable=True,
)
GIVEN_5 = GivenServer("neo4j://db:7687", "neo4j", "secret", None, version="5.26.4")


def test_a_given_server_comes_first_for_its_own_family() -> None:
    assert choose_provider(NEO4J_5, replace(EVERYTHING, given=GIVEN_5)) == GIVEN_5


def test_a_given_server_of_one_family_leaves_the_other_to_the_next_provider() -> None:
    assert choose_provider(NEO4J_2026, replace(EVERYTHING, given=GIVEN_5)) == Container("neo4j:2026.09.0")


def test_a_given_server_of_a_family_that_no_test_knows_is_not_passed_over() -> None:
    old = replace(GIVEN_5, version="4.4.40")

    assert choose_provider(NEO4J_5, replace(EVERYTHING, given=old)) == Missing(
        "TRACE_GRAPH_TEST_NEO4J_URI is a Neo4j 4.4.40, and the tests know neo4j-2026, neo4j-5.26.",
        "Name another server in TRACE_GRAPH_TEST_NEO4J_URI, or unset it.",
    )


def test_a_container_comes_before_maven() -> None:
    assert choose_provider(NEO4J_5, EVERYTHING) == Container("neo4j:5.26.12")


@pytest.mark.parametrize(
    "surroundings",
    [replace(EVERYTHING, docker_answers=False), replace(EVERYTHING, testcontainers_installed=False)],
    ids=["no daemon", "no package"],
)
def test_a_container_needs_both_the_daemon_and_the_package(surroundings: Surroundings) -> None:
    assert choose_provider(NEO4J_5, surroundings) == Maven("5.26.12")


def test_downloaded_jars_need_no_maven() -> None:
    downloaded = replace(BARE, versions_downloaded=frozenset({"5.26.12"}))

    assert choose_provider(NEO4J_5, downloaded) == Maven("5.26.12")
    assert isinstance(choose_provider(NEO4J_2026, downloaded), Missing)


def test_maven_that_can_be_had_is_enough() -> None:
    assert choose_provider(NEO4J_2026, replace(BARE, maven_obtainable=True)) == Maven("2026.09.0")


def test_a_missing_neo4j_says_how_to_get_it() -> None:
    missing = choose_provider(NEO4J_5, BARE)

    assert missing == Missing(
        "Neo4j 5.26.12 is not here: no TRACE_GRAPH_TEST_NEO4J_URI, no Docker daemon with testcontainers, no Maven.",
        "Install Maven (apt-get install maven) and run again: it fetches 115 MB a release, once. "
        "Or set TRACE_GRAPH_TEST_NEO4J_URI and TRACE_GRAPH_TEST_NEO4J_PASSWORD. "
        "Or skip these tests with --no-neo4j.",
    )


def test_no_server_is_given_where_the_variable_is_empty() -> None:
    assert given_server({"TRACE_GRAPH_TEST_NEO4J_URI": ""}) is None


def test_a_given_server_without_a_password_is_refused_before_it_is_asked() -> None:
    with pytest.raises(ConfigError) as refused:
        given_server({"TRACE_GRAPH_TEST_NEO4J_URI": "bolt://db:7687"})

    assert refused.value.message == "TRACE_GRAPH_TEST_NEO4J_URI is set without a password."
    assert refused.value.fix == "Set TRACE_GRAPH_TEST_NEO4J_PASSWORD as well."


def test_the_address_of_a_given_server_keeps_its_database_and_hides_its_password() -> None:
    address = given_address(NEO4J_5, replace(GIVEN_5, database="tests"))

    assert address == EngineAddress("neo4j-5.26", "neo4j://db:7687", "neo4j", "secret", "tests")
    assert "secret" not in repr(address)
    assert "secret" not in repr(GIVEN_5)


@pytest.mark.parametrize(
    ("jars", "marker", "complete"),
    [(2, "2", True), (1, "2", False), (2, None, False), (0, None, False)],
    ids=["as many as noted", "one was lost", "download was cut", "nothing there"],
)
def test_jars_count_only_after_a_finished_download(
    tmp_path: Path, jars: int, marker: str | None, complete: bool
) -> None:
    library = tmp_path / "5.26.12" / "lib"
    library.mkdir(parents=True)
    for number in range(jars):
        (library / f"{number}.jar").touch()
    if marker is not None:
        (tmp_path / "5.26.12" / "complete").write_text(marker)

    assert jars_are_complete(tmp_path, "5.26.12") is complete
