"""trace_graph/sync.py is what its generator makes of the async door."""

from __future__ import annotations

import inspect

from tools.generate_sync import SYNC, generated
from trace_graph.memory import Memory as AsyncMemory
from trace_graph.sync import Memory


def test_the_generated_file_is_current() -> None:
    assert SYNC.read_text(encoding="utf-8") == generated(), "run: python tools/generate_sync.py"


def test_both_doors_have_the_same_verbs_with_the_same_signatures() -> None:
    def verbs(door: type) -> dict[str, inspect.Signature]:
        return {
            name: inspect.signature(value) for name, value in vars(door).items()
            if inspect.isfunction(value) and (name == "__init__" or not name.startswith("_"))}

    assert verbs(Memory) == verbs(AsyncMemory)
    assert not any(inspect.iscoroutinefunction(value) for value in vars(Memory).values())
