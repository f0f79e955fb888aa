"""Where there is no memory, reading creates none; wrong usage is refused before anything is opened."""

from __future__ import annotations

import pytest

from tests.cli.command import Command

READING = (
    ["recall", "roses", "--space", "s"], ["tree", "--space", "s"], ["topic", "x"], ["spaces"],
    ["organize", "--space", "s"], ["cypher", "RETURN 1"],
)


@pytest.mark.parametrize("arguments", READING, ids=lambda words: words[0])
def test_reading_where_no_memory_is_finds_nothing_and_creates_nothing(nowhere: Command, arguments: list[str]) -> None:
    done = nowhere(*arguments)

    place = nowhere.uri
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"using {place}\n"
        f"Error: There is no memory at {place} yet.\n"
        "  Put something in: trace-graph add TEXT --space S, or trace-graph import FILE --space S.\n")
    assert sorted(path.name for path in nowhere.folder.parent.iterdir()) == ["work"]


def test_the_engine_that_is_not_there_can_be_looked_at_and_stopped(nowhere: Command) -> None:
    folder = nowhere.uri.removeprefix("local:")
    looked, stopped = nowhere("db", "status", "--json"), nowhere("--json", "db", "stop")

    assert (looked.code, looked.json) == (
        0, {"running": False, "pid": None, "bolt_port": None, "http_port": None, "folder": folder})
    assert (stopped.code, stopped.json) == (0, {"stopped": False, "folder": folder})
    assert sorted(path.name for path in nowhere.folder.parent.iterdir()) == ["work"]


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "Usage: trace-graph [OPTIONS] COMMAND [ARGS]..."),
    (["recal"], "Error: No such command 'recal'. Did you mean 'recall', 'calls'?\n  See trace-graph --help.\n"),
    (["recall", "q"], "Error: Missing option '--space'.\n  See trace-graph recall --help.\n"),
    (["recall", "q", "--space", "s", "--as-of", "2024-01-01"],
     "Error: The option --as-of is not built yet.\n  See trace-graph recall --help.\n"),
    (["recall", "q", "--space", "s", "--fallback", "off"],
     "Error: --fallback off belongs to --mode guided.\n  Leave one of the two out.\n"),
    (["ask", "q", "--space", "s", "--quiet"], "Error: This needs a language model, and none is configured.\n  Set "),
    (["recall", "q", "--space", "s", "--mode", "guided", "--quiet"], "Error: This needs a language model, and none is"),
    (["recall", "q", "--space", "s", "--limit", "many"], "Error: Invalid value for '--limit':"),
    (["add", "x", "--space", "s", "--role", "boss"], "Error: Invalid value for '--role': 'boss' is not one of 'user',"),
    (["add", "x", "--space", "s", "--colour", "red"], "Error: No such option: --colour"),
    (["import", "-", "--space", "s", "--strict"],
     "Error: --strict reads a file twice, which standard input does not allow.\n"
     "  Save it to a file, or leave out --strict.\n"),
    (["cypher", "RETURN $a", "--param", "a"], "Error: --param 'a' is not NAME=VALUE."),
], ids=lambda words: " ".join(words)[:30] if isinstance(words, list) else "")
def test_wrong_usage_is_refused_with_code_2_and_a_sentence(nowhere: Command, arguments: list[str], said: str) -> None:
    done = nowhere(*arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert not (nowhere.folder.parent / "data").exists()


def test_errors_are_json_too_where_json_is_asked_for(nowhere: Command) -> None:
    unknown = nowhere("tree", "--space", "s", "--known-at", "x", "--json")
    missing = nowhere("--json", "import", "nope.jsonl", "--space", "s")

    assert (unknown.code, unknown.json) == (2, {"error": {
        "code": "usage", "message": "The option --known-at is not built yet.", "fix": "See trace-graph tree --help."}})
    assert unknown.err == "Error: The option --known-at is not built yet.\n  See trace-graph tree --help.\n"
    assert (missing.code, missing.json) == (3, {"error": {
        "code": "not_found", "message": "There is no file nope.jsonl.", "fix": "Check the path."}})
    assert not (nowhere.folder.parent / "data").exists()


def test_text_that_cannot_be_decoded_is_refused_by_position(nowhere: Command) -> None:
    piped = nowhere("add", "-", "--space", "s", stdin=b"caf\xe9")
    given = nowhere("add", b"caf\xe9", "--space", "s")

    assert (piped.code, piped.err) == (2, (
        "Error: Byte 3 (0xe9) of standard input is not UTF-8.\n"
        "  Convert it first: iconv -f ITS-ENCODING -t UTF-8; nothing was stored.\n"))
    assert (given.code, given.err) == (2, (
        "Error: The text is not UTF-8: character 3 of it cannot be decoded.\n"
        "  Convert it first, or use a UTF-8 locale; nothing was stored.\n"))
    assert not (nowhere.folder.parent / "data").exists()


def test_settings_that_cannot_be_used_are_refused_and_never_shown_with_their_secrets(nowhere: Command) -> None:
    unknown = nowhere("stats", TRACE_GRAPH_URI="http://example.org")
    two = nowhere("stats", NEO4J_URI="bolt://127.0.0.1:1")
    not_ours = nowhere("db", "start", TRACE_GRAPH_URI="bolt://127.0.0.1:1")

    assert [unknown.code, two.code, not_ours.code] == [2, 2, 2]
    assert unknown.err.startswith("Error: The setting TRACE_GRAPH_URI cannot be used: must be local:")
    assert two.err.startswith("Error: TRACE_GRAPH_URI and NEO4J_URI name two different databases.\n")
    assert not_ours.err.startswith("Error: The commands of trace-graph db are for the embedded engine;")


def test_a_setting_is_refused_by_the_place_where_it_stands(nowhere: Command) -> None:
    given = nowhere("stats", "--uri", "foo")
    file = nowhere.folder / "trace-graph.toml"
    file.write_text("heap = 300\n", encoding="utf-8")
    in_file = nowhere("stats")

    assert (given.code, in_file.code) == (2, 2)
    assert given.err.startswith("Error: The option --uri cannot be used: must be local:, local:/path or a Bolt URI ")
    assert in_file.err == (
        f"Error: The setting heap in {file} cannot be used: there is no setting of that name.\n"
        "  Did you mean heap_mb?\n")


def test_every_setting_is_shown_with_its_source_and_secrets_are_masked(nowhere: Command) -> None:
    (nowhere.folder / "trace-graph.toml").write_text('actor = "clerk"\n[recall]\nbudget = 900\n', encoding="utf-8")
    words = nowhere(
        "config", "show", NEO4J_PASSWORD="hush-hush", TRACE_GRAPH_RECALL__WINDOW="3", TRACE_GRAPH_MODEL="org/my-model",
        TRACE_GRAPH_LLM__API_KEY="hush-hush", TRACE_GRAPH_LLM__BASE_URL="http://me:hush-hush@localhost:9001/v1/")
    values = nowhere("config", "show", "--json", "--uri", "bolt://localhost:7687", NEO4J_PASSWORD="hush-hush")
    refused = nowhere("config", "show", "--json", "--uri", "bolt://me:hush-hush@localhost:7687")

    lines = [line.split() for line in words.out.splitlines()]
    assert ["password", "********", "NEO4J_PASSWORD"] in lines
    assert ["recall.window", "3", "TRACE_GRAPH_RECALL__WINDOW"] in lines
    assert ["recall.budget", "900", "trace-graph.toml"] in lines
    assert ["actor", "clerk", "trace-graph.toml"] in lines
    assert ["model", "org/my-model", "TRACE_GRAPH_MODEL"] in lines
    assert ["llm.api_key", "********", "TRACE_GRAPH_LLM__API_KEY"] in lines
    assert ["llm.base_url", "http://********@localhost:9001/v1", "TRACE_GRAPH_LLM__BASE_URL"] in lines
    assert ["llm.temperature", "0.0", "default"] in lines
    assert ["embedder", "static", "default"] in lines
    assert values.json[0] == {"name": "uri", "value": "bolt://localhost:7687", "source": "--uri"}
    assert (refused.code, refused.json["error"]["code"]) == (2, "config")
    assert "hush-hush" not in "".join(done.out + done.err for done in (words, values, refused))


def test_a_database_that_does_not_answer_is_code_4(nowhere: Command) -> None:
    done = nowhere("--json", "stats", TRACE_GRAPH_URI="bolt://127.0.0.1:1", TRACE_GRAPH_DEADLINE_SECONDS="1")

    assert (done.code, done.json["error"]["code"]) == (4, "engine_unavailable")
    assert done.err.startswith("Error: The database does not answer")


def test_the_version_and_the_queries_need_no_database(nowhere: Command) -> None:
    version, listed, shown, unknown = (
        nowhere("--version"), nowhere("queries", "list", "--json"), nowhere("queries", "show", "tree_topics"),
        nowhere("queries", "show", "nope"))

    assert version.out.split()[0] == "trace-graph"
    assert {"describe_spaces", "tree_topics"} <= {query["name"] for query in listed.json}
    assert shown.out.startswith("// tree_topics\n// ")
    assert "MATCH (t:Topic {space: space})" in shown.out
    assert (unknown.code, unknown.err) == (
        3, "Error: There is no query named 'nope'.\n  See trace-graph queries list.\n")
    assert not (nowhere.folder.parent / "data").exists()
