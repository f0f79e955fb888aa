"""Whether the records of a file, or of a space, are a whole: in order, in shape, closed over their references. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from trace_graph.errors import InvalidInput
from trace_graph.maintain.lines import NODES, REAL, Header, Record, is_time, order
from trace_graph.models.calls import Form, Outcome, Purpose
from trace_graph.text.rules import check_text
from trace_graph.text.times import zone_name

REQUIRED: Mapping[str, frozenset[str]] = {
    "Space": frozenset({
        "id", "name", "root", "time_zone", "recorded_at", "change_seq", "last_recorded_at", "event_seq",
        "message_count", "passage_count"}),
    "Topic": frozenset({"id", "kind", "title", "status", "recorded_at", "change_seq"}),
    "SummaryRevision": frozenset({"id", "topic", "number", "title", "text", "recorded_at", "change_seq"}),
    "Session": frozenset({"id", "key", "name", "last_seq", "last_id"}),
    "Message": frozenset({
        "id", "session", "seq", "place_key", "role", "author", "text", "occurred_at", "occurred_offset",
        "recorded_at", "change_seq", "content_hash", "tokens", "terms"}),
    "Passage": frozenset({"id", "message", "start", "end", "terms"}),
    "ModelCall": frozenset({
        "id", "purpose", "prompt", "prompt_version", "model", "host", "form", "inputs", "request_hash", "attempt", "at",
        "day", "milliseconds", "requests", "outcome", "recorded_at", "change_seq"}),
    "Event": frozenset({
        "id", "seq", "place_key", "change_seq", "recorded_at", "actor", "action", "targets", "payload_hash"}),
    "PARENT_OF": frozenset({"recorded_at", "change_seq"}),
    "SUPERSEDES": frozenset({"recorded_at", "change_seq"}),
    "DERIVED_FROM": frozenset({"recorded_at", "change_seq"}),
    "MADE": frozenset({"recorded_at", "change_seq"}),
}
"""Properties without which a node or relationship is none."""

ENDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "PARENT_OF": ("Topic", ("Topic", "Message")),
    "HAS_REVISION": ("Topic", ("SummaryRevision",)),
    "SUPERSEDES": ("SummaryRevision", ("SummaryRevision",)),
    "DERIVED_FROM": ("SummaryRevision", ("Message", "SummaryRevision")),
    "HAS_PASSAGE": ("Message", ("Passage",)),
    "NEXT": ("Message", ("Message",)),
    "MADE": ("ModelCall", ("SummaryRevision", "Topic", "Message")),
}
"""From what, and to what, a relationship leads."""

_WHOLE = frozenset({
    "seq", "number", "change_seq", "retired_seq", "event_seq", "message_count", "passage_count", "segment_count",
    "child_count", "vector_count", "depth", "tokens", "start", "end", "occurred_offset", "occurred_day", "last_seq",
    "prompt_version", "attempt", "milliseconds", "requests", "tokens_in", "tokens_out", "max_tokens"})
_MAY_BE_NEGATIVE = frozenset({"occurred_offset", "occurred_day"})
_VECTORS = frozenset({"embedding", "vector_sum"})
_LISTS = frozenset({"authors", "phrases", "targets"})
_TEXTS = frozenset({
    "id", "name", "root", "time_zone", "kind", "title", "status", "text", "topic", "key", "last_id", "session", "role",
    "author", "agent", "content", "external_id", "external_key", "place_key", "content_hash", "terms", "waiting_in",
    "stale_in", "message", "actor", "door", "action", "payload_hash", "reason", "decided_by", "runner_up", "segment",
    "live_key", "current_key", "method", "purpose", "prompt", "model", "host", "form", "inputs", "request_hash", "day",
    "outcome", "reply", "finish", "fault", "request", "figures", "follows", "call", "model_call"})
_PLAIN: tuple[tuple[frozenset[str], type], ...] = (
    (_WHOLE, int), (REAL, float), (_TEXTS, str), (frozenset({"waiting"}), bool))
_OUR_OWN = frozenset({
    "lock", "lease_owner", "lease_until", "restoring", "restorer", "restored", "space", "filed_in", "passing_in",
    "recall", "spaces"})
"""Properties that are of a database and not of a space, or follow from a placement: no file sets them."""
_ONE_OF: Mapping[str, tuple[str, ...]] = {
    "purpose": get_args(Purpose), "form": get_args(Form), "outcome": get_args(Outcome)}


class Checker:
    """Takes the records of one space in their order. It holds their ids: about 200 bytes a node.

    Every method raises InvalidInput saying what is wrong.
    """

    def __init__(self, space_id: str) -> None:
        self.counts: Counter[str] = Counter()
        self.kind_of: dict[str, str] = {}
        """Label by id of node."""
        self._space = space_id
        self._last: tuple[int, str, str, bytes] | None = None
        self._later: list[tuple[str, str, str]] = []
        self._has_vectors = False

    def take(self, record: Record, line: bytes) -> None:
        """Check the next record."""
        self._check_shape(record)
        place = order(record, line)
        if self._last is not None and place <= self._last:
            raise InvalidInput(f"This {record.kind} stands twice, or not in its order.")
        self._last = place
        self.counts[record.kind] += 1
        if record.kind in NODES:
            self._take_node(record)
        else:
            self._check_ends(record)

    def finish(self, header: Header | None = None) -> None:
        """Check what only the whole can tell; with a header, that it counts what was there."""
        for source, label, id in self._later:
            self._expect(source, id, (label,))
        if self.counts["Space"] != 1:
            raise InvalidInput("There is not exactly one Space.")
        if header is not None and header.embedder is None and self._has_vectors:
            raise InvalidInput("There are vectors, and the first line names no embedder.")
        if header is not None and {k: n for k, n in header.counts.items() if n} != dict(self.counts):
            raise InvalidInput("The first line counts other lines than there are.")

    def _take_node(self, record: Record) -> None:
        id = record.properties["id"]
        if id in self.kind_of:
            raise InvalidInput(f"The id of this {record.kind} stands twice.")
        self.kind_of[id] = record.kind
        if record.kind == "Space":
            if id != self._space:
                raise InvalidInput("The Space is another one than the first line says.")
            self._later.append(("The Space", "Topic", record.properties["root"]))
        elif record.kind == "SummaryRevision":
            self._expect("A SummaryRevision", record.properties["topic"], ("Topic",))
            if "call" in record.properties:
                self._later.append(("A SummaryRevision", "ModelCall", record.properties["call"]))
        elif record.kind == "Session":
            self._later.append(("A Session", "Message", record.properties["last_id"]))
        elif record.kind == "Passage":
            self._expect("A Passage", record.properties["message"], ("Message",))

    def _check_ends(self, record: Record) -> None:
        start, ends = ENDS[record.kind]
        self._expect(f"A {record.kind}", str(record.source), (start,))
        self._expect(f"A {record.kind}", str(record.target), ends)
        if record.kind == "PARENT_OF" and "model_call" in record.properties:
            self._expect("A PARENT_OF", record.properties["model_call"], ("ModelCall",))

    def _expect(self, source: str, id: str, kinds: tuple[str, ...]) -> None:
        if self.kind_of.get(id) not in kinds:
            raise InvalidInput(f"{source} points at a {' or '.join(kinds)} that is not there.")

    def _check_shape(self, record: Record) -> None:
        missing = REQUIRED.get(record.kind, frozenset()) - record.properties.keys()
        if missing:
            raise InvalidInput(f"A {record.kind} lacks its {min(missing)}.")
        for name, value in record.properties.items():
            derived = name == "segment" and record.kind in NODES
            if name in _OUR_OWN or derived or not _fits(name, value):
                raise InvalidInput(f"The {name} of a {record.kind} is none.")
            self._has_vectors = self._has_vectors or name in _VECTORS
        self._check_keys(record)
        if record.kind == "Message":
            check_text(record.properties["text"])
        elif record.kind == "Space":
            zone_name(record.properties["time_zone"])
        elif record.kind == "ModelCall":
            _check_call(record.properties)

    def _check_keys(self, record: Record) -> None:
        """Keys that say where something belongs lead nowhere else: a file cannot write into another space."""
        within = {"waiting_in": self._space, "stale_in": self._space, "live_key": record.target,
                  "current_key": record.properties.get("topic")}
        for name, value in record.properties.items():
            strange = name in within and value != within[name]
            if name in ("place_key", "external_key", "key"):
                strange = not value.startswith(f"{self._space}/")
            if strange:
                raise InvalidInput(f"The {name} of a {record.kind} leads elsewhere.")


def _check_call(properties: Mapping[str, Any]) -> None:
    """What `calls show` relies on."""
    wrong = [name for name, known in _ONE_OF.items() if properties[name] not in known]
    wrong += [name for name in ("inputs", "figures") if name in properties and not is_object(properties[name])]
    if properties["day"] != properties["at"].astimezone(UTC).date().isoformat():
        wrong.append("day")
    if properties["outcome"] in ("ok", "repaired") and "reply" not in properties:
        raise InvalidInput("A ModelCall was used and lacks its reply.")
    if wrong:
        raise InvalidInput(f"The {wrong[0]} of a ModelCall is none.")


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _fits(name: str, value: Any) -> bool:
    """Whether a value is of the type of its property; a property that is not known here may have any."""
    if is_time(name):
        return isinstance(value, datetime)
    if name in _VECTORS:
        return isinstance(value, list) and bool(value) and isinstance(value[0], float)
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if isinstance(value, str) and "\x00" in value:
        return False
    wanted = next((type for names, type in _PLAIN if name in names), object)
    if wanted is int:
        return type(value) is int and (value >= 0 or name in _MAY_BE_NEGATIVE)
    return isinstance(value, wanted)
