"""Each command against a running engine: what it prints, in words and as JSON, and its exit code."""

from __future__ import annotations

import json
import re
from datetime import datetime

from tests.cli.command import Command
from tests.cli.conftest import write_lines

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def test_add_gives_a_receipt_and_recognises_what_it_has(trace_graph: Command) -> None:
    fields = ["--space", "diary", "--author", "Mira", "--session", "x", "--at", "2024-03-01T10:00:00+01:00",
              "--external-id", "d1", "--role", "assistant", "--agent", "scribe"]
    first, again = trace_graph("add", "Hello there", *fields), trace_graph("--json", "add", "Hello there", *fields)

    other = trace_graph("add", "Other words", *fields, "--json")

    assert (first.code, first.err) == (0, f"using {trace_graph.uri}\nCreated the space diary.\n")
    assert (other.code, other.json["differs"], other.err) == (0, True, (
        "A message with this external id was there already, with another text: that one stays, this one was not "
        "stored.\n"))
    assert ID.fullmatch(first.out.split()[0])
    assert first.out.endswith("  stored as message 1 of session x\n")
    assert (again.code, again.err) == (0, "")
    assert {**again.json, "bookmark": None} == {
        "id": first.out.split()[0], "seq": 1, "duplicate": True, "differs": False, "without_vector": 0,
        "space_created": False, "session": "x", "bookmark": None,
        "occurred_at": "2024-03-01T09:00:00Z"}


def test_add_reads_standard_input_without_its_byte_order_mark(trace_graph: Command) -> None:
    utf8 = trace_graph("add", "-", "--space", "piped", "--quiet", stdin=b"\xef\xbb\xbfone\r\ntwo\r\n")
    utf16 = trace_graph("add", "-", "--space", "piped", "--quiet", stdin="Привет".encode("utf-16"))
    rows = trace_graph(
        "cypher", "MATCH (m:Message) WHERE m.id IN $ids RETURN m.text AS text ORDER BY m.seq", "--json",
        "--param", f'ids=["{utf8.out.split()[0]}", "{utf16.out.split()[0]}"]')

    assert [utf8.err, utf16.err] == ["", ""]
    assert rows.json == [{"text": "one\r\ntwo\r\n"}, {"text": "Привет"}]


def test_bad_input_to_add_is_refused(trace_graph: Command) -> None:
    blank = trace_graph("add", " \n", "--space", "diary", "--json")
    nobody = trace_graph("add", "x", "--space", "diary", "--author", "", "--json")
    time = trace_graph("add", "x", "--space", "diary", "--at", "03/04/2024")

    assert (blank.code, blank.json["error"]["code"]) == (2, "invalid_input")
    assert (nobody.code, nobody.json["error"]["code"]) == (2, "invalid_input")
    assert nobody.json["error"]["message"].startswith("An author's name ")
    assert (time.code, time.err.splitlines()[1]) == (2, "Error: The time is not ISO 8601.")


def test_import_stores_the_good_lines_and_names_the_bad_ones(trace_graph: Command) -> None:
    good = [{"text": f"Line {n}", "external_id": f"l{n}"} for n in range(3)]
    write_lines(trace_graph.folder / "mixed.jsonl", [*good, {"text": ""}, {"words": "x"}])
    strict = trace_graph("import", "mixed.jsonl", "--space", "mixed", "--strict")
    first = trace_graph("import", "mixed.jsonl", "--space", "mixed")
    again = trace_graph(
        "import", "-", "--space", "mixed", "--json", stdin=(trace_graph.folder / "mixed.jsonl").read_bytes())

    assert (strict.code, strict.out) == (2, "")
    assert strict.err.splitlines()[1].startswith("Error: Line 4: ")
    assert first.code == 1
    assert first.out.startswith("3 messages stored, 0 known already, of 1 session, in ")
    assert first.err.splitlines()[1] == "Created the space mixed."
    assert [line[:7] for line in first.err.splitlines()[2:4]] == ["line 4:", "line 5:"]
    assert first.err.splitlines()[-1] == "Error: partly failed: 3 stored, 0 known already, 2 rejected."
    assert again.code == 1
    assert {key: again.json[key] for key in ("space", "messages", "duplicates", "sessions")} == {
        "space": "mixed", "messages": 0, "duplicates": 3, "sessions": 1}
    assert [one["line"] for one in again.json["rejected"]] == [4, 5]
    assert again.err == "Error: partly failed: 0 stored, 3 known already, 2 rejected.\n"


