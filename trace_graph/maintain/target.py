"""The file or stream that an export is written to."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, BinaryIO

from trace_graph.errors import InvalidInput, NotFound


class Target:
    """Where an export goes. A file is there, or replaced, only once it is complete; only its owner may read it."""

    def __init__(self, out: Path | BinaryIO) -> None:
        self._path = out if isinstance(out, Path) else None
        self._given = None if isinstance(out, Path) else out
        self._part: Path | None = None
        self._kept = False

    @property
    def folder(self) -> Path | None:
        """Where there is room for a copy: beside the file; None for the system's own place."""
        return self._path.parent if self._path is not None else None

    def __enter__(self) -> Target:
        if self._path is None:
            assert self._given is not None
            self.stream: IO[bytes] = self._given
            return self
        if self._path.is_dir():
            raise InvalidInput(f"{self._path} is a folder.", fix="Name a file in it.")
        try:
            self.stream = tempfile.NamedTemporaryFile(
                dir=self._path.parent, prefix=f".{self._path.name}.", suffix=".part", delete=False)
        except FileNotFoundError as error:
            raise NotFound(
                f"There is no folder {self._path.parent}.", fix="Create it, or name another file.") from error
        except OSError as error:
            raise InvalidInput(
                f"{self._path} cannot be written: {error.strerror}.", fix="Name another file.") from error
        self._part = Path(self.stream.name)
        return self

    def keep(self) -> None:
        """The file is complete."""
        self._kept = True

    def __exit__(self, *_: object) -> None:
        if self._part is None or self._path is None:
            return
        self.stream.close()
        if self._kept:
            self._part.replace(self._path)
        else:
            self._part.unlink(missing_ok=True)
