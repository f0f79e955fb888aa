"""`explain`, `replay` and what `recall` says for them, in words and as JSON."""

from __future__ import annotations

import re

from tests.cli.command import Command

QUESTION = "Which rose bushes did Mira plant?"


def asked(garden: Command, *more: str, **settings: str) -> str:
    """The id of a recall of two items."""
    done = garden("recall", QUESTION, "--space", "garden", "--limit", "2", "--json", *more, **settings)
    assert done.code == 0, done.err
    return str(done.json["recall_id"])


def test_recall_says_how_to_have_it_explained(garden: Command) -> None:
    done = garden("recall", QUESTION, "--space", "garden", "--limit", "1")
    kept = garden("recall", QUESTION, "--space", "garden", "--limit", "1", TRACE_GRAPH_RECALLS_KEPT="0")

    said = re.fullmatch(r"using \S+\nhow this was found: trace-graph explain (\S+)\n", done.err)
    assert said is not None
    assert garden("explain", said[1], "--json").json["recall_id"] == said[1]
    assert kept.err == f"using {garden.uri}\n"


def test_explain_shows_what_was_asked_what_was_found_and_what_was_dropped(garden: Command) -> None:
    id = asked(garden, "--asked-at", "2024-07-01")
    done = garden("explain", id)
    values = garden("explain", id, "--json").json

    assert done.code == 0
    for line in (
        rf"RECALL +{id}", rf"question +{re.escape(QUESTION)}", "asked for +2 items, fast",
        r"answered +\S+ \S+ UTC, for local \(cli\)", "moment of the question +2024-07-01 00:00 UTC",
        r"spaces +garden at change \d+", "words +rose, bush, plant", "speakers +Mira", "dates +none",
    ):
        assert re.search(rf"^{line}$", done.out, re.MULTILINE), line
    head = r"^RANK +SCORE +TEXT +VECTOR +SPEAKER +DATE +ROLE +NEAR +TOKENS +FOUND BY +WHO +WHAT$"
    assert re.search(head, done.out, re.MULTILINE)
    assert re.search(r"^1 +\d\.\d\d .* Mira +Mira planted three rose bushes", done.out, re.MULTILINE)
    assert len(re.findall(r"^limit +-?\d\.\d\d ", done.out, re.MULTILINE)) == 2
    assert done.out.splitlines()[-1] == "4 messages scored, 2 shown; dropped: 2 for limit"
    assert (values["query"], values["found"], values["dropped"]) == (QUESTION, 4, {"limit": 2})
    assert [(one["rank"], one["dropped"]) for one in values["candidates"]] == [
        (1, None), (2, None), (None, "limit"), (None, "limit")]


def test_recall_explains_itself_at_once(garden: Command) -> None:
    words = garden("recall", QUESTION, "--space", "garden", "--limit", "2", "--explain")
    values = garden("recall", QUESTION, "--space", "garden", "--limit", "2", "--explain", "--json").json

    assert words.out.startswith(" 1. Mira ")
    assert words.out.splitlines()[-1] == "4 messages scored, 2 shown; dropped: 2 for limit"
    assert values["explanation"]["recall_id"] == values["recall_id"]
    assert [one["id"] for one in values["explanation"]["candidates"][:2]] == [one["id"] for one in values["items"]]


def test_replay_says_that_it_is_equal_and_which_settings_changed(garden: Command) -> None:
    id = asked(garden)
    same = garden("replay", id)
    other = garden("replay", id, TRACE_GRAPH_RECALL__WINDOW="1")

    assert (same.code, same.out) == (0, "Equal: 2 items, each in its place with its score.\n")
    assert other.code == 0
    assert other.out.splitlines()[0] == "Equal: 2 items, each in its place with its score."
    assert re.search(r"^recall\.window +2 +1 +then$", other.out, re.MULTILINE)
    assert garden("replay", id, "--json").json == {
        "recall_id": id, "equal": True, "items": 2, "differences": [], "changes": []}


def test_known_at_answers_with_what_was_known_then(garden: Command) -> None:
    before = garden(
        "recall", QUESTION, "--space", "garden", "--limit", "2", "--known-at", "2020-01-01", "--explain")
    wrong = garden("recall", QUESTION, "--space", "garden", "--known-at", "03/04/2024", "--json")

    assert (before.code, before.out.splitlines()[0]) == (0, "Nothing was found.")
    assert re.search(r"^known at +2020-01-01 00:00 UTC$", before.out, re.MULTILINE)
    assert before.out.splitlines()[-1] == "0 messages scored, 0 shown"
    assert (wrong.code, wrong.json["error"]["code"]) == (2, "invalid_input")


def test_an_unknown_recall_is_not_found(garden: Command) -> None:
    for verb in ("explain", "replay"):
        done = garden(verb, "nope", "--json")
        assert (done.code, done.json["error"]["code"], done.json["error"]["message"]) == (
            3, "not_found", "There is no recall 'nope'.")
