"""How topics are worded without a model: what their wordings are, once messages and children are read. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trace_graph.models import RevisionId, TopicId
from trace_graph.organize.due import Standing
from trace_graph.organize.model_wording import Job
from trace_graph.organize.summaries import ChildSummary, Draft, parent_draft
from trace_graph.organize.titles import Background, Phrases, title
from trace_graph.organize.wording import Current, Wording
from trace_graph.organize.words import Lexicon
from trace_graph.store.rows import Row


@dataclass(frozen=True)
class Read:
    """What is known of a stale leaf once its messages were read: all of its wording but the title."""

    phrases: Phrases
    draft: Draft
    said_first: str
    job: Job | None
    """What the model is to be asked; None where it is not, for now."""


@dataclass(frozen=True)
class Below:
    """The children of a topic, and what follows from their wording."""

    children: Sequence[Row]
    phrases: Phrases
    job: Job | None


class Titles:
    """Titles that siblings have, so that no two of one parent read the same."""

    def __init__(self, parent_of: dict[str, str], titles: dict[str, str]) -> None:
        self._parent_of = parent_of
        self._titles = titles

    def others(self, topic: str) -> list[str]:
        """The titles of the topic's siblings."""
        parent = self._parent_of.get(topic)
        return [
            name for other, name in sorted(self._titles.items())
            if other != topic and name and self._parent_of[other] == parent]

    def now(self, topic: str, name: str) -> None:
        """This topic is called so from now on."""
        self._titles[topic] = name


def leaf_wordings(
    rows: Sequence[Row], read: Mapping[TopicId, Read], background: Background, taken: Titles, lexicon: Lexicon
) -> list[Wording]:
    """Leaves as their messages word them; each title is taken from then on."""
    wordings = []
    for row in rows:
        one = read[row["id"]]
        name = title(
            one.phrases, background.less(one.phrases), lexicon, taken=taken.others(row["id"]), otherwise=one.said_first)
        taken.now(row["id"], name)
        wordings.append(Wording(
            row["id"], replace(one.draft, title=name), current_of(row), from_messages=True,
            message_count=row["message_count"]))
    return wordings


def parent_wordings(
    rows: Sequence[Row], below_of: Mapping[TopicId, Below], background: Background, taken: Titles, *,
    lexicon: Lexicon, space_name: str,
) -> list[Wording]:
    """Parents as their children word them; each title is taken from then on."""
    wordings = []
    for row in rows:
        below, own = below_of[row["id"]].children, below_of[row["id"]].phrases
        name = space_name
        if row["kind"] != "root":
            name = title(
                own, background.less(own), lexicon, taken=taken.others(row["id"]),
                otherwise=below[0]["title"] if below else "")
            taken.now(row["id"], name)
        draft = parent_draft(name, [_child_summary(child) for child in below if child["revision"]])
        wordings.append(Wording(
            row["id"], draft, current_of(row), from_messages=False, message_count=row["message_count"]))
    return wordings


def current_of(row: Row) -> Current | None:
    """The current revision in a row of `stale_topics`."""
    if row["revision"] is None:
        return None
    return Current(RevisionId(row["revision"]), row["number"], row["title"], row["text"])


def standing_of(row: Row) -> Standing:
    """How the wording stands in a row of `stale_topics`."""
    return Standing(
        row["method"], row["message_count"], row["worded_count"], row["word_at"], row["failed"] or 0)


def _child_summary(row: Row) -> ChildSummary:
    return ChildSummary(
        TopicId(row["id"]), RevisionId(row["revision"]), row["title"], row["text"], row["message_count"],
        # What a model wrote of a parent is no list of titles.
        inner=(row["child_count"] or 0) > 0 and row["method"] == "extractive")
