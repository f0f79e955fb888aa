"""A run's replies in a file, and the run again from that file, with no model.

JSON lines: a header, then one line for each request that was sent, with its hash, how often that hash came before, and
the reply or the failure. A cassette holds what the model wrote, and no request.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import TypeAdapter

from trace_graph.errors import InvalidInput, NotFound, ReplayDiffers
from trace_graph.llm.completions import MOST_TOKENS, Completion
from trace_graph.llm.endpoint import Endpoint, NoReply
from trace_graph.llm.forms import LADDER
from trace_graph.llm.sending import Sent
from trace_graph.llm.values import OnText
from trace_graph.models.calls import Form

VERSION = 1
"""Of the format; a later one is refused."""


@dataclass(frozen=True)
class Header:
    """What a run begins with, and its replay as well."""

    model: str
    host: str
    seed: int
    """Of the ids, see `pinned.Pinned`."""
    moment: datetime
    """At which the clock stands."""
    form: Form = LADDER[0]
    """The form that the model was known to take when the run began."""
    calls_left: int | None = None
    """Calls that were allowed; None: any number."""
    tokens_left: int | None = None


class Recording:
    """An endpoint that passes requests on and keeps what comes back."""

    def __init__(self, endpoint: Endpoint, path: Path, header: Header) -> None:
        """Begin a new file.

        Raises: InvalidInput where there is one already, or none can be made.
        """
        self.model, self.host = endpoint.model, endpoint.host
        self._endpoint = endpoint
        self._seen: Counter[str] = Counter()
        self._file = _new_file(path)
        self._write({"cassette": VERSION, **asdict(header), "moment": header.moment.isoformat()})

    async def send(self, sent: Sent, *, most_failures: int, on_text: OnText | None = None) -> Completion | NoReply:
        """See `Endpoint.send`."""
        hash = sent.hash
        nth = self._seen[hash]
        self._seen[hash] += 1
        answer = await self._endpoint.send(sent, most_failures=most_failures, on_text=on_text)
        kind = "reply" if isinstance(answer, Completion) else "failure"
        self._write({"hash": hash, "nth": nth, "asked": _asked(sent), kind: asdict(answer)})
        return answer

    async def close(self) -> None:
        """Close the file and the endpoint."""
        self._file.close()
        await self._endpoint.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n")
        self._file.flush()


class Replaying:
    """An endpoint that answers from a cassette and reaches no network."""

    def __init__(self, path: Path) -> None:
        """Read a cassette, up to its last whole line.

        Raises: NotFound, InvalidInput for a file that is none.
        """
        self.header, self._lines = _read(path)
        self.model, self.host = self.header.model, self.header.host
        self._seen: Counter[str] = Counter()
        self._used: set[tuple[str, int]] = set()

    @property
    def leftovers(self) -> int:
        """Replies that were not asked for."""
        return len(self._lines) - len(self._used)

    async def send(self, sent: Sent, *, most_failures: int, on_text: OnText | None = None) -> Completion | NoReply:
        """See `Endpoint.send`; raises ReplayDiffers for a request that the cassette does not hold."""
        key = sent.hash, self._seen[sent.hash]
        self._seen[sent.hash] += 1
        line = self._lines.get(key)
        if line is None:
            raise ReplayDiffers(self._difference(sent, key[1]))
        self._used.add(key)
        if line.completion is not None:
            if on_text is not None and line.completion.content:
                on_text(line.completion.content)
            return line.completion
        assert line.failure is not None
        return line.failure

    async def close(self) -> None:
        """Nothing to close."""

    def _difference(self, sent: Sent, nth: int) -> str:
        """What differs from the most similar request of the cassette that was not asked for yet."""
        start = f"The cassette holds no reply to this request ({sent.purpose}, {sent.prompt}-{sent.prompt_version})"
        if nth:
            return f"{start} a {nth + 1}. time."
        if not self.leftovers:
            return f"{start}: it ends here. Its run was broken off, or had less to do."
        asked = _asked(sent)
        unused = [line.asked for key, line in self._lines.items()
                  if key not in self._used and line.asked["purpose"] == sent.purpose]
        if not unused:
            return f"{start}, and no other one for this purpose is left in it."
        differing = min(
            ([name for name in asked if asked[name] != one.get(name)] for one in unused), key=len)
        return f"{start}; the most similar one in it has another {', '.join(differing)}."


@dataclass(frozen=True)
class _Line:
    """One line of a cassette: either a completion or a failure."""

    asked: Mapping[str, Any]
    completion: Completion | None = None
    failure: NoReply | None = field(default=None)


Value = TypeVar("Value")

_NUMBER = TypeAdapter(int)
_KEY = TypeAdapter(tuple[str, int])
_ASKED = TypeAdapter(dict[str, Any])
_HEADER = TypeAdapter(Header)
_COMPLETION = TypeAdapter(Completion)
_FAILURE = TypeAdapter(NoReply)


def _asked(sent: Sent) -> dict[str, Any]:
    """What tells how a request differs from another, without its text."""
    texts = [f"{one.role}\n{one.text}" for one in sent.messages]
    return {
        "purpose": sent.purpose, "prompt": f"{sent.prompt}-{sent.prompt_version}", "model": sent.model,
        "form": sent.form, "max_tokens": sent.max_tokens, "temperature": sent.temperature,
        "schema": _short_hash(json.dumps(sent.schema, sort_keys=True)),
        "system message": _short_hash(*(text for text in texts if text.startswith("system\n"))),
        "content of the messages": _short_hash(*(text for text in texts if not text.startswith("system\n")))}


def _short_hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _new_file(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="ascii")
    except FileExistsError as error:
        raise InvalidInput(f"There is a file {path} already.", fix="Name a new file for the cassette.") from error
    except OSError as error:
        raise InvalidInput(f"The cassette {path} cannot be written: {error.strerror}.") from error


def _read(path: Path) -> tuple[Header, dict[tuple[str, int], _Line]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"There is no cassette {path}.", fix="Record one with --record.") from error
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The cassette {path} cannot be read.") from error
    whole = text[:text.rfind("\n") + 1].splitlines()  # what follows was being written when the run was killed
    number = 1
    try:
        header = _header(_ASKED.validate_json(whole[0] if whole else "", strict=True), path)
        lines: dict[tuple[str, int], _Line] = {}
        for written in whole[1:]:
            number += 1
            one = _ASKED.validate_json(written, strict=True)
            lines[_typed(_KEY, (one["hash"], one["nth"]))] = _line(one)
    except (ValueError, LookupError, RecursionError) as error:
        raise InvalidInput(
            f"The file {path} is no cassette, or was changed: line {number} cannot be used.",
            fix="Record it again with --record.") from error
    return header, lines


def _header(first: Mapping[str, Any], path: Path) -> Header:
    if _typed(_NUMBER, first["cassette"]) > VERSION:
        raise InvalidInput(f"The cassette {path} was recorded by a newer trace-graph.", fix="Upgrade trace-graph.")
    header = _HEADER.validate_json(json.dumps(first), strict=True)
    if header.moment.tzinfo is None:
        raise ValueError("a moment without a time zone")
    return header


def _line(one: Mapping[str, Any]) -> _Line:
    asked = _typed(_ASKED, one["asked"])
    if not isinstance(asked["purpose"], str):
        raise ValueError("no purpose")
    if "reply" in one:
        return _Line(asked, completion=_typed(_COMPLETION, one["reply"]))
    return _Line(asked, failure=_typed(_FAILURE, one["failure"]))


def _typed(adapter: TypeAdapter[Value], value: Any) -> Value:
    """The value, of this type to the letter; a recording holds no number over MOST_TOKENS and no NUL in a text."""
    for one in value.values() if isinstance(value, dict) else ():
        if (isinstance(one, int) and abs(one) > MOST_TOKENS) or (isinstance(one, str) and "\0" in one):
            raise ValueError("a value that no recording holds")
    return adapter.validate_json(json.dumps(value), strict=True)  # in Python's own types a dataclass is no object
