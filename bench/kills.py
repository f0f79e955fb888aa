"""Is anything lost, or half there, when the writer, the engine or both are killed at random moments?

    python -m bench.kills --engine arcadedb|neo4j-5.26|neo4j-2026 [--times 30] [--seed 0] [--messages 240]

A conversation is imported and organised by a process that is killed (kill -9), alone or together with the engine, or
whose engine is killed. After each kill whatever was acknowledged must be there, nothing in part, the places of each
session without a gap, the ledger whole. In the end what the space holds must equal what an undisturbed run made of it.
Four kills make a cycle, each cycle a fresh space; one that came after the work was done does not count. The exit code
is 1 where anything is lost, half there or different, or fewer kills came in time than were asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bench.canonical import Content, content_of, differences, faults, read_graph
from bench.circumstances import circumstances
from bench.kill_engines import KilledEngine, environment, own_engine
from bench.kill_victim import add_all, corpus, counted, small_batches, write_corpus
from tests.engines.releases import RELEASES
from trace_graph import Memory
from trace_graph.bench.engine import engine_title
from trace_graph.models import uuid7
from trace_graph.organize.lease import LENGTH

Job = Literal["import", "organize"]
Target = Literal["writer", "engine", "both"]
JOBS: tuple[Job, ...] = ("import", "organize")
TARGETS: tuple[Target, ...] = ("writer", "engine", "both")
OF_A_CYCLE = 2
"""Kills of each job in one cycle."""
MOST_CYCLES = 3
"""Times as many cycles as needed are tried, since some kills come too late."""
MOST_GIVEN_UP = 10
"""Writers that may give up in one trial."""
AHEAD = LENGTH.total_seconds() + 1
"""Seconds by which the clock of each next writer is ahead of the last one's: a dead organiser's lease has expired."""


@dataclass(frozen=True)
class Kill:
    """One kill that is to be."""

    job: Job
    target: Target
    moment: float
    """After the writer is ready, or went on after the last kill: as a share of the transactions of the undisturbed job.
    What is left of it over whole transactions is a share of the time of one."""


@dataclass
class Outcome:
    """What came of all kills."""

    killed: Counter[str] = field(default_factory=Counter)
    """By job and target; those that came in time."""
    late: int = 0
    cycles: int = 0
    faults: list[str] = field(default_factory=list)
    """Anything lost, in part or different."""
    gave_up: list[str] = field(default_factory=list)
    """What writers said that ended before their work was done, without being killed; another one took it up."""


@dataclass(frozen=True)
class Pace:
    """How fast a job was done undisturbed."""

    transactions: int
    seconds: float

    def until(self, moment: float) -> tuple[int, float]:
        """The transactions that come before a moment, and the seconds after the last of them."""
        whole, rest = divmod(moment * self.transactions, 1.0)
        return int(whole), rest * self.seconds / self.transactions


@dataclass(frozen=True)
class Reference:
    """The undisturbed run."""

    content: Content
    pace: dict[Job, Pace]


def drawn(count: int, seed: int, targets: Sequence[Target] = TARGETS) -> list[Kill]:
    """The kills of a seed; jobs in turn, targets in turn within a job, moments at random."""
    chance = random.Random(seed)
    return [
        Kill(JOBS[place % 2], targets[(place // 2) % len(targets)], chance.uniform(0.02, 0.9 / OF_A_CYCLE))
        for place in range(count)]


class Trial:
    """The kills on one engine, in spaces that all get the same messages."""

    def __init__(self, engine: KilledEngine, folder: Path, messages: int, seed: int) -> None:
        self.outcome = Outcome()
        self._engine, self._folder = engine, folder
        self._messages = corpus(messages, seed)
        self._corpus = folder / "corpus.jsonl"
        write_corpus(self._corpus, self._messages)

    async def undisturbed(self) -> Reference:
        """Import and organise without any kill."""
        space, pace = f"undisturbed-{uuid7()[-8:]}", {}
        async with Memory(settings=self._engine.settings) as memory:
            await memory.create_space(space)
            with small_batches():
                for job in JOBS:
                    written: list[Job] = []
                    began = time.monotonic()
                    with counted(lambda: written.append(job)):  # noqa: B023 (gone before the next turn)
                        await self._do(job, memory, space)
                    pace[job] = Pace(len(written), time.monotonic() - began)
            graph = await read_graph(memory, space)
        content = content_of(graph)
        self.outcome.faults += faults(graph, content, {str(one.external_id) for one in self._messages})
        return Reference(content, pace)

    async def _do(self, job: Job, memory: Memory, space: str) -> None:
        if job == "import":
            await add_all(memory, space, self._messages, self.acknowledged(space))
        else:
            await memory.organize(space=space)

    async def cycle(self, kills: Sequence[Kill], reference: Reference) -> list[Kill]:
        """One space with these kills; returns those that came too late."""
        self.outcome.cycles += 1
        space = f"killed-{uuid7()[-8:]}"
        async with Memory(settings=self._engine.settings) as memory:
            await memory.create_space(space)
        cycle = _Cycle(self, space, reference)
        late = [kill for job in JOBS for kill in await cycle.carry_through(
            job, [kill for kill in kills if kill.job == job])]
        await cycle.look("at the end")
        async with Memory(settings=self._engine.settings) as memory:
            found = content_of(await read_graph(memory, space))
        self.outcome.faults += [f"{space}: {line}" for line in differences(found, reference.content)]
        self.outcome.late += len(late)
        return late

    def writer(self, job: Job, space: str, starts: int) -> Writer:
        """A process that is about to do this job."""
        return Writer(
            [job, "--space", space, "--corpus", str(self._corpus), "--acknowledged", str(self.acknowledged(space)),
             "--ahead", str(AHEAD * starts)], environment(self._engine.settings))

    def acknowledged(self, space: str) -> Path:
        """The file with the ids that a writer of this space was told of."""
        return self._folder / f"acknowledged-{space}"

    async def strike(self, kill: Kill, writer: Writer) -> None:
        """Kill what is to be killed, and have the engine run again."""
        if kill.target != "engine":
            await writer.kill()
        if kill.target != "writer":
            await self._engine.kill()
            await self._engine.revive()
        self.outcome.killed[f"{kill.job}: {kill.target}"] += 1

    async def faults_of(self, space: str, reference: Reference) -> list[str]:
        """What is wrong with a space that is being filled."""
        noted = self.acknowledged(space)
        acknowledged = set(noted.read_text().splitlines()) if noted.exists() else set()
        async with Memory(settings=self._engine.settings) as memory:
            return faults(await read_graph(memory, space), reference.content, acknowledged)


@dataclass
class _Cycle:
    """One space on its way."""

    trial: Trial
    space: str
    reference: Reference
    starts: int = 0

    async def carry_through(self, job: Job, kills: list[Kill]) -> list[Kill]:
        """Do the job with these kills, to its end; returns those that came too late."""
        waiting = list(kills)
        while True:
            self.starts += 1
            writer = self.trial.writer(job, self.space, self.starts)
            async with writer:
                while waiting and await writer.still_works_after(
                        *self.reference.pace[job].until(waiting[0].moment)):
                    kill = waiting.pop(0)
                    await self.trial.strike(kill, writer)
                    if kill.target != "engine":
                        break
                else:
                    if await self._done(writer, job):
                        return waiting
                    continue
            await self.look(f"{job}, {kill.target} killed")

    async def _done(self, writer: Writer, job: Job) -> bool:
        """Wait for the end of a writer; False where it gave up, as it may once the engine is away for long."""
        said = await writer.end()
        if said:
            self.trial.outcome.gave_up.append(f"{self.space}, {job}: {said}")
            if len(self.trial.outcome.gave_up) > MOST_GIVEN_UP:
                raise ChildProcessError(f"Writers give up again and again: {said}")
        return not said

    async def look(self, when: str) -> None:
        """Note what is wrong now."""
        found = await self.trial.faults_of(self.space, self.reference)
        self.trial.outcome.faults += [f"{self.space}, {when}: {line}" for line in found]


class Writer:
    """The process that writes; leaving the context ends it."""

    def __init__(self, arguments: Sequence[str], variables: dict[str, str]) -> None:
        self._arguments, self._variables = arguments, variables
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Writer:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.kill_victim", *self._arguments, env=self._variables,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        await self._line()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def still_works_after(self, transactions: int, seconds: float) -> bool:
        """Wait for so many transactions, then so long; tell whether it has not ended by then."""
        for _ in range(transactions):
            if await self._line() != b"written\n":
                return False
        try:
            async with asyncio.timeout(seconds):
                await self._running.wait()
        except TimeoutError:
            return True
        return False

    async def kill(self) -> None:
        """End it with SIGKILL; nothing where it has ended."""
        if self._running.returncode is None:
            self._running.kill()
        await self._running.communicate()

    async def end(self) -> str:
        """Wait until it has done its work; the last line of what it complained of, where it has not."""
        _, complaint = await self._running.communicate()
        if self._running.returncode == 0:
            return ""
        return (complaint.decode().strip().splitlines() or [f"exit {self._running.returncode}"])[-1]

    @property
    def _running(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process

    async def _line(self) -> bytes:
        assert self._running.stdout is not None
        return await self._running.stdout.readline()


async def tried(engine: KilledEngine, kills: Sequence[Kill], *, messages: int, seed: int) -> Outcome:
    """All these kills on an engine; those that come too late are tried again in a further cycle."""
    with tempfile.TemporaryDirectory(prefix="trace-graph-kills-") as folder:
        trial = Trial(engine, Path(folder), messages, seed)
        reference = await trial.undisturbed()
        waiting, said = list(kills), set[str]()
        most = MOST_CYCLES * (1 + len(kills) // (2 * OF_A_CYCLE))
        while waiting and trial.outcome.cycles < most:
            of_jobs = [[kill for kill in waiting if kill.job == job][:OF_A_CYCLE] for job in JOBS]
            now = [kill for part in of_jobs for kill in part]
            waiting = [kill for kill in waiting if not any(kill is one for one in now)]
            waiting += await trial.cycle(now, reference)
            told = trial.outcome.faults + trial.outcome.gave_up
            print(*(f"{line}\n" for line in told if line not in said), sep="", end="", file=sys.stderr)
            said.update(told)
            print(f"cycle {trial.outcome.cycles}: {trial.outcome.killed.total()} kills, {trial.outcome.late} too late, "
                  f"{len(trial.outcome.faults)} faults", file=sys.stderr, flush=True)
        return trial.outcome


async def measure(kind: str, times: int, messages: int, seed: int) -> dict[str, Any]:
    """Everything, on an engine of our own."""
    began = time.monotonic()
    async with own_engine(kind) as engine:
        about = circumstances(await engine_title(engine.settings), engine.settings.embedder)
        outcome = await tried(engine, drawn(times, seed), messages=messages, seed=seed)
    return {"circumstances": about, "messages": messages, "seed": seed, "seconds": round(time.monotonic() - began, 1),
            **vars(outcome)}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.kills", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engine", choices=["arcadedb", *RELEASES], required=True)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--messages", type=int, default=600)
    parser.add_argument("--out", type=Path, help="a file for the outcome, as JSON")
    return parser.parse_args()


def main() -> int:
    """The exit code: 1 where anything is wrong, or fewer kills came in time than were asked for."""
    chosen = arguments()
    measured = asyncio.run(measure(chosen.engine, chosen.times, chosen.messages, chosen.seed))
    print(json.dumps(measured, indent=1))
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 1 if measured["faults"] or sum(measured["killed"].values()) < chosen.times else 0


if __name__ == "__main__":
    sys.exit(main())
