"""Settings: where they come from, and what is refused.

Precedence, highest first: arguments, environment (`TRACE_GRAPH_*`, then the names other tools use),
`trace-graph.toml` in the working folder, defaults. An empty value counts as not set. Nothing is read before
`load_settings` is called.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import platformdirs
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)
from pydantic_settings.sources import TomlConfigSettingsSource

from trace_graph.errors import ConfigError
from trace_graph.llm_settings import LlmSettings, SummarySettings, full_url, sendable, unquoted

BOLT_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
FILE_NAME = "trace-graph.toml"
OPENAI = "https://api.openai.com/v1"
"""Where OPENAI_BASE_URL is not set."""

LISTS = ("candidates", "candidates_large", "expanded_large")
"""Settings of recall that grow with an answer."""


class RecallSettings(BaseModel):
    """The constants of the ranking. Source, unless said otherwise: docs/decisions/0003-recall.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidates: int = Field(200, ge=1, le=2000)
    """Length of each of the ranked lists (text, vector)."""
    candidates_large: int = Field(400, ge=1, le=2000)
    """The same from `large_from` readable messages on: +.005 of the evidence for 16 ms."""
    large_from: int = Field(3000, ge=1)
    """Readable messages."""
    expanded_large: int = Field(200, ge=1, le=2000)
    """From `large_from` on, messages of both lists whose neighbours are read, the most promising ones; below it, all.
    Source: measured, two fifths of the rows for .001 of T1000 and .007 of T2000."""
    window: int = Field(2, ge=0, le=8)
    """Neighbouring turns on each side that are scored with a message."""
    window_tokens: float = Field(120, gt=0)
    """Mean tokens of a window's turns at which the window weighs half: short turns need their neighbours, long ones do
    not. Source: docs/decisions/0007-ranking.md, as of all below that name no other."""
    window_power: float = Field(2, gt=0)
    """How steeply it falls: 1 / (1 + (tokens / window_tokens) ** window_power)."""
    k1: float = 1.2
    b: float = 0.75
    own_share: float = 0.25
    """Weight of the message's own score beside its window's; what the window loses by long turns is added."""
    vector_weight: float = 2.0
    centre: float = Field(0.5, ge=0, le=1)
    """Share of the everyday mean that is taken off a question's vector; of the static embedders only."""
    speaker_weight: float = 0.4
    role_weight: float = 0.3
    """Of the user's words where the question asks for what "I" said, of the assistant's where for what "you" said."""
    date_weight: float = 0.8
    near_weight: float = Field(0.1, ge=0)
    """What a turn loses beside one that stands above it, where many things are asked for; e times less 2 turns away."""
    walked_share: float = Field(0.35, ge=0, le=0.5)
    """Guided recall: the share of the budget that walked branches may get beyond what the flat search has of them; in
    proportion less where they score lower than the best topic. Source: docs/decisions/0011, as of walked_reach."""
    walked_reach: float = Field(0.2, ge=0)
    """By how much a message of theirs may score below one of the flat search that it comes before, in shares of the
    best score."""
    budget: int = Field(2000, ge=1)
    """Tokens of the items shown, where neither budget nor limit is given."""

    def with_lists_of(self, length: int) -> RecallSettings:
        """The same with ranked lists of at least this length, up to 2,000: for an answer of as many items."""
        longer = {name: min(2000, max(getattr(self, name), length)) for name in LISTS}
        return self.model_copy(update=longer)


class ReachedBy(NamedTuple):
    """How an endpoint is reached."""

    base_url: str | None
    """OpenAI's own where there is none."""
    api_key: SecretStr | None


