"""The writer that is killed: a process that imports or organises, and says how far it is.

    python -m bench.kill_victim import|organize --space S [--corpus FILE --acknowledged FILE] [--ahead SECONDS]

It says "ready" when it is connected, "written" after each transaction, and "done" at the end. The ids of what was
acknowledged go into a file, synced to the disk after each receipt. The database is that of the environment.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from trace_graph import Memory
from trace_graph.models import MessageInput
from trace_graph.organize import organizing
from trace_graph.text.times import utc_now

TOGETHER = 8
"""Messages of one write: many writes, so that a kill meets one."""
BATCH = 40
"""Messages that the organiser files in one transaction here, for the same reason."""
START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
SUBJECTS = {
    "boat": "harbour mast sail anchor berth keel rope tide regatta rudder",
    "bread": "flour oven loaf yeast crust dough rye spelt butter baker",
    "garden": "tomato compost greenhouse onion apple slug lettuce spade rain seed",
    "music": "cello orchestra concert string conductor symphony violin rehearsal ticket score",
    "work": "billing invoice release customer report manager office database engineer deadline",
}


def corpus(messages: int, seed: int) -> list[MessageInput]:
    """A made-up conversation of several sessions; every ninth message is long enough for passages. Ids are 0, 1, ..."""
    chance = random.Random(seed)
    made: list[MessageInput] = []
    while len(made) < messages:
        session = len(made) // 15
        subject = chance.choice(sorted(SUBJECTS))
        for turn in range(min(chance.randint(3, 8), 15 - len(made) % 15, messages - len(made))):
            length = 180 if len(made) % 9 == 4 else chance.randint(6, 14)
            words = " ".join(chance.choice(SUBJECTS[subject].split()) for _ in range(length))
            made.append(MessageInput(
                text=f"About the {subject}: {words}.", author=("Mira", "Tomas")[turn % 2], session=f"day {session}",
                at=START + timedelta(days=session, minutes=len(made)), external_id=str(len(made))))
    return made


def write_corpus(path: Path, messages: Sequence[MessageInput]) -> None:
    """A line of JSON for each message."""
    path.write_text("".join(message.model_dump_json() + "\n" for message in messages), encoding="utf-8")


def read_corpus(path: Path) -> list[MessageInput]:
    """The messages of such a file."""
    return [MessageInput(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


async def add_all(memory: Memory, space: str, messages: Sequence[MessageInput], acknowledged: Path) -> None:
    """Add messages in their order, and note each id once it was acknowledged."""
    with acknowledged.open("a", encoding="utf-8") as file:
        for start in range(0, len(messages), TOGETHER):
            part = messages[start:start + TOGETHER]
            await memory.add_many(part, space=space)
            file.write("".join(f"{message.external_id}\n" for message in part))
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())


@contextmanager
def small_batches() -> Iterator[None]:
    """The organiser files few messages at once meanwhile."""
    usual, organizing.BATCH = organizing.BATCH, BATCH
    try:
        yield
    finally:
        organizing.BATCH = usual


class Transactions(logging.Handler):
    """Tells of each transaction that was committed."""

    def __init__(self, tell: Callable[[], object]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """The store logs one line a transaction."""
        if record.getMessage() == "write":
            self._tell()


@contextmanager
def counted(tell: Callable[[], object]) -> Iterator[None]:
    """Call this after each transaction of this process."""
    store = logging.getLogger("trace_graph.store.connection")
    handler, level = Transactions(tell), store.level
    store.addHandler(handler)
    store.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        store.removeHandler(handler)
        store.setLevel(level)


async def be_victim(chosen: argparse.Namespace) -> None:
    """What the process does."""

    def clock() -> datetime:
        return utc_now() + timedelta(seconds=chosen.ahead)

    async with Memory(clock=clock) as memory:
        await memory.stats(space=chosen.space)
        print("ready", flush=True)
        with counted(partial(print, "written", flush=True)), small_batches():
            if chosen.job == "import":
                await add_all(memory, chosen.space, read_corpus(chosen.corpus), chosen.acknowledged)
            else:
                await memory.organize(space=chosen.space)
    print("done", flush=True)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.kill_victim", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("job", choices=["import", "organize"])
    parser.add_argument("--space", required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--acknowledged", type=Path)
    parser.add_argument("--ahead", type=float, default=0.0, help="seconds by which its clock is ahead")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(be_victim(arguments()))
