"""How many calls to a model the summaries of a conversation cost: in bulk, and session by session.

    python -m bench.summaries [--data locomo10.json] [--sample conv-26] [--changed 0.34] [--uri URI]

The model is scripted: it writes a sentence of the sources of each topic, so that every reply can be used. Without --uri
an embedded engine is started in a temporary folder, and stopped and removed at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.engine import engine_of
from bench.locomo import default_file, messages
from tests.scripted_model import ScriptedModel
from trace_graph import Memory, MessageInput
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.llm.purposes.summarise import SummariseReply, TopicSummary
from trace_graph.llm.values import Request
from trace_graph.llm_settings import SummarySettings
from trace_graph.models import OrganizeReport, TopicNode, uuid7
from trace_graph.organize.organizing import ModelUse, organize
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import find_spaces
from trace_graph.text.times import utc_now

WORDS = 40
"""Of each summary that the scripted model writes."""


@dataclass(frozen=True)
class Figures:
    """What one way of organising cost, and how far behind it left the tree."""

    way: str
    messages: int
    runs: int
    calls: int
    topics: int
    behind: list[int]
    """Of each topic, the largest first, that is behind."""

    def line(self) -> str:
        """In words."""
        return (
            f"{self.way}: {self.messages} messages in {self.runs} runs, {self.calls} calls, "
            f"{self.calls / self.messages:.3f} a message, {self.calls / self.runs:.2f} a run; {self.topics} topics, "
            f"{len(self.behind)} of them behind, by {max(self.behind, default=0)} messages at most")


def quoting(request: Request[Any]) -> SummariseReply:
    """What the scripted model replies: the beginnings of the first sources of each topic."""
    topics = []
    for line in request.messages[1].text.splitlines():
        shown = json.loads(line)
        said = shown.get("messages") or [f"{one['title']}. {one['summary']}" for one in shown["topics"]]
        words = " ".join(said).split()
        title = f"{' '.join(words[4:7]).lower()} {shown['topic'].lower()}"[:40]
        topics.append(TopicSummary(label=shown["topic"], title=title, summary=" ".join(words[:WORDS])))
    return SummariseReply(topics=topics)


async def measure(settings: Settings, said: Sequence[MessageInput], summaries: SummarySettings) -> list[Figures]:
    """Both ways, each in a space of its own."""
    by_session: dict[str, list[MessageInput]] = {}
    for message in said:
        by_session.setdefault(message.session, []).append(message)
    return [
        await _organised("in bulk", settings, [list(said)], summaries),
        await _organised("session by session", settings, list(by_session.values()), summaries)]


async def _organised(
    way: str, settings: Settings, parts: Sequence[Sequence[MessageInput]], summaries: SummarySettings
) -> Figures:
    space, model = f"bench-summaries-{uuid7()[-12:]}", ScriptedModel(quoting)
    calls = 0
    async with Memory(settings=settings) as memory:
        store = await Store.connect(settings)
        try:
            for part in parts:
                await memory.add_many(part, space=space)
                calls += (await _organise(store, space, model, summaries)).model_calls
            behind = _behind(tree := await memory.tree(space=space))
        finally:
            await store.close()
    return Figures(way, sum(map(len, parts)), len(parts), calls, _count(tree), sorted(behind, reverse=True))


async def _organise(store: Store, space: str, model: ScriptedModel, summaries: SummarySettings) -> OrganizeReport:
    return await organize(
        store, (await find_spaces(store, [space]))[0], embedder=StaticEmbedder.shipped(),
        actor=Actor("bench", "library"), clock=utc_now, new_id=uuid7, model=model,
        use=ModelUse(routing="vectors", summaries=summaries))


def _behind(node: TopicNode) -> list[int]:
    return [*([node.behind] if node.behind else []), *(one for child in node.children for one in _behind(child))]


def _count(node: TopicNode) -> int:
    return 1 + sum(map(_count, node.children))


async def _main(chosen: argparse.Namespace) -> None:
    said = messages(chosen.data, [chosen.sample])
    async with engine_of(chosen.uri) as settings:
        for changed in chosen.changed:
            summaries = SummarySettings(changed=changed)
            print(f"worded anew from a share of {changed} on")
            for figures in await measure(settings, said, summaries):
                print(f"  {figures.line()}", flush=True)


def main(given: Sequence[str] | None = None) -> int:
    """Print both ways for each setting."""
    parser = argparse.ArgumentParser(prog="python -m bench.summaries", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=default_file())
    parser.add_argument("--sample", default="conv-26")
    parser.add_argument("--changed", type=float, nargs="*", default=[SummarySettings().changed])
    parser.add_argument("--uri")
    asyncio.run(_main(parser.parse_args(given)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