def test_import_lists_at_most_twenty_rejected_lines_in_words(trace_graph: Command) -> None:
    write_lines(trace_graph.folder / "bad.jsonl", [{"text": ""}] * 25)
    done = trace_graph("import", "bad.jsonl", "--space", "mixed", "--format", "jsonl")

    assert done.code == 1
    assert len([line for line in done.err.splitlines() if line.startswith("line ")]) == 20
    assert done.err.splitlines()[-2] == "and 5 more; --json lists all"


def test_organize_says_what_it_did_and_what_a_model_lacks_before_anything_is_done(garden: Command) -> None:
    done = garden("organize", "--space", "garden", "--no-model", TRACE_GRAPH_MODEL="gpt-oss")
    keyless = garden("organize", "--space", "garden", TRACE_GRAPH_MODEL="gpt-oss")
    unknown = garden("organize", "--space", "nope", "--no-model")

    assert done.code == 0
    assert done.out.startswith("0 messages filed, 0 still waiting; 0 topics created, 0 summaries revised, in ")
    assert (keyless.code, keyless.err.splitlines()[1:]) == (
        2, ["Error: TRACE_GRAPH_MODEL=gpt-oss at OpenAI needs an API key, and none is set.",
            "  Set OPENAI_API_KEY, or OPENAI_BASE_URL where a server of your own is meant."])
    assert (unknown.code, unknown.err.splitlines()[1:]) == (
        3, ["Error: There is no space named 'nope'.", "  trace-graph spaces lists those there are."])


def test_recall_shows_what_was_found_and_where(garden: Command) -> None:
    words = garden("recall", "Which rose bushes did Mira plant?", "--space", "garden", "--limit", "2", "--mode", "fast")
    values = garden(
        "--json", "recall", "rose bushes", "--space", "garden", "--budget", "30", "--asked-at", "2024-07-01").json
    wrong = garden("recall", "rose", "--space", "garden", "--budget", "3", "--limit", "2")

    assert words.code == 0
    assert re.match(r" 1\. Mira · 2024-06-0[12] 09:00 UTC · .+ · \d+\.\d\d\n    .*rose bushes", words.out)
    assert re.search(r"\n\nTopics\n    .+ \(-?\d+\.\d\d\)\n", words.out)
    assert words.out.splitlines()[-1].startswith("2 items, ")
    assert values["query"] == "rose bushes"
    assert values["items"][0]["rank"] == 1
    assert {"g1", "g2"} >= {item["external_id"] for item in values["items"][:2]}
    assert sum(item["tokens"] for item in values["items"]) == values["tokens"] <= 30
    assert datetime.fromisoformat(values["items"][0]["occurred_at"]).utcoffset() is not None
    assert (wrong.code, wrong.err.splitlines()[-2]) == (
        2, "Error: A recall takes a budget or a limit, not both.")


def test_import_remarks_on_an_empty_file_and_on_known_ids_with_another_text(trace_graph: Command) -> None:
    (trace_graph.folder / "empty.jsonl").write_text("", encoding="utf-8")
    empty = trace_graph("import", "empty.jsonl", "--space", "never made")
    for text in ("One", "Two"):
        write_lines(trace_graph.folder / "changed.jsonl", [{"text": text, "external_id": "c1"}])
        done = trace_graph("import", "changed.jsonl", "--space", "changed")

    assert (empty.code, empty.err.splitlines()[1:]) == (0, ["The file holds no message."])
    assert empty.out.startswith("0 messages stored, 0 known already, of 0 sessions, in ")
    assert "never made" not in [one["name"] for one in trace_graph("spaces", "--json").json]
    assert (done.code, done.err.splitlines()[1:]) == (0, [
        "1 message known already by the external id, but with another text or content: what was stored stays."])


