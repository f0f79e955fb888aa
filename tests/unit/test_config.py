"""Settings: which source wins, what counts as not set, what is refused, and that no secret is ever shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from trace_graph.config import FILE_NAME, RecallSettings, load_settings
from trace_graph.errors import ConfigError

OTHER_NAMES = (
    "NEO4J_URI",
    "NEO4J_URL",
    "NEO4J_USERNAME",
    "NEO4J_USER",
    "NEO4J_PASSWORD",
    "NEO4J_DATABASE",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
)


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No setting comes from whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("TRACE_GRAPH_")]:
        monkeypatch.delenv(name)
    for name in OTHER_NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(**arguments: Any) -> tuple[str, str]:
    with pytest.raises(ConfigError) as refused:
        load_settings(**arguments)
    return refused.value.message, refused.value.fix


def test_without_anything_the_embedded_engine_and_the_shipped_embedder_are_used() -> None:
    settings = load_settings()

    assert (settings.uri, settings.engine, settings.embedder, settings.actor) == (
        "local:",
        "local",
        "static",
        "local",
    )
    assert settings.data_folder.name == "trace-graph"
    assert settings.data_folder.is_absolute()


def test_arguments_win_over_the_environment_over_the_file_over_defaults(
    monkeypatch: pytest.MonkeyPatch, empty: Path
) -> None:
    read = []
    (empty / FILE_NAME).write_text('uri = "local:/file"\nactor = "file"\nheap_mb = 300\n[recall]\nbudget = 5\n')
    read.append(load_settings())
    monkeypatch.setenv("TRACE_GRAPH_URI", "local:/environment")
    monkeypatch.setenv("TRACE_GRAPH_ACTOR", "environment")
    read.append(load_settings())
    read.append(load_settings(uri="local:/argument", actor="argument"))

    assert [(one.uri, one.actor, one.heap_mb, one.recall.budget) for one in read] == [
        ("local:/file", "file", 300, 5),
        ("local:/environment", "environment", 300, 5),
        ("local:/argument", "argument", 300, 5),
    ]


def test_our_name_wins_over_other_tools_and_theirs_are_read_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("NEO4J_URI", "neo4j://theirs"),
        ("NEO4J_USERNAME", "ann"),
        ("NEO4J_PASSWORD", "pw"),
        ("NEO4J_DATABASE", "db"),
        ("OPENAI_BASE_URL", "http://theirs/v1/"),
        ("OPENAI_API_KEY", "key"),
    ):
        monkeypatch.setenv(name, value)
    theirs = load_settings()
    monkeypatch.setenv("TRACE_GRAPH_USERNAME", "ben")
    monkeypatch.setenv("TRACE_GRAPH_OPENAI_BASE_URL", "http://ours/v1")
    ours = load_settings(uri="local:/x", password=None)

    assert theirs.password is not None and theirs.openai_api_key is not None
    assert (
        theirs.uri,
        theirs.engine,
        theirs.username,
        theirs.password.get_secret_value(),
        theirs.database,
        theirs.openai_base_url,
        theirs.openai_api_key.get_secret_value(),
    ) == ("neo4j://theirs", "bolt", "ann", "pw", "db", "http://theirs/v1", "key")
    assert (ours.uri, ours.username, ours.openai_base_url) == ("local:/x", "ben", "http://ours/v1")


@pytest.mark.parametrize("empty_value", ["", " ", "\t\n"])
def test_an_empty_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch, empty_value: str) -> None:
    """PC-116."""
    names = ("URI", "PASSWORD", "EMBEDDER", "EMBEDDER_BASE_URL", "HEAP_MB", "ACTOR", "RECALL__BUDGET")
    for name in (*(f"TRACE_GRAPH_{name}" for name in names), *OTHER_NAMES):
        monkeypatch.setenv(name, empty_value)

    assert load_settings() == load_settings(uri="local:", embedder="static", actor="local")
    assert load_settings().password is None


def test_an_empty_name_of_ours_lets_theirs_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACE_GRAPH_URI", " ")
    monkeypatch.setenv("NEO4J_URI", "bolt://theirs")

    assert load_settings().uri == "bolt://theirs"


def test_two_variables_that_name_two_databases_are_a_conflict_unless_the_argument_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PC-127."""
    monkeypatch.setenv("TRACE_GRAPH_URI", "local:/here")
    monkeypatch.setenv("NEO4J_URI", "bolt://there")

    assert refusal() == (
        "TRACE_GRAPH_URI and NEO4J_URI name two different databases.",
        "Unset one of the two, or say which one is meant with --uri.",
    )
    assert load_settings(uri="local:/argument").uri == "local:/argument"
    monkeypatch.setenv("NEO4J_URI", "local:/here")
    assert load_settings().uri == "local:/here"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"uri": "localhost:7687"},
            "The argument uri cannot be used: must be local:, local:/path or a Bolt URI "
            "(bolt, bolt+s, bolt+ssc, neo4j, neo4j+s, neo4j+ssc).",
        ),
        (
            {"uri": "http://localhost:7474"},
            "The argument uri cannot be used: must be local:, local:/path or a Bolt "
            "URI (bolt, bolt+s, bolt+ssc, neo4j, neo4j+s, neo4j+ssc).",
        ),
        (
            {"uri": "bolt://"},
            "The argument uri cannot be used: must be local:, local:/path or a Bolt URI "
            "(bolt, bolt+s, bolt+ssc, neo4j, neo4j+s, neo4j+ssc).",
        ),
        (
            {"heap_mb": "10s"},
            "The argument heap_mb cannot be used: Input should be a valid integer, unable to parse "
            "string as an integer.",
        ),
        (
            {"heap_mb": 1},
            "The argument heap_mb cannot be used: Input should be greater than or equal to 256.",
        ),
        (
            {"deadline_seconds": 0},
            "The argument deadline_seconds cannot be used: Input should be greater than 0.",
        ),
        (
            {"openai_base_url": "localhost:11434"},
            "The argument openai_base_url cannot be used: must be a full URL "
            "such as http://localhost:11434/v1.",
        ),
        (
            {"embedder_base_url": '"http://x/v1"'},
            "The argument embedder_base_url cannot be used: must be a full URL "
            "such as http://localhost:11434/v1.",
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_cannot_be_used_is_refused_by_its_name(arguments: dict[str, Any], message: str) -> None:
    """PC-116."""
    assert refusal(**arguments)[0] == message


@pytest.mark.parametrize("uri", ["bolt://neo4j:hunter2@host:7687", "neo4j+s://:hunter2@host", "bolt://ann@host"])
def test_a_name_or_password_inside_the_address_is_refused_and_not_repeated(uri: str) -> None:
    """It would be shown wherever the address is."""
    message, _ = refusal(uri=uri)

    assert message == (
        "The argument uri cannot be used: must not hold a user name or a password: those are "
        "TRACE_GRAPH_USERNAME and TRACE_GRAPH_PASSWORD."
    )


@pytest.mark.parametrize("uri", ["bolt://host:abc", "bolt://host:99999"])
def test_a_port_that_is_none_is_refused(uri: str) -> None:
    assert refusal(uri=uri)[0].startswith("The argument uri cannot be used: ")


def test_a_variable_that_cannot_be_used_is_refused_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "localhost")

    assert refusal()[0].startswith("The setting NEO4J_URI cannot be used: must be local:")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("trace_graph_uri", "foo", "The setting trace_graph_uri cannot be used: must be local:"),
        ("NEO4J_URL", "foo", "The setting NEO4J_URL cannot be used: must be local:"),
        ("TRACE_GRAPH_RECALL__BUDGET", "x", "The setting TRACE_GRAPH_RECALL__BUDGET cannot be used: Input should be"),
        ("TRACE_GRAPH_RECALL", '{"budget": 0}', "The setting TRACE_GRAPH_RECALL cannot be used: Input should be"),
        ("TRACE_GRAPH_RECALL", "x", "The setting TRACE_GRAPH_RECALL cannot be used: must be JSON."),
        ("TRACE_GRAPH_RECALL__BUDGETS", "1", "The setting TRACE_GRAPH_RECALL__BUDGETS cannot be used: there is no"),
    ],
)
def test_each_way_to_write_a_variable_is_named_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)

    assert refusal()[0].startswith(message)


