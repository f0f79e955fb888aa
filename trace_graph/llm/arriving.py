"""The bytes of an answer as they arrive: never more than stated, and as the events of a stream."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator

MOST_BYTES = 4_000_000
"""Of one answer; one that is longer is given up. Guess: a stream spends some 300 bytes on each token, so that this
holds far more than the longest reply that is asked for."""


class Unreadable(Exception):
    """An answer with HTTP 200 that is no chat completion; says why, without its text."""


async def bounded(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Pass on what arrives.

    Raises: Unreadable where it is more than MOST_BYTES, or the connection fails before its end.
    """
    arrived = 0
    try:
        async for chunk in chunks:
            arrived += len(chunk)
            if arrived > MOST_BYTES:
                raise Unreadable(f"sent more than {MOST_BYTES:,} bytes in one answer")
            yield chunk
    except Unreadable:
        raise
    except Exception as error:  # whatever the HTTP client raises: a reset, a timeout, a wrong encoding
        raise Unreadable("broke off its reply") from error


async def after(head: bytes, chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """What was read already, and what follows."""
    yield head
    async for chunk in chunks:
        yield chunk


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The data of server-sent events that have any, also of a last one that no empty line ends."""
    data: list[bytes] = []
    async for line in _lines(chunks):
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:").strip())
        elif not line and any(data):
            yield b"\n".join(data)
            data = []
    if any(data):
        yield b"\n".join(data)


async def _lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    pending = bytearray()
    async for chunk in chunks:
        pending += chunk
        if b"\n" in chunk:
            *whole, pending = pending.split(b"\n")
            for line in whole:
                yield bytes(line.removesuffix(b"\r"))
    yield bytes(pending)
