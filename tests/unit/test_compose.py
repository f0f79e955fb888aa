"""docker-compose.yml keeps what its readers rely on. It is read, not run: tests need no Docker daemon."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    not (REPOSITORY / "docker-compose.yml").exists(), reason="runs in the repository, not beside an installed wheel"
)


@pytest.fixture
def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8"))
    return document


@pytest.fixture
def neo4j(compose: dict[str, Any]) -> dict[str, Any]:
    service: dict[str, Any] = compose["services"]["neo4j"]
    return service


def test_the_server_is_community_5_26(neo4j: dict[str, Any]) -> None:
    assert neo4j["image"] == "neo4j:5.26-community"


def test_every_port_is_bound_to_loopback(neo4j: dict[str, Any]) -> None:
    assert neo4j["ports"] == [
        "127.0.0.1:${NEO4J_BOLT_PORT:-7687}:7687",
        "127.0.0.1:${NEO4J_HTTP_PORT:-7474}:7474",
    ]


def test_there_is_no_start_without_a_password(neo4j: dict[str, Any]) -> None:
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?[^}]+\}", neo4j["environment"]["NEO4J_AUTH"])


def test_health_is_an_answered_query_and_its_command_line_shows_no_password(neo4j: dict[str, Any]) -> None:
    assert neo4j["healthcheck"]["test"] == [
        "CMD-SHELL",
        'NEO4J_USERNAME=neo4j NEO4J_PASSWORD="$${NEO4J_AUTH#neo4j/}" cypher-shell -d neo4j \'RETURN 1\'',
    ]


def test_data_live_in_a_named_volume(compose: dict[str, Any], neo4j: dict[str, Any]) -> None:
    assert neo4j["volumes"] == ["neo4j-data:/data", "neo4j-logs:/logs"]
    assert compose["volumes"] == {"neo4j-data": None, "neo4j-logs": None}


def test_memory_is_bounded(neo4j: dict[str, Any]) -> None:
    assert {name: value for name, value in neo4j["environment"].items() if "memory" in name} == {
        "NEO4J_server_memory_heap_initial__size": "${NEO4J_HEAP:-1G}",
        "NEO4J_server_memory_heap_max__size": "${NEO4J_HEAP:-1G}",
        "NEO4J_server_memory_pagecache_size": "${NEO4J_PAGE_CACHE:-512M}",
    }


def test_the_example_names_every_variable_and_holds_no_password() -> None:
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", (REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8")))
    lines = (REPOSITORY / ".env.example").read_text(encoding="utf-8").splitlines()
    example = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))

    assert set(example) == used
    assert example["NEO4J_PASSWORD"] == ""