def test_import_names_the_item_of_a_list_and_says_where_a_file_is_cut_off(trace_graph: Command) -> None:
    chat = trace_graph.folder / "chat.json"
    good, bad = {"role": "user", "content": "Hi"}, {"role": "king", "content": "Ho"}
    chat.write_text(json.dumps([good, bad, good]), encoding="utf-8")
    listed = trace_graph("import", "chat.json", "--space", "chats")
    strict = trace_graph("import", "chat.json", "--space", "chats", "--strict")
    chat.write_text(json.dumps([good, good])[:-20], encoding="utf-8")
    cut = trace_graph("import", "chat.json", "--space", "chats", "--quiet")

    assert listed.code == 1
    assert listed.err.splitlines()[2].startswith("item 2: role: input should be 'user'")
    assert strict.err.splitlines()[1].startswith("Error: Item 2: role: input should be 'user'")
    assert (cut.code, cut.err.splitlines()[0]) == (
        2, "Error: chat.json: it breaks off in the middle (line 1, column 46): the end is missing.")


def test_recall_says_why_it_shows_nothing(garden: Command) -> None:
    small = garden("recall", "rose bushes", "--space", "garden", "--budget", "1")
    values = garden("recall", "rose bushes", "--space", "garden", "--budget", "1", "--json").json
    dots = garden("recall", "...", "--space", "garden")
    empty = garden("recall", "", "--space", "garden", "--json")
    needed = str(values["smallest_budget"])

    assert (small.code, small.out) == (0, f"Nothing fits the budget: the first hit needs --budget {needed}.\n")
    assert garden("recall", "rose bushes", "--space", "garden", "--budget", needed).out.startswith(" 1. Mira")
    assert (dots.code, dots.out) == (
        0, "The question holds nothing to search for: ask with a word of what was said.\n")
    assert (empty.code, empty.json["error"]) == (
        2, {"code": "invalid_input", "message": "The question is empty.", "fix": "Ask in words."})


def test_recall_in_an_empty_space_says_that_nothing_was_found(trace_graph: Command) -> None:
    made = trace_graph("spaces", "create", "empty space", "--time-zone", "Europe/Oslo", "--json")
    found = trace_graph("recall", "anything", "--space", "empty space")
    drawn = trace_graph("tree", "--space", "empty space", "--quiet")

    assert (made.json["name"], made.json["time_zone"], made.json["messages"]) == ("empty space", "Europe/Oslo", 0)
    assert (found.code, found.out) == (0, "Nothing was found.\n")
    assert drawn.out.splitlines() == [
        "empty space (0 messages)", "Nothing is in it yet: trace-graph add TEXT --space 'empty space'"]


def test_tree_says_that_messages_wait_and_how_they_are_filed(trace_graph: Command) -> None:
    trace_graph("add", "One.", "--space", "to file")
    one = trace_graph("tree", "--space", "to file", "--quiet")
    trace_graph("add", "Two.", "--space", "to file")
    two = trace_graph("tree", "--space", "to file", "--quiet")
    values = trace_graph("tree", "--space", "to file", "--json").json

    assert one.out.splitlines()[-1] == "1 message waits to be filed: trace-graph organize --space 'to file'"
    assert two.out.splitlines()[-1] == "2 messages wait to be filed: trace-graph organize --space 'to file'"
    assert (values["waiting"], values["message_count"]) == (2, 0)


def test_tree_draws_the_topics_and_their_messages(garden: Command) -> None:
    drawn = garden("tree", "--space", "garden", "--messages", "--ids", COLUMNS="90")
    values = garden("tree", "--space", "garden", "--json", "--depth", "1").json
    topic = values["children"][0]

    lines = drawn.out.splitlines()
    assert values["message_count"] == 4
    assert lines[0] == f"{values['id']} garden (4 messages)"
    assert any(line.startswith("├── ") or line.startswith("└── ") for line in lines)
    assert any(f"{topic['id']} {topic['title']} (" in line for line in lines)
    assert any(line.endswith("Mira: Mira planted three rose bushes behind the shed.") for line in lines)
    assert max(map(len, lines)) <= 90


