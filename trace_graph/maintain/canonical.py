"""What a space says, without when and under which ids it came to say so: for comparing two exports. Pure.

Left out: clocks (`recorded_at`, `change_seq` and the like), the ledger, calls to models (what came of them stays),
keys, running sums of vectors, and who works.
Ids become names: a message is its session and place, a topic its turn among the topics, a revision its topic and
number, a segment its first message. Whether something was closed stays; when, goes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from trace_graph.maintain.lines import NODES

_CLOCKS = frozenset({
    "recorded_at", "change_seq", "retired_at", "retired_seq", "last_recorded_at", "event_seq"})
_KEYS = frozenset({
    "id", "key", "place_key", "external_key", "live_key", "current_key", "waiting_in", "stale_in",
    "call", "model_call"})
_SUMS = frozenset({"vector_sum"})
"""Sums of floats: another order of adding gives other last digits."""
_NAMES_OF_SPACE = frozenset({"name"})
_REFERENCES = frozenset({"root", "topic", "last_id", "message", "runner_up"})
_LEFT_OUT = frozenset({"Event", "ModelCall", "MADE"})
DIGITS = 6
"""Kept of scores; what two engines or orders give differs below 1e-12."""

Line = Mapping[str, Any]


def canonical_content(lines: Iterable[bytes | str]) -> list[str]:
    """The content of an export, one JSON line a node or relationship, sorted; equal for spaces that say the same.

    Holds all of it in memory.

    Args:
        lines: of an export that is whole, the first and the last one included.
    """
    found = [value for line in lines if "kind" in (value := json.loads(line))]
    names = _names(found)
    segments = _segments(found, names)
    return sorted(
        json.dumps(_content(line, names, segments), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for line in found if line["kind"] not in _LEFT_OUT)


def _names(lines: list[Line]) -> dict[str, str]:
    """A name for every id, by what it stands for."""
    names: dict[str, str] = {}
    topics = sorted(
        (line["properties"]["change_seq"], line["properties"]["id"]) for line in lines if line["kind"] == "Topic")
    names.update({id: f"topic {turn}" for turn, (_, id) in enumerate(topics)})
    for line in lines:
        own = line["properties"]
        match line["kind"]:
            case "Space":
                names[own["id"]] = "space"
            case "Session":
                names[own["id"]] = f"session {own['name']}"
            case "Message":
                names[own["id"]] = f"message {own['session']} {own['seq']:09}"
            case "SummaryRevision":
                names[own["id"]] = f"revision {names[own['topic']]} {own['number']:06}"
            case "Passage":
                names[own["id"]] = f"passage {names[own['message']]} {own['start']}"
    return names


def _segments(lines: list[Line], names: Mapping[str, str]) -> dict[str, str]:
    """A segment is known by the first of its messages."""
    first: dict[str, str] = {}
    for line in lines:
        segment = line["properties"].get("segment")
        if line["kind"] == "PARENT_OF" and segment is not None:
            name = names[line["to"]]
            first[segment] = min(first.get(segment, name), name)
    return first


def _content(line: Line, names: Mapping[str, str], segments: Mapping[str, str]) -> dict[str, Any]:
    own, kind = line["properties"], line["kind"]
    hidden = _CLOCKS | _KEYS | _SUMS | (_NAMES_OF_SPACE if kind == "Space" else frozenset())
    if kind == "Topic" and own["kind"] == "root":
        hidden |= {"title"}  # the name of the space, until the root is worded
    kept: dict[str, Any] = {}
    for name, value in own.items():
        if name in hidden:
            continue
        if name in _REFERENCES:
            kept[name] = names.get(value, value)
        elif name == "segment":
            kept[name] = segments[value]
        else:
            kept[name] = round(value, DIGITS) if isinstance(value, float) else value
    kept |= {mark: True for mark, key in (("closed", "retired_seq"), ("stale", "stale_in")) if key in own}
    if kind in NODES:
        return {"kind": kind, "is": names[own["id"]], "properties": kept}
    return {"kind": kind, "from": names[line["from"]], "to": names[line["to"]], "properties": kept}
