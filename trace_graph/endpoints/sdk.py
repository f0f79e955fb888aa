"""The `openai` SDK, kept from doing anything by itself: no retries, no redirects, nothing of OPENAI_*, no message
of an endpoint.

The SDK takes up to a second to import, so this module imports it within its functions: call `opened` in a thread.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from trace_graph.endpoints.retries import pause_asked

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

NO_KEY = "no-key"
"""Sent to an endpoint that was given no key, because the SDK will not start without one."""


def opened(base_url: str, api_key: str | None, timeout_seconds: float) -> AsyncOpenAI:
    """A client of this endpoint; it connects on its first request. It follows no redirect: those would give the texts
    of a memory to a host that nobody configured."""
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    client = AsyncOpenAI(
        api_key=api_key or NO_KEY, base_url=base_url, max_retries=0, timeout=timeout_seconds,
        http_client=DefaultAsyncHttpxClient(follow_redirects=False))
    # The SDK takes these from OPENAI_* in the environment, which may be meant for another server.
    client.organization = client.project = client.admin_api_key = None
    client._custom_headers = {}
    return client


def host_of(base_url: str) -> str:
    """Host and port of an address, without user and password."""
    return urlsplit(base_url).netloc.rpartition("@")[2]


def status_of(error: BaseException | None) -> int | None:
    """The HTTP status of an error of the SDK; None where no answer came."""
    return getattr(error, "status_code", None)


def code_of(error: APIError) -> str:
    """The error code in the body; empty where there is none. The SDK passes on whatever JSON stands there."""
    return _text(error.code)


def pause_of(error: BaseException | None) -> float | None:
    """The seconds that the endpoint asks to wait, where it does."""
    response = getattr(error, "response", None)
    return None if response is None else pause_asked(response.headers)


def in_words(error: APIError) -> str:
    """Name status and code; never the endpoint's message, which may repeat the text or part of the key."""
    code = code_of(error) or _text(error.type)
    known = f", {code}" if re.fullmatch(r"[A-Za-z_]{3,60}", code) else ""
    return f"HTTP {status_of(error)}{known}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
