"""Does the check of summaries find what no source has, and does it leave alone what one has?

    python -m bench.grounding [--data locomo10.json] [--samples conv-26 ...]

LoCoMo's own summaries of its sessions, sentence by sentence, against the messages of the session. As they are, what the
check finds is a false alarm (or a fault of that summary: the figure is an upper bound). Then a name, a number or a date
that the check had found in the sources is replaced by another one, and the check must name it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.locomo import default_file, messages
from trace_graph.models import MessageInput
from trace_graph.organize.grounded_dates import absolute_dates
from trace_graph.organize.grounding import Grounds, Source
from trace_graph.organize.words import shipped_lexicon

SEED = 10
STRANGERS = ("Xavier", "Priya", "Bergen", "Denmark", "Oleander", "Zhang", "Marguerite", "Acme", "Kowalski", "Tallinn")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_OPENING_NAME = re.compile(r"^[A-Z][a-z]{2,}")
_NUMBER = re.compile(r"\b(?:[2-9]|1[0-9]|[2-9][0-9]|two|three|four|five|six|seven|eight|nine|ten)\b")


@dataclass(frozen=True)
class Planted:
    """A sentence with one fault in it."""

    kind: str
    text: str
    fault: str


def sentences(file: Path, samples: Sequence[str] | None) -> Iterator[tuple[str, str, str]]:
    """Sample, session and sentence of every session's summary."""
    for sample in json.loads(file.read_text(encoding="utf-8")):
        if samples and sample["sample_id"] not in samples:
            continue
        for name, text in sample["session_summary"].items():
            number = re.findall(r"\d+", name)[0]
            for sentence in _SENTENCE.split(text):
                yield sample["sample_id"], number, sentence.strip()


def said_in(file: Path, sample: str) -> Mapping[str, list[MessageInput]]:
    """The messages of a sample by the number of their session."""
    found: dict[str, list[MessageInput]] = defaultdict(list)
    for message in messages(file, [sample]):
        session = re.findall(r":D(\d+):", str(message.external_id))[0]
        found[session].append(message)
    return found


def planted(sentence: str, draw: random.Random) -> Iterator[Planted]:
    """The sentence with one name, one name at its beginning, one number and one date replaced, where it has them."""
    stranger = draw.choice(STRANGERS)
    dates = absolute_dates(sentence)
    inside = [(one.start, one.end) for one in dates]
    for kind, pattern in (("name inside", _NAME), ("name at the beginning", _OPENING_NAME), ("number", _NUMBER)):
        places = [one for one in pattern.finditer(sentence) if not any(a <= one.start() < b for a, b in inside)]
        if places:
            one = draw.choice(places)
            fault = stranger if kind != "number" else str(draw.randint(2, 40))
            yield Planted(kind, sentence[:one.start()] + fault + sentence[one.end():], fault)
    if dates:
        date = draw.choice(dates)
        month = draw.choice(["January", "March", "May", "July", "September", "November"])
        fault = f"{draw.randint(1, 28)} {month} {draw.choice([2022, 2023])}"
        yield Planted("date", sentence[:date.start] + fault + sentence[date.end:], fault)


def measure(file: Path, samples: Sequence[str] | None) -> dict[str, Any]:
    """Counts by kind of fault, and what was named in sentences as they are."""
    draw, lexicon = random.Random(SEED), shipped_lexicon()
    grounds: dict[tuple[str, str], Grounds] = {}
    counts: Counter[str] = Counter()
    alarms: list[str] = []
    for sample, session, sentence in sentences(file, samples):
        if (sample, session) not in grounds:
            grounds |= {
                (sample, number): Grounds(
                    [Source(one.text, str(one.author), _at(one)) for one in said], lexicon)
                for number, said in said_in(file, sample).items()}
        known = grounds[sample, session]
        lacking = known.lacking(sentence)
        counts["sentences"] += 1
        counts["false alarms"] += bool(lacking)
        counts["of them only for the time of day"] += bool(lacking) and all(":" in one for one in lacking)
        alarms += lacking
        for fault in planted(sentence, draw):
            if not known.lacking(fault.fault):
                continue  # by chance it is no fault: the sources have it
            counts[f"{fault.kind}: planted"] += 1
            counts[f"{fault.kind}: found"] += any(
                one in fault.fault or fault.fault in one for one in known.lacking(fault.text) if one not in lacking)
    return {"counts": dict(counts), "alarms": Counter(alarms).most_common(40)}


def _at(message: MessageInput) -> datetime:
    """LoCoMo's times have no offset: UTC, as the import reads them."""
    at = message.at if isinstance(message.at, datetime) else datetime.fromisoformat(str(message.at))
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def main(given: Sequence[str] | None = None) -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(prog="python -m bench.grounding", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=default_file())
    parser.add_argument("--samples", nargs="*")
    chosen = parser.parse_args(given)
    found = measure(chosen.data, chosen.samples)
    counts = found["counts"]
    print(f"sentences {counts['sentences']}, with a false alarm {counts['false alarms']}, "
          f"{counts['of them only for the time of day']} of them only for the time of day")
    for kind in ("name inside", "name at the beginning", "number", "date"):
        print(f"{kind}: {counts.get(f'{kind}: found', 0)} of {counts.get(f'{kind}: planted', 0)} planted faults found")
    print("named in sentences as they are:", ", ".join(f"{name} ({count})" for name, count in found["alarms"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
