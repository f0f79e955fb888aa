"""Which arrays a safetensors file holds.

Source of the format: https://huggingface.co/docs/safetensors (8 bytes of length, a JSON header, the arrays).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trace_graph.errors import ConfigError

TYPES = {"I8": "<i1", "I32": "<i4", "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
LONGEST_HEADER = 100_000_000
"""Bytes. Source: the reference implementation's own limit."""

MODEL_FOLDER = "Give the folder of a static model, with model.safetensors and tokenizer.json."
AGAIN = "Copy the model's folder again: the file is damaged or not a safetensors file."


class Tensor(NamedTuple):
    """Where one array lies in the file."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    """Byte of the file at which it begins."""


def tensors_of(path: Path) -> dict[str, Tensor]:
    """Read the header: the arrays by their names. Reads a few kilobytes, whatever the size of the file.

    Raises: ConfigError where the file cannot be read or does not hold what its header promises.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            length = int.from_bytes(file.read(8), "little")
            if length > min(size, LONGEST_HEADER):
                raise ConfigError(f"{path} is not a safetensors file.", fix=AGAIN)
            header = json.loads(file.read(length))
            entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
            return {name: _tensor(entry, 8 + length, size) for name, entry in entries.items()}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", fix=MODEL_FOLDER) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path} is not a whole safetensors file.", fix=AGAIN) from error


def read(path: Path, tensor: Tensor) -> NDArray[Any]:
    """Map the array into memory, read only: processes share the pages, and untouched rows are never read."""
    if 0 in tensor.shape:
        return np.zeros(tensor.shape, dtype=tensor.dtype)
    mapped = np.memmap(path, dtype=tensor.dtype, mode="r", offset=tensor.start, shape=tensor.shape)
    return mapped.view(np.ndarray)


def _tensor(entry: dict[str, Any], data_start: int, file_size: int) -> Tensor:
    start, end = entry["data_offsets"]
    dtype, shape = TYPES.get(entry["dtype"], ""), tuple(int(count) for count in entry["shape"])
    if not dtype:
        return Tensor("", shape, data_start + start)
    expected = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if not 0 <= start <= end or end - start != expected or data_start + end > file_size:
        raise ValueError("the header and the length of the file do not agree")
    return Tensor(dtype, shape, data_start + start)