class Settings(BaseSettings):
    """Everything that can be set. Frozen; passed to whoever needs it."""

    model_config = SettingsConfigDict(
        env_prefix="TRACE_GRAPH_", env_nested_delimiter="__", env_ignore_empty=True, frozen=True, extra="forbid",
        hide_input_in_errors=True,
        populate_by_name=True, toml_file=FILE_NAME,
    )

    uri: str = Field("local:", validation_alias=AliasChoices("TRACE_GRAPH_URI", "NEO4J_URI", "NEO4J_URL"))
    """`local:` (the embedded engine in the user's data folder), `local:/path`, or any Bolt URI."""
    username: str = Field(
        "neo4j", validation_alias=AliasChoices("TRACE_GRAPH_USERNAME", "NEO4J_USERNAME", "NEO4J_USER"))
    password: SecretStr | None = Field(None, validation_alias=AliasChoices("TRACE_GRAPH_PASSWORD", "NEO4J_PASSWORD"))
    database: str | None = Field(None, validation_alias=AliasChoices("TRACE_GRAPH_DATABASE", "NEO4J_DATABASE"))
    """The server's home database where unset."""
    embedder: str = "static"
    """`static`, `static:PATH`, `sentence-transformers:NAME_OR_PATH` or `openai:NAME`."""
    embedder_base_url: str | None = None
    """Endpoint of an `openai:` embedder, where it is not the model's."""
    embedder_api_key: SecretStr | None = None
    openai_base_url: str | None = Field(
        None, validation_alias=AliasChoices("TRACE_GRAPH_OPENAI_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"))
    openai_api_key: SecretStr | None = Field(
        None, validation_alias=AliasChoices("TRACE_GRAPH_OPENAI_API_KEY", "OPENAI_API_KEY"))
    model: str | None = None
    """The chat model, by the name that its endpoint knows; unset: no model is used."""
    llm: LlmSettings = LlmSettings()
    actor: str = Field("local", min_length=1, max_length=256)
    """Who is written into the ledger as the one who acts."""
    deadline_seconds: float = Field(30.0, gt=0)
    """How long one database operation may take, its retries included."""
    start_seconds: float = Field(60.0, gt=0)
    """How long the embedded engine may take to start."""
    heap_mb: int = Field(2048, ge=256)
    """Heap of the embedded engine: 2 GB carries 100,000 messages (measured in the trial of the engines)."""
    write_chunk: int = Field(500, ge=1, le=5000)
    """Messages of one write transaction."""
    recalls_kept: int = Field(1000, ge=0, le=1_000_000)
    """Recalls of a space that are kept to be explained and replayed, the latest ones; 0: none. Guess: 50 MB a space."""
    recall: RecallSettings = RecallSettings()
    summaries: SummarySettings = SummarySettings()

    @field_validator("uri")
    @classmethod
    def _known_scheme(cls, value: str) -> str:
        value = _normal(value)
        parts = urlsplit(value)
        if parts.scheme == "local":
            return value
        if parts.username is not None or parts.password is not None:
            # It would be shown wherever the address is.
            raise ValueError(
                "must not hold a user name or a password: those are TRACE_GRAPH_USERNAME and TRACE_GRAPH_PASSWORD")
        if parts.scheme in BOLT_SCHEMES and parts.hostname and parts.port != 0:  # a port that is none raises
            return value
        raise ValueError(f"must be local:, local:/path or a Bolt URI ({', '.join(BOLT_SCHEMES)})")

    @field_validator("openai_base_url", "embedder_base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        return full_url(value)

    @field_validator("openai_api_key", "embedder_api_key")
    @classmethod
    def _key(cls, value: SecretStr | None) -> SecretStr | None:
        return sendable(value)

    @field_validator("model")
    @classmethod
    def _name(cls, value: str | None) -> str | None:
        return unquoted(value)

    @property
    def model_endpoint(self) -> ReachedBy:
        """Where the chat model is reached, and with which key."""
        return self._reached(self.llm.base_url, self.llm.api_key)

    @property
    def embedder_endpoint(self) -> ReachedBy:
        """Where an `openai:` embedder is reached, and with which key."""
        return self._reached(self.embedder_base_url, self.embedder_api_key)

    def _reached(self, own_url: str | None, own_key: SecretStr | None) -> ReachedBy:
        """The shared key goes to the shared server only, and by the same scheme: no other is meant to see it."""
        shared = self.openai_base_url or OPENAI
        url = own_url or self.openai_base_url
        same = _server_of(url or OPENAI) == _server_of(shared)
        return ReachedBy(url, own_key or (self.openai_api_key if same else None))

    @property
    def engine(self) -> Literal["local", "bolt"]:
        """Whether the embedded engine is meant, or a server that someone else runs."""
        return "local" if urlsplit(self.uri).scheme == "local" else "bolt"

    @property
    def data_folder(self) -> Path:
        """Where the embedded engine keeps its files."""
        path = self.uri[len("local:"):]
        return Path(path).expanduser().absolute() if path else Path(platformdirs.user_data_dir("trace-graph"))

    @property
    def target(self) -> str:
        """The database in use, for people; without credentials."""
        if self.engine == "local":
            return f"local:{self.data_folder}"
        parts = urlsplit(self.uri)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}" + (f"/{self.database}" if self.database else "")

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource, dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, file; no .env and no secrets folder."""
        return init_settings, _FilledEnvironment(settings_cls), TomlConfigSettingsSource(settings_cls)


def _server_of(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


class _FilledEnvironment(EnvSettingsSource):
    """The environment, in which a value of white space counts as not set."""

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name: value for name, value in super()._load_env_vars().items() if value and value.strip()}


class Origin(NamedTuple):
    """Where the value of a setting comes from."""

    kind: Literal["argument", "environment", "file", "default"]
    name: str
    """Of the argument, of the variable, or the key in the file, dotted (`recall.budget`)."""


def origin(path: Sequence[str], given: Collection[str] = ()) -> Origin:
    """Where a setting comes from, by its names from the outermost on; `given` are the arguments there were."""
    top, dotted = path[0], ".".join(path)
    if top in given:
        return Origin("argument", dotted)
    # Names of the environment do not tell upper from lower case, and a blank value counts as not set.
    filled = {name.upper(): name for name, value in os.environ.items() if value.strip()}
    for variable in _variables(path):
        if variable in filled:
            return Origin("environment", filled[variable])
    in_file = _in_file()
    for key in (top, *_aliases(top)):
        value = in_file.get(key)
        if key in in_file and (len(path) == 1 or (isinstance(value, dict) and path[1] in value)):
            return Origin("file", ".".join((key, *path[1:])))
    return Origin("default", dotted)


def load_settings(*, shown_as: Mapping[str, str] = MappingProxyType({}), **arguments: Any) -> Settings:
    """Resolve the settings; arguments that are None count as not given.

    `shown_as` is what the user called an argument (`--uri`), for what is said of it.
    Raises: ConfigError naming the setting that cannot be used, and where it stands.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    if "uri" not in given:
        _refuse_two_targets(os.environ)
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise _refused([str(part) for part in first["loc"]], first["type"], first["msg"], given, shown_as) from error
    except SettingsError as error:  # a variable for a group of settings
        group = next(name for name in _GROUPS if f'"{name}"' in str(error))
        raise _refused([group], "json", "must be JSON", given, shown_as) from error
    except (ValueError, OSError) as error:  # a trace-graph.toml that is no TOML, or cannot be opened
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{Path(FILE_NAME).absolute()} cannot be read: {reason}.") from error


