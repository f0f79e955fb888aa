"""An OpenAI-compatible server on loopback whose answers a test scripts: refusals, limits, hangs, rubbish."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 16
"""Of the vectors of `vector_of`."""


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])

    @property
    def form(self) -> str:
        """How the reply's structure is asked for."""
        kinds = {"json_schema": "schema", "json_object": "json"}
        return kinds[self.body["response_format"]["type"]] if "response_format" in self.body else "plain"


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: Any = None
    """Sent as JSON, or as it is where it is bytes."""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    """Answer only when the server closes."""
    cut: bool = False
    """Close the connection before the end of the body that was announced."""


def error(status: int, code: str = "", *, param: str | None = None, **headers: str) -> Reply:
    """An error in OpenAI's shape; `retry_after="3"` becomes the header `retry-after`."""
    body = {"error": {"message": "scripted", "type": "scripted_error", "code": code or None, "param": param}}
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def vector_of(text: str) -> list[float]:
    """A vector that depends on the words of the text only, equal in every run."""
    numbers = [0.0] * DIMENSION
    for word in text.lower().split():
        numbers[zlib.crc32(word.encode()) % DIMENSION] += 1.0
    return numbers


def embeddings(texts: list[str], embed: Callable[[str], list[float]] = vector_of) -> Reply:
    """The answer of a healthy endpoint; in reverse order, as the protocol allows."""
    data = [{"object": "embedding", "index": place, "embedding": embed(text)} for place, text in enumerate(texts)]
    return Reply(200, {"object": "list", "data": data[::-1], "model": "scripted", "usage": {}})


class ScriptedOpenAI:
    """What the server was asked, and what it is to answer."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self.script: list[Reply] = []
        """Answers to the next requests, first to first; when it is used up, `answer` decides."""
        self.answer: Callable[[Request], Reply] = lambda request: embeddings(request.texts)
        self.closing = threading.Event()
        self._lock = threading.Lock()

    def reply_to(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            return self.script.pop(0) if self.script else self.answer(request)


@contextmanager
def scripted_openai() -> Iterator[ScriptedOpenAI]:
    """Serve on a free loopback port; `url` is the base URL to give to a client."""
    scripted = ScriptedOpenAI()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(scripted))
    scripted.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield scripted
    finally:
        scripted.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler_for(scripted: ScriptedOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = scripted.reply_to(Request(self.path, dict(self.headers.items()), body))
            if reply.hang:
                scripted.closing.wait()
                return
            content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content) + (100 if reply.cut else 0)))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = self.close_connection or reply.cut

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
