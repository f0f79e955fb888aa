"""The folder of a run: what is done so far, so that a run that was broken off goes on where it was.

`run.json` says which run it is, `progress.jsonl` holds a line for each space that was filled and each question that was
asked; both are gone when `results.json` is there. `memory/` is the embedded engine's, where the run has one of its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict

from trace_graph.bench.results import PoolResult, QuestionResult, System
from trace_graph.errors import InvalidInput, Refused

RUN, PROGRESS, RESULTS, MEMORY, LOCK = "run.json", "progress.jsonl", "results.json", "memory", ".running.lock"


class Filled(BaseModel):
    """A space that was filled."""

    model_config = ConfigDict(extra="forbid")

    pool: PoolResult
    import_seconds: float | None
    organize_seconds: float | None


class Asked(BaseModel):
    """A question that was put to every system."""

    model_config = ConfigDict(extra="forbid")

    result: QuestionResult
    seconds: dict[System, float]


class RunFolder:
    """One run's folder, held by one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.filled: dict[str, Filled] = {}
        """By pool."""
        self.asked: dict[str, Asked] = {}
        """By question."""

    @property
    def memory(self) -> Path:
        """Where the embedded engine of the run keeps its files."""
        return self.folder / MEMORY

    def begin(self, identity: Mapping[str, Any], *, restart: bool) -> None:
        """Take up the run that was broken off here; otherwise begin a new one.

        Raises: Refused where the one that was broken off is another one.
        """
        run, progress = self.folder / RUN, self.folder / PROGRESS
        if run.exists() and not restart:
            self._refuse_another(json.loads(run.read_text(encoding="utf-8")), identity)
            self._read(progress)
            return
        shutil.rmtree(self.memory, ignore_errors=True)
        progress.unlink(missing_ok=True)
        _replace(run, json.dumps(identity, indent=1) + "\n")

    def add(self, line: Filled | Asked) -> None:
        """Remember what was done."""
        with (self.folder / PROGRESS).open("a", encoding="utf-8") as file:
            file.write(line.model_dump_json() + "\n")
        self._keep(line)

    def finish(self, results: str) -> Path:
        """Write the results and remove what only a further attempt would need; the file's path."""
        file = self.folder / RESULTS
        _replace(file, results)
        for name in (RUN, PROGRESS):
            (self.folder / name).unlink()
        shutil.rmtree(self.memory, ignore_errors=True)
        return file

    def _refuse_another(self, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        different = [name for name in wanted if there.get(name) != wanted[name]]
        if different:
            raise Refused(
                f"{self.folder} holds a run that was broken off, with another {' and '.join(different)}.",
                fix="Name another folder with --out, or begin anew with --restart.")

    def _read(self, progress: Path) -> None:
        if not progress.exists():
            return
        content = progress.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:  # killed while it was writing
            progress.write_bytes(whole)
        for line in whole.splitlines():
            self._keep((Asked if line.startswith(b'{"result"') else Filled).model_validate_json(line))

    def _keep(self, line: Filled | Asked) -> None:
        if isinstance(line, Asked):
            self.asked[line.result.id] = line
        else:
            self.filled[line.pool.name] = line


@contextmanager
def run_folder(folder: Path) -> Iterator[RunFolder]:
    """The folder, made where it is not there.

    Raises: Refused where another process works in it, InvalidInput where it cannot be written to.
    """
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise Refused(f"Another benchmark works in {folder}.", fix="Wait for it, or name another --out.") from error
    except OSError as error:
        raise InvalidInput(
            f"The folder {folder} cannot be written to: {error.strerror}.", fix="Name another --out.") from error
    try:
        yield RunFolder(folder)
    finally:
        lock.release()


def _replace(file: Path, content: str) -> None:
    """Write a file whole, or leave what was there."""
    new = file.with_suffix(".new")
    new.write_text(content, encoding="utf-8")
    new.replace(file)