def _refused(
    path: list[str], kind: str, said: str, given: Collection[str], shown_as: Mapping[str, str]
) -> ConfigError:
    """Our error for a setting that pydantic refuses: what the user called it, where it stands, and why."""
    path = [_field_of(path[0]), *path[1:]] if path else ["setting"]
    source, name = origin(path, given)
    if source == "argument":
        subject = f"The option {shown_as[path[0]]}" if path[0] in shown_as else f"The argument {name}"
    elif source == "file":
        subject = f"The setting {name} in {Path(FILE_NAME).absolute()}"
    else:
        subject = f"The setting {name}"
    if kind != "extra_forbidden":
        return ConfigError(f"{subject} cannot be used: {said.removeprefix('Value error, ')}.")
    known = _GROUPS[path[0]].model_fields if len(path) > 1 else Settings.model_fields
    near = get_close_matches(path[-1], known, n=1)
    return ConfigError(
        f"{subject} cannot be used: there is no setting of that name.",
        fix=f"Did you mean {'.'.join([*path[:-1], *near])}?" if near else "Remove it, or correct its name.")


def _field_of(name: str) -> str:
    """The field that pydantic names by itself or by its first variable."""
    return next((field for field in Settings.model_fields if name in (field, *_aliases(field))), name)


def _aliases(field: str) -> list[str]:
    """The variables that have names of their own, first come first served."""
    info = Settings.model_fields.get(field)
    alias = info.validation_alias if info else None
    return [str(one) for one in alias.choices] if isinstance(alias, AliasChoices) else []


def _variables(path: Sequence[str]) -> list[str]:
    """The variables that may set this, first come first served; a group may be set whole, as JSON."""
    ours = [f"TRACE_GRAPH_{'__'.join(path[:length]).upper()}" for length in range(len(path), 0, -1)]
    return _aliases(path[0]) or ours


_GROUPS: Mapping[str, type[BaseModel]] = {"recall": RecallSettings, "llm": LlmSettings}


def _in_file() -> dict[str, Any]:
    """What trace-graph.toml says; nothing where there is none, or it cannot be read."""
    try:
        return tomllib.loads(Path(FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _normal(uri: str) -> str:
    """An address without the white space around it, its scheme in lower case."""
    scheme, colon, rest = uri.strip().partition(":")
    return f"{scheme.lower()}:{rest}" if colon else scheme


def _refuse_two_targets(environment: Mapping[str, str]) -> None:
    """Two variables that name different databases: writing into the one nobody reads is worse than stopping."""
    ours = _normal(environment.get("TRACE_GRAPH_URI", ""))
    theirs = _normal(environment.get("NEO4J_URI", "")) or _normal(environment.get("NEO4J_URL", ""))
    if ours and theirs and ours != theirs:
        raise ConfigError(
            "TRACE_GRAPH_URI and NEO4J_URI name two different databases.",
            fix="Unset one of the two, or say which one is meant with --uri.",
        )
