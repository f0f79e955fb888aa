"""The settings of how the model is asked, and what an address or a name may look like."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator


def full_url(value: str | None) -> str | None:
    """An address of an endpoint, without white space around it and a slash at its end."""
    if value is None or not value.strip():
        return None
    value = value.strip()
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:  # a port that is none raises
        raise ValueError("must be a full URL such as http://localhost:11434/v1")
    return value.rstrip("/")


def unquoted(value: str | None) -> str | None:
    """A name without white space around it; quotes were kept from an .env file by mistake."""
    if value is None or not value.strip():
        return None
    value = value.strip()
    if value[0] in "\"'" or value[-1] in "\"'":
        raise ValueError("must not be in quotes")
    return value


def sendable(value: SecretStr | None) -> SecretStr | None:
    """A key without white space around it. A header of HTTP carries it, and that holds printable ASCII only."""
    plain = value.get_secret_value().strip() if value else ""
    if not all("!" <= character <= "~" for character in plain):
        raise ValueError("must hold printable ASCII characters only, and no space or line break within it")
    return SecretStr(plain) if plain else None


class LlmSettings(BaseModel):
    """How the model is asked. Nothing here depends on the model's name."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: str | None = None
    """Endpoint of the model, where it is not OPENAI_BASE_URL."""
    api_key: SecretStr | None = None
    """Key for `base_url`; OPENAI_API_KEY is sent only to the server of OPENAI_BASE_URL (OpenAI if unset)."""
    temperature: float = Field(0.0, ge=0, le=2)
    """0: the same question gets the same answer, as far as the server allows."""
    timeout_seconds: float = Field(120.0, gt=0)
    """How long one try may take. Guess: a small model on a processor writes 500 tokens in about a minute."""
    deadline_seconds: float = Field(300.0, gt=0)
    """How long one request may take with its retries and pauses. Guess: two tries that hang, and one that does not."""
    concurrency: int = Field(4, ge=1, le=256)
    """Requests under way at once. Guess: what Ollama serves side by side."""
    calls_per_run: int | None = Field(None, ge=0)
    """Calls of one run (one `organize`, one `ask`); what is over is done without a model. None: without limit."""
    calls_per_day: int | None = Field(None, ge=0)
    """Calls of a day, UTC, all runs together."""
    tokens_per_run: int | None = Field(None, ge=0)
    """Tokens of one run, in and out together, as the endpoint counts them; estimated where it does not."""
    tokens_per_day: int | None = Field(None, ge=0)
    """Tokens of a day, UTC, all runs together."""
    keep_requests: bool = False
    """Keep the whole text of each request with its call, not only what rebuilds it. It outlives its messages."""
    prompts: Path | None = None
    """A folder of prompts of one's own, `NAME-VERSION.md`, that count beside those of the package; the highest version
    of a name is used."""

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        return full_url(value)

    @field_validator("api_key")
    @classmethod
    def _key(cls, value: SecretStr | None) -> SecretStr | None:
        plain = unquoted(value.get_secret_value()) if value else None
        return sendable(SecretStr(plain)) if plain else None


class SummarySettings(BaseModel):
    """When a model words topics anew, and how much it is given at once. Of a space without a model nothing of it holds.

    Source, unless said otherwise: docs/decisions/0010-summaries-by-a-model.md.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    changed: float = Field(0.34, ge=0, le=1)
    """Share of a topic's messages that came or went since its wording, from which on it is worded anew. 0: at once."""
    drift: float = Field(0.15, ge=0, le=2)
    """1 - cosine of a leaf's centroid to that of the messages it was worded from, from which on it is worded anew.
    Guess."""
    days: float = Field(7, ge=0)
    """A topic that has changed by less is worded anew this many days after it fell behind. Guess."""
    retry_minutes: float = Field(10, gt=0)
    """How long a topic is left alone after a wording that was refused; twice as long each further time, a day at most.
    Guess."""
    topics_a_call: int = Field(8, ge=1, le=40)
    """Topics of one request at most. Guess: what a small model still keeps apart."""
    tokens_a_call: int = Field(4000, ge=200)
    """Tokens of messages, or of children's summaries, of one request. Guess: with prompt and reply, the 8,192 tokens
    that local servers mostly give a model."""
