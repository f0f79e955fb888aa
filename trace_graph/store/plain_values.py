"""What a value of the database looks like outside the store: Python's own types, fit for JSON but for datetimes."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import neo4j.graph
import neo4j.spatial
import neo4j.time
import neo4j.vector


def plain_value(value: Any) -> Any:
    """One value of a row.

    A node is {"id", "labels", "properties"}, a relationship {"id", "type", "start", "end", "properties"} with the ids
    of its nodes, a path the list of its nodes and relationships in turn. `id` is the engine's own, not our property of
    that name. A moment is an aware datetime in UTC (without a zone it counts as UTC); dates, times and durations are
    ISO 8601 text, points text, bytes base64.
    """
    if value is None or isinstance(value, str | bool | int | float | datetime):
        return value
    if isinstance(value, list | tuple) and not isinstance(value, neo4j.spatial.Point | neo4j.time.Duration):
        return [plain_value(part) for part in value]
    if isinstance(value, dict):
        return {key: plain_value(part) for key, part in value.items()}
    if isinstance(value, neo4j.graph.Node | neo4j.graph.Relationship | neo4j.graph.Path):
        return _plain_graph(value)
    return _plain_scalar(value)


def _plain_graph(value: neo4j.graph.Node | neo4j.graph.Relationship | neo4j.graph.Path) -> Any:
    if isinstance(value, neo4j.graph.Path):
        parts: list[Any] = [_plain_graph(value.start_node)] if value.start_node is not None else []
        for relationship, node in zip(value.relationships, value.nodes[1:], strict=True):
            parts += [_plain_graph(relationship), _plain_graph(node)]
        return parts
    properties = {key: plain_value(value[key]) for key in value}
    if isinstance(value, neo4j.graph.Node):
        return {"id": value.element_id, "labels": sorted(value.labels), "properties": properties}
    start, end = ((node.element_id if node is not None else None) for node in (value.start_node, value.end_node))
    return {"id": value.element_id, "type": value.type, "start": start, "end": end, "properties": properties}


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, neo4j.time.DateTime):
        moment: datetime = value.to_native()
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if isinstance(value, neo4j.time.Date | neo4j.time.Time | neo4j.time.Duration):
        return value.iso_format()
    if isinstance(value, neo4j.spatial.Point):
        return f"point(srid {value.srid}: {', '.join(f'{part:g}' for part in value)})"
    if isinstance(value, neo4j.vector.Vector):
        return value.to_native()
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    return str(value)
