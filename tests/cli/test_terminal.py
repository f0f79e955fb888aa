"""What a terminal and a shell may rely on: nothing live, closed pipes, Ctrl-C, full disks, no traceback unasked."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import Command, words_of_command
from tests.cli.conftest import write_lines

LIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
HOSTILE = (
    "The weather is \x1b[31mred\x1b[0m\x07 and \u202eesrever\u202c, hid\u200bden "
    "\U000e0068\U000e0069, [bold]markup[/bold] :smile: \x9b31m and a family \U0001f468\u200d\U0001f469\u200d\U0001f467")


def test_hostile_text_is_never_live(trace_graph: Command) -> None:
    added = trace_graph("add", HOSTILE, "--space", "hostile", "--author", "Ev\u202eil")
    organised = trace_graph("organize", "--space", "hostile")
    topic = trace_graph("tree", "--space", "hostile", "--json")
    shown = [
        trace_graph("recall", "weather", "--space", "hostile"),
        trace_graph("recall", "weather", "--space", "hostile", "--json"),
        trace_graph("tree", "--space", "hostile", "--messages", COLUMNS="300"), topic,
        trace_graph("topic", topic.json["children"][0]["id"]),
        trace_graph("cypher", "MATCH (m:Message {author: $a}) RETURN m.text", "--param", "a=Evil"),
        trace_graph("stats", "--space", HOSTILE)]

    assert [added.code, organised.code, *(one.code for one in shown)] == [0, 0, 0, 0, 0, 0, 0, 0, 2]
    assert [LIVE.findall(one.out + one.err) for one in shown] == [[]] * len(shown)
    assert r"\x1b[31mred\x1b[0m\x07 and \u202eesrever" in shown[0].out
    assert r"\U000e0068\U000e0069, [bold]markup[/bold] :smile:" in shown[0].out
    assert "\U0001f468\u200d\U0001f469\u200d\U0001f467" in shown[0].out
    assert shown[1].json["items"][0]["text"] == HOSTILE


def test_a_closed_pipe_is_quiet(garden: Command) -> None:
    process = garden.open("tree", "--space", "garden", "--messages", "--quiet")
    assert process.stdout and process.stderr
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert (process.wait(timeout=60), said) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_result_that_cannot_be_written_is_a_failure(garden: Command) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*words_of_command(), "stats", "--quiet"], cwd=garden.folder, env=garden.environment(), stdout=full,
            stderr=subprocess.PIPE, timeout=60, check=False)

    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: The result cannot be written to standard output: ")
    assert b"Traceback" not in done.stderr


def test_ctrl_c_ends_an_import_between_two_transactions(trace_graph: Command) -> None:
    write_lines(
        trace_graph.folder / "long.jsonl", [{"text": f"Line {n}", "external_id": f"i{n}"} for n in range(30_000)])
    trace_graph("spaces", "create", "long")
    process = trace_graph.open(
        "import", "long.jsonl", "--space", "long", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert process.stdout and process.stderr
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    spaces = trace_graph("spaces", "--json").json

    stored = sum(one["messages"] for one in spaces if one["name"] == "long")
    found = re.fullmatch(
        r"Interrupted; what was stored stays(?:; at least ([\d,]+) messages of the file are in)?\."
        r"(?: Import it again for the rest\.)?\n", said.decode())
    assert (process.returncode, out, found is not None) == (130, b"", True), said
    assert found and int((found[1] or "0").replace(",", "")) <= stored
    assert stored % 500 == 0


def test_a_traceback_is_shown_only_when_asked_for(trace_graph: Command) -> None:
    plain = trace_graph("stats", "--space", "nope", "--json")
    debugged = trace_graph("--debug", "stats", "--space", "nope", "--json")

    assert "Traceback" not in plain.out + plain.err
    assert "trace_graph.errors.NotFound: There is no space named 'nope'." in debugged.err
    assert (debugged.code, debugged.json) == (plain.code, plain.json)


def test_json_is_ascii_where_the_terminal_is(trace_graph: Command) -> None:
    done = trace_graph("stats", "--space", "Käse", "--json", PYTHONIOENCODING="ascii")

    assert done.json["error"]["message"] == "There is no space named 'Käse'."
    assert done.out.isascii()