def test_an_argument_is_named_as_the_user_called_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not as the variable that is set beside it."""
    monkeypatch.setenv("TRACE_GRAPH_URI", "local:")

    refused = refusal(uri="foo", shown_as={"uri": "--uri"})
    assert refused[0].startswith("The option --uri cannot be used: must be local:")


@pytest.mark.parametrize("uri", ["LOCAL:/Data", "Local:/Data", " local:/Data\n"])
def test_a_scheme_is_read_without_regard_to_case_and_a_path_with_it(
    monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.setenv("NEO4J_URI", "local:/Data")
    monkeypatch.setenv("TRACE_GRAPH_URI", uri)

    settings = load_settings()
    assert (settings.uri, settings.engine, settings.data_folder) == ("local:/Data", "local", Path("/Data"))
    assert load_settings(uri="Bolt+S://Host:7687").uri == "bolt+s://Host:7687"


def test_a_slash_at_the_end_of_a_url_is_left_out() -> None:
    assert load_settings(openai_base_url="http://localhost:11434/v1/").openai_base_url == "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("uri = ", "FILE cannot be read: ", "Correct"),
        ("uri = 'foo'", "The setting uri in FILE cannot be used: must be local:", "Correct"),
        ("NEO4J_URI = 'foo'", "The setting NEO4J_URI in FILE cannot be used: must be local:", "Correct"),
        ("xyz = 3", "The setting xyz in FILE cannot be used: there is no setting of that name.", "Remove it"),
        ("heap = 3", "The setting heap in FILE cannot be used: there is no setting", "Did you mean heap_mb?"),
        ("[recall]\nbudgets = 3", "The setting recall.budgets in FILE cannot", "Did you mean recall.budget?"),
        ("[recall]\nbudget = 0", "The setting recall.budget in FILE cannot be used: Input should be", "Correct"),
        ("recall = 3", "The setting recall in FILE cannot be used: Input should be", "Correct"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_its_path_and_key(
    empty: Path, text: str, message: str, fix: str
) -> None:
    (empty / FILE_NAME).write_text(text)

    said, way_out = refusal()
    assert said.startswith(message.replace("FILE", str(empty / FILE_NAME)))
    assert way_out.startswith(fix)


def test_no_secret_stands_in_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRACE_GRAPH_PASSWORD", "TRACE_GRAPH_EMBEDDER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "hunter2")
    settings = load_settings(uri="bolt://host:7687", database="db")

    shown = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()} {settings.target}"
    assert "hunter2" not in shown
    assert settings.target == "bolt://host:7687/db"
    assert settings.password is not None and settings.password.get_secret_value() == "hunter2"


def test_settings_are_frozen() -> None:
    settings = load_settings()

    with pytest.raises(ValidationError):
        settings.uri = "local:/elsewhere"  # type: ignore[misc]  # what is tried
    with pytest.raises(ValidationError):
        settings.recall.budget = 1  # type: ignore[misc]  # what is tried
    assert settings.recall == RecallSettings()


def test_a_path_of_the_local_engine_is_absolute_and_its_home_is_known(
    monkeypatch: pytest.MonkeyPatch, empty: Path
) -> None:
    monkeypatch.setenv("HOME", str(empty))

    assert load_settings(uri="local:data").data_folder == empty / "data"
    assert load_settings(uri="local:~/data").data_folder == empty / "data"
    assert load_settings(uri="local:/a b/ü").data_folder == Path("/a b/ü")
    assert load_settings(uri="local:data").target == f"local:{empty / 'data'}"


@pytest.mark.parametrize("variable", [
    "OPENAI_API_KEY", "TRACE_GRAPH_OPENAI_API_KEY", "TRACE_GRAPH_EMBEDDER_API_KEY", "TRACE_GRAPH_LLM__API_KEY",
])
@pytest.mark.parametrize("key", [
    "sk-geheim\u00fc", "sk-geheim\nmore", "sk-geheim more", "sk-geheim\u201d", "sk-geheim\x7f",
])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch, variable: str, key: str
) -> None:
    monkeypatch.setenv(variable, key)

    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert f"The setting {variable} cannot be used: must hold printable ASCII" in str(caught.value)
    assert "geheim" not in str(caught.value)


def test_white_space_around_a_key_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " sk-1\r\n")
    key = load_settings().openai_api_key
    assert key is not None and key.get_secret_value() == "sk-1"


@pytest.mark.parametrize(("own", "shared", "given"), [
    ("http://models.example/v1", "https://models.example/v1", False),
    ("https://models.example:8443/v1", "https://models.example/v1", False),
    ("https://models.example:443/other", "https://Models.example/v1", True),
    ("http://api.openai.com/v1", None, False), ("https://api.openai.com/v1", None, True),
    ("https://models.example.net/v1", "https://models.example/v1", False),
])
def test_the_shared_key_goes_to_the_shared_server_by_the_same_scheme_only(
    own: str, shared: str | None, given: bool
) -> None:
    settings = load_settings(
        openai_api_key="sk-1", openai_base_url=shared, embedder_base_url=own, llm={"base_url": own})

    assert (settings.model_endpoint.api_key is not None) is given
    assert (settings.embedder_endpoint.api_key is not None) is given