def test_topic_shows_its_summary_and_what_it_was_made_from(garden: Command) -> None:
    topic = garden("tree", "--space", "garden", "--json").json["children"][0]
    words = garden("topic", topic["id"])
    values = garden("topic", topic["id"], "--history", "--json").json
    unknown = garden("topic", "nope", "--json")

    assert words.out.splitlines()[:2] == [topic["title"], topic["id"]]
    assert f"\n\nRevision {values['revisions'][0]['number']}: {topic['title']}\n  " in words.out
    assert values["summary"] == topic["summary"]
    assert {"number", "title", "text", "method", "recorded_at", "retired_at", "from"} == set(values["revisions"][0])
    assert len(values["revisions"][0]["from"]) > 0
    assert (unknown.code, unknown.json["error"]) == (3, {
        "code": "not_found", "message": "There is no topic 'nope'.",
        "fix": "trace-graph tree --space S --ids lists the ids of its topics."})


def test_spaces_are_listed_and_their_zone_is_set(garden: Command) -> None:
    changed = garden("spaces", "set", "garden", "--time-zone", "Europe/Oslo")
    listed = garden("spaces", "--json")
    refused = [
        garden("spaces", "set", "garden", "--time-zone", "Mars/Base").code,
        garden("spaces", "set", "nope", "--time-zone", "UTC").code, garden("spaces", "create", "a/b").code]

    assert changed.out.splitlines()[-1].split()[:5] == ["garden", "4", "2", "0", "Europe/Oslo"]
    assert [one["messages"] for one in listed.json if one["name"] == "garden"] == [4]
    assert refused == [2, 3, 2]


def test_stats_count_one_space_or_all(garden: Command) -> None:
    one, every = garden("stats", "--space", "garden", "--json").json, garden("stats")

    assert (one["space"], one["messages"], one["sessions"], one["topics"]) == ("garden", 4, 2, 2)
    assert every.out.splitlines()[0].split() == ["space", "all"]


def test_cypher_reads_and_never_writes(garden: Command) -> None:
    query = "MATCH (m:Message {external_id: $id}) RETURN m.author AS author, m.occurred_at AS at, m AS node, $n AS n"
    values = garden("cypher", query, "--param", "id=g3", "--param", "n=1", "--json").json
    words = garden("cypher", query, "--param", "id=g3", "--param", "n=[1, 2]")
    written, wrong, none = (
        garden("cypher", "CREATE (x:Stray) RETURN x"), garden("cypher", "MATCH (x", "--json"),
        garden("cypher", "MATCH (x:Stray) RETURN x"))

    assert len(values) == 1
    assert (values[0]["author"], values[0]["n"]) == ("Ola", 1)
    assert datetime.fromisoformat(values[0]["at"]).isoformat() == "2024-06-03T09:00:00+00:00"
    assert values[0]["node"]["properties"]["text"] == "Ola repainted the boat blue last weekend."
    assert words.out.splitlines()[0].split() == ["author", "at", "node", "n"]
    assert words.out.splitlines()[2].split()[:2] == ["Ola", "2024-06-03T09:00:00+00:00"]
    assert words.out.splitlines()[-1] == "1 row"
    assert [written.code, wrong.code] == [5, 2]
    assert wrong.json["error"]["code"] == "usage"
    assert (none.code, none.out) == (0, "No rows.\n")


def test_named_queries_run_and_writing_ones_are_refused(garden: Command) -> None:
    rows = garden("queries", "run", "describe_spaces", "--json")
    missing, writing = garden("queries", "run", "topic_revisions"), garden("queries", "run", "append_event")

    assert "garden" in [row["name"] for row in rows.json]
    assert [missing.code, writing.code] == [2, 5]


def test_the_running_engine_is_shown_without_its_password(trace_graph: Command) -> None:
    words, values = trace_graph("db", "status"), trace_graph("db", "start", "--json")
    password = (trace_graph.folder.parent / "data" / "root.password").read_text(encoding="ascii").strip()

    assert words.out.splitlines()[0].split() == ["running", "yes"]
    assert words.out.splitlines()[1].split() == ["pid", str(values.json["pid"])]
    assert password not in words.out + words.err + values.out + values.err
