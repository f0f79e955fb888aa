"""`Memory`: every verb of the library, each delegated to the pipeline that carries it out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from trace_graph.access.scopes import Scope, open_scope
from trace_graph.config import Settings, load_settings
from trace_graph.embed.protocol import Embedder
from trace_graph.errors import ConfigError, InvalidInput, UsageError
from trace_graph.ingest.adding import Adding
from trace_graph.ingest.importing import import_items, open_source
from trace_graph.ingest.prepare import check, message_of
from trace_graph.llm.prompt_files import prompts_from
from trace_graph.llm.values import Model, OnText
from trace_graph.maintain.doctor import Doctor
from trace_graph.maintain.exporting import export_space
from trace_graph.memory.calls import export_calls, show_call, wanted_calls
from trace_graph.memory.health import configured_model, read_health
from trace_graph.memory.modelling import Modelling
from trace_graph.memory.opening import Opened, Opening
from trace_graph.memory.organizing import Organized, Organizing
from trace_graph.memory.probing import Probing
from trace_graph.memory.recalling import Guide, Recalling, check_mode, recall_request
from trace_graph.memory.restoring import refuse_options, restore_file, to_restore
from trace_graph.models import (
    AskResult,
    CallLine,
    CallRecord,
    CallsExportReport,
    CallStats,
    DoctorReport,
    ExportReport,
    HealthReport,
    ImportReport,
    MessageInput,
    NewId,
    OrganizeReport,
    Progress,
    QueryInfo,
    RebuildReport,
    RecallExplanation,
    RecallResult,
    Receipt,
    ReplayReport,
    Role,
    SpaceInfo,
    Stats,
    TopicDetail,
    TopicNode,
    TreeDifference,
    uuid7,
)
from trace_graph.organize.organizing import Routing
from trace_graph.retrieve.calls import call_stats, list_calls
from trace_graph.retrieve.differing import differences
from trace_graph.retrieve.overview import list_queries, list_spaces, read_stats
from trace_graph.retrieve.recording import Recording
from trace_graph.retrieve.topics import read_topic, read_tree
from trace_graph.store.ledger import Actor, Door
from trace_graph.store.read_only import Rows, run_named, run_read_only
from trace_graph.store.spaces import all_spaces, find_spaces, obtain_space, set_time_zone
from trace_graph.text.rules import space_name
from trace_graph.text.times import utc_now, zone_name
from trace_graph.text.tokens import TokenCounter, count_tokens


class Memory:
    """A memory in a graph database; connects at the first verb, and closes with `async with` or `close`."""

    def __init__(
        self, uri: str | None = None, *, actor: str | None = None, settings: Settings | None = None,
        embedder: Embedder | None = None, clock: Callable[[], datetime] = utc_now, new_id: NewId = uuid7,
        count: TokenCounter = count_tokens, door: Door = "library",
        model: Model | None = None,
    ) -> None:
        """Prepare a memory; nothing is opened yet.

        Args:
            uri: `local:`, `local:/path` or a Bolt URI; default: the settings' (`TRACE_GRAPH_URI`).
            actor: who is written into the ledger.
            settings: everything else; default: from environment and `trace-graph.toml`.
            embedder: one of your own in place of the configured one.
            clock: gives the time, aware.
            new_id: gives fresh ids.
            count: counts the tokens of a text, for budgets.
            door: through which door the caller came, for the ledger.
            model: a model of your own in place of the configured one.

        Raises: ConfigError.
        """
        if settings is not None and uri is not None:
            raise ConfigError("Both an address and settings were given.", fix="Put the address into the settings.")
        self.settings = settings or load_settings(uri=uri, actor=actor)
        self._actor = Actor(actor or self.settings.actor, door)
        self._clock, self._new_id, self._count = clock, new_id, count
        self._opening = Opening(self.settings, embedder)
        self._adding: Adding | None = None
        self._recording: Recording | None = None
        self._modelling = Modelling(self.settings, model, clock, new_id)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for what is being stored, and close the connection. The embedded engine goes on running."""
        if self._adding is not None:
            await self._adding.close()
        if self._recording is not None:
            await self._recording.written()
        await self._opening.close()

    async def add(
        self, text: str, *, space: str, role: Role = "user", author: str | None = None, session: str = "default",
        at: datetime | str | None = None, external_id: str | None = None, content: Any = None, agent: str | None = None,
    ) -> Receipt:
        """Remember one message: durable and findable when this returns; no model is asked.

        Raises: InvalidInput, EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        message = message_of({
            "text": text, "role": role, "author": author, "session": session, "at": at, "external_id": external_id,
            "content": content, "agent": agent})
        return (await self.add_many([message], space=space))[0]

    async def add_many(self, messages: Sequence[MessageInput], *, space: str) -> list[Receipt]:
        """Remember messages in their order; receipts in the same order.

        All are checked before the first is stored. More than `write_chunk` messages take several transactions.
        Raises: InvalidInput, EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        name = space_name(space)
        messages = list(messages)  # an iterator can be read once only
        for message in messages:
            check(message)
        adding = await self._for_adding()
        return await adding.add_many(messages, name, self._actor)

    async def import_file(
        self, path: Path | str | BinaryIO, *, space: str | None = None, format: str = "auto",
        samples: Sequence[str] | None = None, strict: bool = False, progress: Progress | None = None,
    ) -> ImportReport:
        """Remember the messages of a file; what is already there is recognised by its external id.

        With `strict` the whole file is checked before anything is stored. An export of trace-graph is restored as the
        space it was, under its own name where none is given: checked first, then all of it or nothing that is seen.
        Raises: InvalidInput, NotFound (no such file or sample), Refused, and what `add_many` raises.
        """
        if await asyncio.to_thread(to_restore, path, format):
            refuse_options(samples)
            return await restore_file(
                self._opening, path, space=space, actor=self._actor, clock=self._clock, new_id=self._new_id,
                progress=progress)
        if space is None:
            raise UsageError("Into which space?", fix="Name it; only an export of trace-graph says its own.")
        name = space_name(space)
        source = await asyncio.to_thread(open_source, path, format=format, samples=samples, strict=strict)
        adding = await self._for_adding()
        return await import_items(adding, source, space=name, progress=progress, actor=self._actor)

    async def export(
        self, *, space: str, out: Path | str | BinaryIO, progress: Progress | None = None
    ) -> ExportReport:
        """Write a space to a file or a binary stream: one state of it, complete, whoever writes meanwhile.

        `import_file` restores it into either engine to a space whose export is equal.
        Raises: NotFound, InvalidInput (the file cannot be written), Refused, EngineUnavailable, StoreFailed.
        """
        opened, scope = await self._scope(space)
        return await export_space(
            opened.store, scope.spaces[0], Path(out) if isinstance(out, str) else out, progress=progress)

    async def organize(
        self, *, space: str, progress: Progress | None = None, use_model: bool = True, routing: Routing = "cascade",
        record: Path | str | None = None, replay: Path | str | None = None,
    ) -> OrganizeReport:
        """File the waiting messages of a space under topics and revise the summaries of those that changed.

        May be killed at any point and run again; a second organiser of the space waits for its turn. With a model set
        (`TRACE_GRAPH_MODEL`) it is asked where vectors are not sure, and words the topics; where it fails, the run goes
        on without it, and the report says why.

        Args:
            space: its name.
            progress: is told how many messages are filed, and of how many.
            use_model: False: ask no model.
            routing: `cascade`, `descent` (level by level from the root), or `vectors`: the model only words topics.
            record: a new file for everything that the model replies.
            replay: such a file, in place of the model: the same messages organised again from it give an equal export.

        Raises: NotFound, UsageError, ConfigError, ReplayDiffers, EngineUnavailable, EngineTimeout, StoreFailed.
        """
        opened, scope = await self._scope(space)
        how = Organized(use_model=use_model, routing=routing, record=record, replay=replay)
        return await self._organizing(opened).organize(scope.spaces[0], how, progress)

    async def rebuild(
        self, *, space: str, into: str, model: str | None = None, use_model: bool = True,
        routing: Routing = "cascade", progress: Progress | None = None,
    ) -> RebuildReport:
        """Build a second tree over the messages of a space, in another space, under another model or other prompts.

        The messages are copied as they were given, then organised; `diff` compares the trees. May be killed at any
        point and run again. Raises: NotFound, InvalidInput, Refused (the other space holds something else), and what
        `add_many` and `organize` raise.
        """
        name = space_name(into)
        how = Organized(use_model=use_model, model=model, routing=routing)
        how.check()
        opened, scope = await self._scope(space)
        if name == scope.spaces[0].name:
            raise UsageError("A space cannot be rebuilt into itself.", fix="Name another space with --into.")
        adding = await self._for_adding()
        return await self._organizing(opened).rebuild(scope.spaces[0], name, adding, how, progress)

    async def recall(
        self, query: str, *, space: str | Sequence[str] | None = None, budget: int | None = None,
        limit: int | None = None, mode: str = "fast", asked_at: datetime | str | None = None,
        known_at: datetime | str | None = None, explain: bool = False, fallback: bool = True,
    ) -> RecallResult:
        """Find what answers a question, best first; in the fast mode no model is asked.

        How it was found is kept after this has returned, as long as the setting `recalls_kept` says: `explain` and
        `replay` take the result's `recall_id`.

        Args:
            query: words, not syntax: nothing in it is an operator. One of punctuation alone finds nothing, and the
                result says so.
            space: one space or several; default: all.
            budget: tokens of the items shown; default 2,000.
            limit: this many items instead of a budget.
            mode: `fast`, or `guided`: a model walks the tree, and what lies in the branches it chooses gets a part of
                the budget. Where it gives no answer the fast mode's stands, and the result's `walk` says why.
            asked_at: the moment of the question, on the clock of whoever asks; default: now, in UTC. Dates such as
                "yesterday" are counted from its day.
            known_at: answer with what this memory knew at that moment; default: with all it knows.
            explain: tell at once how the answer came about, in the result's `explanation`.
            fallback: show what the flat search finds beside a walk; without it, what lies in the branches alone.

        Raises: InvalidInput, NotFound, ConfigError (guided, and no model is configured), EngineUnavailable,
        EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        check_mode(mode, fallback=fallback)
        request = recall_request(
            query, budget, limit, asked_at=asked_at, known_at=known_at, now=self._clock(),
            settings=self.settings.recall)
        if mode != "guided":
            opened, scope = await self._scope(space)
            return await self._recalling(opened).recall(scope, request, explained=explain)
        self._modelling.require()
        opened, scope = await self._scope(space)
        async with self._modelling.required(opened.store) as model:
            return await self._recalling(opened).recall(
                scope, request, explained=explain, guide=Guide(model, fallback))

    async def ask(
        self, question: str, *, space: str | Sequence[str] | None = None, mode: str = "fast",
        budget: int | None = None, asked_at: datetime | str | None = None, known_at: datetime | str | None = None,
        on_text: OnText | None = None,
    ) -> AskResult:
        """Have a model answer a question from what is remembered, with the messages that it cites.

        Where the model gives no answer the result says why, and holds what was found. The answer is kept with its
        recall; `explain` shows it.

        Args:
            question: in words.
            space: one space or several; default: all.
            mode: how the messages are found, as in `recall`.
            budget: tokens of the messages that are put before the model; default 2,000.
            asked_at: as in `recall`.
            known_at: answer with what this memory knew at that moment.
            on_text: takes the answer piece by piece while it arrives. What counts is the result.

        Raises: InvalidInput, NotFound, ConfigError where no model is configured, EngineUnavailable, EngineTimeout,
        EmbedderMismatch, StoreFailed.
        """
        asked = recall_request(
            question, budget, None, asked_at=asked_at, known_at=known_at, now=self._clock(),
            settings=self.settings.recall)
        how = check_mode(mode)
        self._modelling.require()
        opened, scope = await self._scope(space)
        async with self._modelling.required(opened.store) as model:
            return await self._recalling(opened).ask(scope, asked, model, mode=how, on_text=on_text)

    async def explain(self, recall_id: str) -> RecallExplanation:
        """How the answer to a recall came about: what was scored, by which signals, and why the rest was dropped.

        Raises: NotFound where it is not kept (any more) or one of its spaces must not be read, EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        return await self._recalling(opened).explain(scope, recall_id)

    async def replay(self, recall_id: str) -> ReplayReport:
        """Run a recall again with its parameters and settings on the memory as it was, and compare.

        Raises: NotFound as `explain` does, EngineUnavailable, EngineTimeout, EmbedderMismatch, StoreFailed.
        """
        opened, scope = await self._scope(None)
        return await self._recalling(opened).replay(scope, recall_id)

    async def tree(self, *, space: str, depth: int | None = None, messages: bool = False) -> TopicNode:
        """The tree of a space; `depth` levels of it (default: all), with the messages where asked for.

        Raises: NotFound, EngineUnavailable.
        """
        if depth is not None and depth < 0:
            raise InvalidInput("The depth of a tree is 0 or more.", fix="Give --depth 0, 1, 2 ...")
        opened, scope = await self._scope(space)
        return await read_tree(opened.store, scope, depth=depth, messages=messages)

    async def topic(self, id: str, *, history: bool = False) -> TopicDetail:
        """One topic: its path, its summary and what that was made from; with `history` every revision.

        Raises: NotFound, EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        return await read_topic(opened.store, scope, id, history=history)

    async def diff(self, *, space: str, other: str) -> TreeDifference:
        """In what the tree of another space differs from that of a space, over the same messages.

        Raises: NotFound, EngineUnavailable.
        """
        opened, first = await self._scope(space)
        _, second = await self._scope(other)
        old, new = [await read_tree(opened.store, scope, depth=None, messages=True) for scope in (first, second)]
        return await asyncio.to_thread(differences, old, new, names=(first.spaces[0].name, second.spaces[0].name))

    async def spaces(self) -> list[SpaceInfo]:
        """The spaces of this memory, by name. Raises: NotFound where there is no memory yet, EngineUnavailable."""
        opened = await self._opening.for_reading()
        return await list_spaces(opened.store)

    async def create_space(self, name: str, *, time_zone: str = "UTC") -> SpaceInfo:
        """Create an empty space; one of that name that is there already stays as it is.

        Raises: InvalidInput, EngineUnavailable.
        """
        wanted, zone = space_name(name), zone_name(time_zone)
        opened = await self._opening.for_writing()
        made, _ = await obtain_space(
            opened.store, wanted, actor=self._actor, now=self._clock(), new_id=self._new_id, time_zone=zone)
        return next(one for one in await list_spaces(opened.store) if one.id == made.id)

    async def set_space(self, name: str, *, time_zone: str) -> SpaceInfo:
        """Set the zone in which times without an offset are read from now on.

        Raises: InvalidInput, NotFound, EngineUnavailable.
        """
        opened, scope = await self._scope(name)
        await set_time_zone(
            opened.store, scope.spaces[0], zone_name(time_zone), actor=self._actor, now=self._clock(),
            new_id=self._new_id)
        return next(one for one in await list_spaces(opened.store) if one.id == scope.spaces[0].id)

    async def stats(self, *, space: str | None = None) -> Stats:
        """Counts of one space, or of all. Raises: NotFound, EngineUnavailable."""
        opened, scope = await self._scope(space)
        return await read_stats(opened.store, scope, space)

    async def doctor(self, *, space: str | None = None, fix: bool = False, deep: bool = False) -> DoctorReport:
        """Try every invariant of the graph, of one space or of all, and name what breaks it and what mends it.

        Args:
            space: one space; default: all. The schema and the embedder are tried in any case.
            fix: mend what is safe: caches, marks, leases that expired, indexes. Each is an event of the ledger.
            deep: read all contents as well, against their hashes and sums; that takes about as long as an export.

        Raises: NotFound, EngineUnavailable, EngineTimeout, StoreFailed.
        """
        opened, scope = await self._scope(space)
        doctor = Doctor(opened.store, scope, opened.embedder.fault, self._actor, self._clock, self._new_id)
        return await doctor.visit(fix=fix, deep=deep)

    async def health(self, *, probe: bool = False) -> HealthReport:
        """How the memory is: the engine, what waits, and what the model has been asked.

        Args:
            probe: send the model one small request, which counts against its allowance; otherwise it is not asked.

        Raises: NotFound where there is no memory yet, UsageError (a probe without a model), ConfigError (of one whose
        endpoint cannot be used as it is set), EngineUnavailable.
        """
        if probe:
            await self._opening.for_writing()  # the request is kept, in a new memory where there is none
        opened, scope = await self._scope(None)
        return await read_health(
            opened.store, scope, self.settings, configured_model(self.settings), now=self._clock(),
            probe=Probing(opened.store, self._modelling, self._clock, self._new_id).probe if probe else None)

    async def calls(
        self, space: str, *, purpose: str | None = None, outcome: str | None = None,
        since: datetime | str | None = None, limit: int = 50,
    ) -> list[CallLine]:
        """The latest calls to models for a space, the latest first.

        Args:
            space: its name.
            purpose: route, descend, summarise, walk or answer; default: all.
            outcome: what came of them; default: all.
            since: those sent at this moment or later; without an offset it is read in the zone of the space.
            limit: at most so many.

        Raises: NotFound, InvalidInput, EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        wanted = (await self._scope(space))[1].spaces[0]
        return await list_calls(
            opened.store, scope, wanted, wanted_calls(purpose, outcome, since, limit, wanted.time_zone))

    async def call(self, id: str) -> CallRecord:
        """One call to a model: all that was kept of it, what it made, and its request made again.

        Raises: NotFound, ConfigError (the folder of prompts), EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        with prompts_from(self.settings.llm.prompts):
            return await show_call(opened.store, scope, id)

    async def call_stats(self, space: str) -> CallStats:
        """What models were asked for a space and what it cost, by purpose, model and outcome.

        Raises: NotFound, EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        return await call_stats(opened.store, scope, (await self._scope(space))[1].spaces[0])

    async def export_calls(self, space: str, *, out: Path | str | BinaryIO) -> CallsExportReport:
        """Write every call to a model for a space to a file or a binary stream, as JSON lines.

        Raises: NotFound, InvalidInput (the file cannot be written), EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        wanted = (await self._scope(space))[1].spaces[0]
        return await export_calls(opened.store, scope, wanted, Path(out) if isinstance(out, str) else out)

    def queries(self) -> list[QueryInfo]:
        """Every named Cypher query of the project; needs no database."""
        return list_queries()

    async def run_query(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run one of the named reading queries. `$spaces` defaults to the ids of all spaces.

        Raises: NotFound, UsageError (a parameter is missing), WriteRefused, EngineUnavailable.
        """
        opened, scope = await self._scope(None)
        return await run_named(opened.store, name, {"spaces": scope.ids, **(parameters or {})})

    async def cypher(self, query: str, parameters: Mapping[str, Any] | None = None) -> Rows:
        """Run a query of your own; only reading is possible, whatever it says. For whoever administers the database.

        The rows are a list; `cut` says whether there were more than the limit.

        Raises: WriteRefused, UsageError, EngineUnavailable.
        """
        opened = await self._opening.for_reading()
        return await run_read_only(opened.store, query, parameters or {})

    async def _scope(self, wanted: str | Sequence[str] | None) -> tuple[Opened, Scope]:
        """The memory opened for reading, and the spaces that are meant."""
        opened = await self._opening.for_reading()
        if wanted is None:
            found = await all_spaces(opened.store)
            return opened, open_scope([space.name for space in found], found)
        names = list(dict.fromkeys(space_name(name) for name in ([wanted] if isinstance(wanted, str) else wanted)))
        return opened, open_scope(names, await find_spaces(opened.store, names))

    def _recalling(self, opened: Opened) -> Recalling:
        if self._recording is None:
            self._recording = Recording(opened.store, self.settings.recalls_kept)
        return Recalling(
            opened, self._recording, self.settings, self._actor, self._clock, self._new_id, self._count)

    def _organizing(self, opened: Opened) -> Organizing:
        return Organizing(opened, self._modelling, self.settings, self._actor, self._clock, self._new_id)

    async def _for_adding(self) -> Adding:
        opened = await self._opening.for_writing()
        if self._adding is None:
            self._adding = Adding(
                opened.store, opened.embedder.embed, clock=self._clock, new_id=self._new_id,
                chunk=self.settings.write_chunk)
        return self._adding
