"""Five tasks that interleave, as messages whose subjects are known: made to measure the tree, not to please it.

The subjects of a task share words, subjects of different tasks share words, a sixth of the messages holds no word of
its subject at all, subjects come back after weeks, and people digress in the middle of a run. The same seed gives the
same messages.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MESSAGES = 1_000
TUNE_SEEDS = (1, 2, 3)
"""What settings were chosen on."""
REPORT_SEEDS = (11, 12, 13, 14, 15)
"""What figures are reported of."""
START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
PEOPLE = ("Mira", "Tomas", "Ilse")

TASKS: dict[str, tuple[str, dict[str, str]]] = {
    "sailing": ("boat harbour crew weather voyage island tide deck", {
        "engine": "diesel propeller filter oil pump gearbox cooling injector",
        "sails": "mainsail genoa stitching canvas reef batten sailmaker spinnaker",
        "route": "chart waypoint strait current anchorage lighthouse passage compass",
        "food": "galley stove provisions tins potatoes water tank menu",
        "berth": "marina pontoon mooring fee contract winter cradle crane",
    }),
    "flat": ("flat rooms landlord neighbour building floor key move", {
        "kitchen": "cupboard worktop oven tiles sink dishwasher drawer tap",
        "damp": "mould wall plaster ventilation humidity stain dryer leak",
        "lease": "rent deposit notice contract clause tenant lawyer signature",
        "furniture": "sofa shelf wardrobe table carpet lamp curtain mattress",
        "heating": "boiler radiator thermostat gas pump insulation bill pipe",
    }),
    "software": ("release team customer code server ticket version bug", {
        "billing": "invoice payment currency tax rounding refund subscription receipt",
        "search": "index query ranking synonym latency relevance shard filter",
        "login": "password token session browser cookie permission account lockout",
        "reports": "chart export spreadsheet column dashboard totals printer layout",
        "migration": "database table schema backup rollback replica lock script",
    }),
    "marathon": ("run training race kilometre coach legs pace morning", {
        "injury": "knee tendon physiotherapist pain swelling ice stretching doctor",
        "shoes": "sole cushioning laces size blister socks brand heel",
        "diet": "pasta protein water breakfast gel sugar weight menu",
        "course": "hill bridge start finish route crowd cobbles map",
        "schedule": "interval rest week long tempo calendar plan watch",
    }),
    "museum": ("museum exhibition visitors gallery curator opening collection director", {
        "loans": "lender insurance crate courier contract customs painting condition",
        "catalogue": "photograph essay printer proof layout index caption paper",
        "lighting": "lamp lux spotlight shade bulb cable ceiling dimmer",
        "budget": "grant sponsor invoice deposit costs donation accountant total",
        "workshop": "children clay kiln apron glaze table brush teacher",
    }),
}
"""Words of each task, and of each of its subjects. Some words stand with several subjects."""
EVERYDAY = (
    "today", "tomorrow", "week", "Friday", "meeting", "list", "question", "idea", "friend", "money", "time", "price",
    "call", "email", "answer", "problem", "place", "help", "start", "end", "number", "work", "weekend", "evening",
    "half", "morning")
FRAMES = (
    "I looked at the {} and the {} {}.", "Can you ask about the {} before {}?", "We need {} and {} for the {}.",
    "The {} is late because of the {}, so the {} has to wait.", "{} said that the {} costs more than the {}.",
    "What about the {} and the {}?", "I think the {} was better than the {} {}.", "No {} without {}, I am afraid.",
    "They promised the {} for {}, with a new {}.", "My notes say {}, {} and {}.",
)
EMPTY = (
    "Yes, that works for me.", "Good, let us do it like that.", "I will write to you tomorrow.", "Why not?",
    "Sorry, I was late, what did I miss?", "That is too expensive, I think.", "Ha, I thought so.",
    "Can we talk about it on Friday?", "Thank you, that helps a lot.", "I am not sure about that.",
)


@dataclass(frozen=True)
class Said:
    """One message, and what it is about."""

    text: str
    author: str
    session: str
    at: datetime
    task: str
    subject: str
    """`TASK/SUBJECT`; of a message in a digression: that of the digression."""


def interleaved(seed: int, messages: int = MESSAGES) -> list[Said]:
    """The messages in their order, in sessions of 20 to 40."""
    return _Writer(random.Random(seed), messages).write()


@dataclass
class _Writer:
    chance: random.Random
    wanted: int

    def write(self) -> list[Said]:
        said: list[Said] = []
        now, session = START, 0
        while len(said) < self.wanted:
            session += 1
            now += timedelta(hours=self.chance.randint(8, 70))
            end = min(self.wanted, len(said) + self.chance.randint(20, 40))
            # A session has two to four tasks in turn, and comes back to each.
            tasks = self.chance.sample(sorted(TASKS), self.chance.randint(2, 4))
            subjects = {task: self._subject(task) for task in tasks}
            while len(said) < end:
                task = self.chance.choice(tasks)
                if self.chance.random() < 0.25:
                    subjects[task] = self._subject(task)
                for _ in range(min(self.chance.randint(3, 9), end - len(said))):
                    now += timedelta(minutes=self.chance.randint(1, 6))
                    said.append(self._message(task, subjects[task], f"session {session}", now))
        return said

    def _subject(self, task: str) -> str:
        return self.chance.choice(sorted(TASKS[task][1]))

    def _message(self, task: str, subject: str, session: str, at: datetime) -> Said:
        if self.chance.random() < 0.07:
            task = self.chance.choice(sorted(TASKS))
            subject = self._subject(task)
        empty = self.chance.random() < 0.16
        sentences = [self._sentence(task, subject) for _ in range(self.chance.randint(1, 3))]
        text = self.chance.choice(EMPTY) if empty else " ".join(sentences)
        return Said(text, self.chance.choice(PEOPLE), session, at, task, f"{task}/{subject}")

    def _sentence(self, task: str, subject: str) -> str:
        frame = self.chance.choice(FRAMES)
        return frame.format(*(self._word(task, subject) for _ in range(frame.count("{}")))).capitalize()

    def _word(self, task: str, subject: str) -> str:
        shared, subjects = TASKS[task]
        drawn = self.chance.random()
        if drawn < 0.50:
            return self.chance.choice(subjects[subject].split())
        if drawn < 0.72:
            return self.chance.choice(shared.split())
        if drawn < 0.95:
            return self.chance.choice(EVERYDAY)
        other = self.chance.choice(sorted(TASKS))
        return self.chance.choice(TASKS[other][1][self._subject(other)].split())
