"""A small made-up conversation on six subjects, for what is filed, summarised and found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from trace_graph.models import MessageInput

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)

EVERYTHING = (
    "Petrel — a “boat”\r\n\tat 北京, naïve café (e\u0301), שלום עולם, مرحبا, 👨\u200d👩\u200d👧 "
    "\U0001f3f4\u200d☠️\u2028end \\ \" ' ` ${x} {y} \x07"
)
"""Scripts, directions, line ends, quotes and invisible characters that have broken somebody's store."""

SUBJECTS: dict[str, tuple[str, ...]] = {
    "bread": (
        "I baked a sourdough loaf with rye flour this morning.",
        "Did the rye sourdough rise well in the oven?",
        "Yes, the crust of the loaf was dark and the crumb open.",
        "My starter needs flour and water every day.",
        "For the next loaf I will bake with spelt flour.",
        "Spelt dough is sticky, so wet your hands before you shape the loaf.",
        "The baker in our street sells rye bread on Fridays.",
        "Warm bread with butter is the best breakfast.",
    ),
    "boat": (
        "We launched the sailing boat Petrel in the harbour on Sunday.",
        "Is the Petrel moored at berth twelve again?",
        "Yes, the harbour master gave us berth twelve for the summer.",
        "The mainsail has a tear, the sailmaker will mend it.",
        "With a north wind we can sail to Bergen in two days.",
        "The anchor chain is rusty and must be replaced before we sail.",
        "Our boat needs a new coat of blue paint below the waterline.",
        "The harbour was full of boats during the regatta.",
    ),
    "doctor": (
        "The doctor says my blood pressure is too high.",
        "Which pills did the doctor prescribe for your blood pressure?",
        "One small pill every morning, and a check-up at the clinic in May.",
        "The nurse at the clinic took two blood samples.",
        "I am allergic to penicillin, so the doctor chose another medicine.",
        "Please tell every hospital about the penicillin allergy.",
        "My knee hurts after running, the physiotherapist calls it a strain.",
        "The physiotherapist showed me three exercises for the knee.",
    ),
    "garden": (
        "The tomatoes in the greenhouse are finally turning red.",
        "How often do you water the tomatoes?",
        "Every evening, and the cucumbers beside them as well.",
        "Slugs ate all the lettuce in the garden last night.",
        "I planted two apple trees behind the greenhouse.",
        "Apple trees need four years before they bear fruit.",
        "The compost heap in the garden is steaming.",
        "We will plant garlic and onions in October.",
    ),
    "work": (
        "Our team released the new billing software on Tuesday.",
        "Did the billing release break anything for the customers?",
        "One customer got the same invoice twice, we fixed the bug in an hour.",
        "My manager wants a report about the invoices by Monday.",
        "The database migration for the billing software took all night.",
        "We are hiring two engineers for the billing team.",
        "The office moves to the fourth floor in June.",
        "My colleague Ines leads the project meeting every Thursday.",
    ),
    "music": (
        "I play the cello in the city orchestra now.",
        "Which symphony is the orchestra rehearsing?",
        "A symphony by Dvorak, and a cello concerto by Elgar.",
        "The concert is in the town hall on the third of May.",
        "My cello needs new strings before the concert.",
        "The conductor shouted at the violins during rehearsal.",
        "Tickets for the concert cost twenty euros.",
        "After the concert the whole orchestra went dancing.",
    ),
}


def conversation(subjects: Sequence[str] = tuple(SUBJECTS)) -> list[MessageInput]:
    """Eight turns of Mira and Tomas on each subject, each in its session, on its day; ids name subject and turn."""
    return [
        MessageInput(
            text=text,
            author=("Mira", "Tomas")[turn % 2],
            session=f"about {subject}",
            at=START + timedelta(days=day, minutes=turn),
            external_id=f"{subject}:{turn}",
        )
        for day, subject in enumerate(subjects)
        for turn, text in enumerate(SUBJECTS[subject])
    ]
