"""Which id a message gets whose source gives it none, so that a second import recognises it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from trace_graph.ingest.importers.lines import BadItem


class DerivedIds:
    """Ids for the messages of one file, from what each one holds.

    The same message again in the same file is another message, so an id counts how often it was seen before; a file
    that has grown gives its old messages the ids they had. Keeps about 100 bytes a distinct message.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._seen: Counter[int] = Counter()

    def of(self, *parts: object) -> str:
        """The id of the message that these parts (any JSON) make up; not the same twice.

        Raises: BadItem where they are nested too deeply.
        """
        try:
            text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
        except RecursionError as error:
            raise BadItem("nested too deeply.") from error
        digest = hashlib.sha256(text.encode()).digest()
        key = int.from_bytes(digest[:8])
        self._seen[key] += 1
        # 96 bits: two of a hundred million messages share an id with a chance of about 1 in 10^13.
        return f"{self._prefix}:{digest[:12].hex()}:{self._seen[key]}"
