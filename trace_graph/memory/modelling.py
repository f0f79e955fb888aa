"""The language model of one open memory: opened for a run, with what is known of it, and what was learnt kept."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trace_graph.config import Settings
from trace_graph.errors import ConfigError, UsageError
from trace_graph.llm.cassette import Replaying
from trace_graph.llm.forms import Forms
from trace_graph.llm.opening import Record, open_model
from trace_graph.llm.pinned import Pinned
from trace_graph.llm.prompt_files import prompts_from
from trace_graph.llm.resting import Spent
from trace_graph.llm.values import Model
from trace_graph.models import NewId
from trace_graph.store.calls import read_forms, save_forms, used_today
from trace_graph.store.connection import Store


@dataclass(frozen=True)
class Cassette:
    """The replies of a run, on their way into a file or out of one."""

    deck: Record | Replaying

    @property
    def moment(self) -> datetime:
        """At which the run's clock stands."""
        return self.deck.header.moment if isinstance(self.deck, Replaying) else self.deck.moment

    def pinned(self, space: str) -> Pinned:
        """Ids and clock of the run in this space. Two spaces get other ids, so that one database may hold both."""
        seed = self.deck.header.seed if isinstance(self.deck, Replaying) else self.deck.seed
        return Pinned(f"{seed} {space}", self.moment)


def cassette_of(record: Path | str | None, replay: Path | str | None, now: datetime) -> Cassette | None:
    """The cassette that is meant, if any. Raises: UsageError, NotFound, InvalidInput."""
    if record is not None and replay is not None:
        raise UsageError("A run is recorded or replayed, not both.", fix="Give one of the two.")
    if replay is not None:
        return Cassette(Replaying(Path(replay)))
    return None if record is None else Cassette(Record(Path(record), secrets.randbits(64), now))


@dataclass(frozen=True)
class Modelling:
    """Opens the model of the settings, or gives the one that was given."""

    settings: Settings
    given: Model | None
    clock: Callable[[], datetime]
    new_id: NewId

    def require(self) -> None:
        """Raises: ConfigError where there is no model to ask."""
        if self.given is None and self.settings.model is None:
            raise ConfigError(
                "This needs a language model, and none is configured.",
                fix="Set TRACE_GRAPH_MODEL, and OPENAI_BASE_URL for an endpoint of your own; recall in the fast mode "
                    "needs none.")

    @asynccontextmanager
    async def required(self, store: Store) -> AsyncIterator[Model]:
        """The model for one question. Raises: ConfigError where there is none."""
        self.require()
        async with self.for_run(store) as model:
            assert model is not None, "it was required"
            yield model

    @asynccontextmanager
    async def for_run(
        self, store: Store, *, name: str | None = None, cassette: Cassette | None = None
    ) -> AsyncIterator[Model | None]:
        """The model for one run, with the prompts of the settings; None where none is set.

        `name` is another model at the same endpoint. Raises: ConfigError.
        """
        settings = self.settings if name is None else self.settings.model_copy(update={"model": name})
        with prompts_from(settings.llm.prompts):
            if self.given is not None and cassette is None:
                yield self.given
            elif settings.model is None and not (cassette and isinstance(cassette.deck, Replaying)):
                if cassette is not None:
                    raise UsageError("Without a model there is nothing to record.", fix="Set TRACE_GRAPH_MODEL.")
                yield None
            else:
                async with self._opened(store, settings, cassette) as model:
                    yield model

    @asynccontextmanager
    async def _opened(self, store: Store, settings: Settings, cassette: Cassette | None) -> AsyncIterator[Model]:
        clock = self.clock
        if cassette is not None:
            moment = cassette.moment

            def clock() -> datetime:
                return moment
        forms = Forms.from_json(await read_forms(store))
        used = await used_today(store, self.clock().astimezone(UTC).date())
        model = open_model(
            settings, clock=clock, forms=forms, used_today=Spent(used.calls, used.tokens),
            cassette=cassette.deck if cassette else None)
        try:
            yield model
        finally:
            await model.close()
            if forms.changes:
                await save_forms(store, forms.as_json(), token=self.new_id())
