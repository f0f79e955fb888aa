"""Topics and the tree, read from the graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from trace_graph.access.scopes import Scope
from trace_graph.errors import NotFound
from trace_graph.models import Revision, TopicDetail, TopicNode, TreeMessage
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row

TREE_MESSAGE = ("id", "external_id", "session", "seq", "author", "occurred_at", "text")
"""Columns of the query tree_messages, after the topic."""


async def paths_of_topics(store: Store, scope: Scope, topics: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Titles from below the root down to each topic, of now or of then; topics that cannot be seen are left out."""
    if not topics:
        return {}
    if scope.is_past:
        return await _paths_then(store, scope, topics)
    rows = await store.read("topic_paths", ids=sorted(topics), spaces=scope.ids)
    return {row["id"]: tuple(reversed(row["titles"])) for row in rows}


async def behind_of_topics(store: Store, scope: Scope, topics: Collection[str]) -> dict[str, int]:
    """How many messages were filed into topics since their current wording; nothing for a scope of the past."""
    if not topics or scope.is_past:
        return {}
    rows = await store.read("topics_behind", ids=sorted(topics), spaces=scope.ids)
    return {row["id"]: _behind(row) for row in rows}


async def topics_then(store: Store, scope: Scope, messages: Sequence[str]) -> dict[str, str]:
    """The topic in which each of these messages lay then; without those that waited."""
    rows = await store.read_lists("topics_then", ids=list(messages), spaces=scope.ids, bounds=scope.bounds)
    return dict(rows)


async def _paths_then(store: Store, scope: Scope, topics: Collection[str]) -> dict[str, tuple[str, ...]]:
    known: dict[str, Row] = {}
    wanted = set(topics)
    while wanted:  # one level of the tree a round
        rows = await store.read("titles_then", ids=sorted(wanted), spaces=scope.ids, bounds=scope.bounds)
        known.update({row["id"]: row for row in rows})
        wanted = {row["parent"] for row in rows if row["parent"] is not None} - known.keys()
    return {topic: _path_then(topic, known) for topic in topics if topic in known}


def _path_then(topic: str, known: Mapping[str, Row]) -> tuple[str, ...]:
    titles: list[str] = []
    row = known.get(topic)
    while row is not None and row["kind"] != "root":
        titles.append(row["title"])
        row = known.get(row["parent"])
    return tuple(reversed(titles))


async def read_tree(store: Store, scope: Scope, *, depth: int | None, messages: bool) -> TopicNode:
    """The tree of a space from its root, down to `depth` levels below it (None: all)."""
    space = scope.spaces[0]
    rows = await store.read("tree_topics", spaces=[space.id])
    children: dict[str | None, list[Row]] = defaultdict(list)
    for row in rows:
        children[row["parent"]].append(row)
    leaves: dict[str, list[TreeMessage]] = defaultdict(list)
    if messages:
        for topic, *said in await store.read_lists("tree_messages", spaces=[space.id]):
            leaves[topic].append(TreeMessage(**dict(zip(TREE_MESSAGE, said, strict=True))))
    root = next(row for row in rows if row["id"] == space.root)
    waiting = (await store.read("count_waiting", spaces=[space.id]))[0]["waiting"]
    return _node(root, children, leaves, depth).model_copy(update={"waiting": waiting})


def _node(
    row: Row, children: dict[str | None, list[Row]], leaves: dict[str, list[TreeMessage]], depth: int | None
) -> TopicNode:
    below = [] if depth == 0 else sorted(children[row["id"]], key=lambda one: (-one["message_count"], one["id"]))
    return TopicNode(
        id=row["id"], title=row["title"], status=row["status"], message_count=row["message_count"],
        summary=row["summary"], behind=_behind(row), failed_wordings=row["failed"] or 0,
        children=[_node(one, children, leaves, None if depth is None else depth - 1) for one in below],
        messages=sorted(leaves[row["id"]], key=lambda one: (one.occurred_at, one.session, one.seq)))


async def read_topic(store: Store, scope: Scope, topic: str, *, history: bool) -> TopicDetail:
    """One topic with its current summary, or with all of them.

    Raises: NotFound where there is none, or it must not be seen.
    """
    rows = await store.read("topic_revisions" if history else "topic_current", topic=topic, spaces=scope.ids)
    if not rows:
        raise NotFound(
            f"There is no topic {topic!r}.", fix="trace-graph tree --space S --ids lists the ids of its topics.")
    paths = await paths_of_topics(store, scope, [topic])
    revisions = [
        Revision.model_validate({
            "number": row["number"], "title": row["revision_title"], "text": row["text"], "method": row["method"],
            "recorded_at": row["recorded_at"], "retired_at": row["retired_at"], "from": row["sources"]})
        for row in rows if row["number"] is not None]
    current = next((revision for revision in revisions if revision.retired_at is None), None)
    return TopicDetail(
        id=topic, title=rows[0]["title"], path=list(paths.get(topic, ())),
        summary=current.text if current else None, behind=_behind(_current(rows)),
        failed_wordings=rows[0]["failed"] or 0, revisions=revisions)


def _current(rows: Sequence[Row]) -> Row:
    return next((row for row in rows if row["number"] is not None and row["retired_at"] is None), rows[0])


def _behind(row: Row) -> int:
    """Messages that came since the wording; none where nothing is due, and of a wording that did not count them."""
    if not row["due"] or row["worded_count"] is None:
        return 0
    return max(int(row["message_count"]) - int(row["worded_count"]), 0)
