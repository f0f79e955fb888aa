"""Calls to a model a message: one conversation of LoCoMo organised at once, and after each session.

    python -m bench.model_calls [--sample conv-26] [--routing cascade descent] [--data locomo10.json]

The whole way over HTTP, with the openai SDK, against the scripted server whose reader goes by common words
(tests/sensible_chat.py): what a model decides changes how often it is asked, so a real one gives other figures.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from bench.engine import engine_of
from bench.locomo import default_file, messages
from tests.scripted_openai import scripted_openai
from tests.sensible_chat import sensible
from trace_graph import Memory, MessageInput
from trace_graph.config import Settings
from trace_graph.llm_settings import LlmSettings
from trace_graph.models import uuid7
from trace_graph.organize.organizing import Routing


def parts_of(said: Sequence[MessageInput], *, by_session: bool) -> Iterator[list[MessageInput]]:
    """What is added before each run of the organiser."""
    if not by_session:
        yield list(said)
        return
    for _, part in groupby(said, key=lambda one: one.session):
        yield list(part)


async def measure(settings: Settings, said: Sequence[MessageInput], routing: Routing, *, by_session: bool) -> str:
    """Calls by purpose and outcome, and a message."""
    space, runs = f"bench-calls-{uuid7()[-12:]}", 0
    async with Memory(settings=settings) as memory:
        for part in parts_of(said, by_session=by_session):
            await memory.add_many(part, space=space)
            report = await memory.organize(space=space, routing=routing)
            runs += 1
        stats = await memory.call_stats(space)
    by_purpose: Counter[str] = Counter()
    for group in stats.groups:
        by_purpose[f"{group.purpose} {group.outcome}"] += group.calls
    named = ", ".join(f"{name} {count}" for name, count in sorted(by_purpose.items()))
    way = "session by session" if by_session else "at once"
    return (f"{routing}, {way} ({runs} runs): {stats.calls} calls, {stats.calls / len(said):.4f} a message ({named}); "
            f"last run without it: {report.model_unused or 'no'}")


async def run(chosen: argparse.Namespace) -> None:
    """Measure every way and print it."""
    said = messages(chosen.data, [chosen.sample])
    with scripted_openai() as server:
        server.answer = sensible
        async with engine_of(None) as settings:
            asking = settings.model_copy(update={"model": "sensible", "llm": LlmSettings(base_url=server.url)})
            print(f"{chosen.sample}, {len(said)} messages", flush=True)
            for routing in chosen.routing:
                for by_session in (False, True):
                    print(await measure(asking, said, routing, by_session=by_session), flush=True)


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.model_calls", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--sample", default="conv-26")
    parser.add_argument("--routing", nargs="+", default=["cascade", "descent"])
    asyncio.run(run(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
