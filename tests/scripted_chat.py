"""Chat replies for the scripted server: healthy ones, and every fault that models and their servers are known for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.scripted_openai import Reply, Request

Answer = Callable[[Request], Reply]

UNPORTABLE = ("$ref", "anyOf", "format", "pattern", "maxLength")
"""What servers A and B of PC-019 cannot turn into a grammar."""


def completion(
    content: Any, *, reasoning: str | None = None, finish: str | None = "stop", tokens_in: int = 100,
    tokens_out: int = 12,
) -> Reply:
    """One whole reply."""
    message = {"role": "assistant", "content": content, "reasoning": reasoning}
    return Reply(200, {
        "id": "chat-1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}})


def stream(content: str, *, finish: str | None = "stop", cut: bool = False, piece: int = 3) -> Reply:
    """The same as server-sent events, in pieces of so many characters."""
    pieces: list[dict[str, Any]] = [
        {"content": content[place:place + piece]} for place in range(0, len(content), piece)]
    events = [_chunk(delta, None) for delta in pieces]
    if finish is not None:
        events.append(_chunk({}, finish))
        events.append({**_chunk({}, None), "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 12}})
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    body += "" if cut or finish is None else "data: [DONE]\n\n"
    return Reply(200, body.encode(), {"content-type": "text/event-stream"}, cut=cut)


def _chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def answering(content_of: Callable[[Request], str]) -> Answer:
    """A healthy model that says this to a request, streamed where that is asked for."""
    def answer(request: Request) -> Reply:
        content = content_of(request)
        return stream(content) if request.body.get("stream") else completion(content)

    return answer


def instance_of(schema: dict[str, Any], text: str = "text") -> Any:
    """The smallest instance of a schema with something in it."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: instance_of(one, text) for name, one in schema["properties"].items()}
    if schema["type"] == "array":
        return [instance_of(schema["items"], text)]
    return {"string": text, "integer": 1, "number": 1.0, "boolean": True}[schema["type"]]


def keeping_to_the_schema(request: Request) -> Reply:
    """A server whose replies keep to whatever schema is asked for."""
    schema = request.body["response_format"]["json_schema"]["schema"]
    return completion(json.dumps(instance_of(schema)))


def without_response_format(answer: Answer) -> Answer:
    """A server that refuses `response_format`."""
    return lambda request: Reply(400, {"error": {"message": "no", "param": "response_format"}}) \
        if "response_format" in request.body else answer(request)


def server_a(answer: Answer) -> Answer:
    """PC-019: HTTP 400 where the schema holds what cannot be turned into a grammar."""
    return lambda request: Reply(400, {"error": {"message": "no"}}) if _unportable(request) else answer(request)


def server_b(answer: Answer) -> Answer:
    """PC-019: the schema is dropped in that case, and the reply is prose."""
    return lambda request: completion("Sure, here you are!") if _unportable(request) else answer(request)


def _unportable(request: Request) -> bool:
    return any(key in UNPORTABLE for key in _keys(request.body.get("response_format", {})))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _keys(one)
    elif isinstance(value, list):
        for one in value:
            yield from _keys(one)
