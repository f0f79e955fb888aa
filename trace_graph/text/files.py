"""How a file that somebody names is opened."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from trace_graph.errors import InvalidInput, NotFound


def open_file(path: Path) -> BinaryIO:
    """The file, open for reading its bytes.

    Raises: NotFound where there is no such file, InvalidInput where it cannot be read.
    """
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path}.", fix="Check the path.") from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", fix="Name a file that you may read.") from error
