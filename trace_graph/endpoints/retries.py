"""Whether a failed request is worth another try, and after how long.

Source: PC-119 of the public cases (openai-python, pull request 3555): hints are honoured up to a stated limit, workers
do not retry in step, a spent quota is not retried.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

PATIENT = frozenset({408, 409, 425, 429, 502, 503, 504})
"""HTTP statuses that say "later": tried again until the deadline."""

LONGEST_PAUSE = 30.0
"""Seconds of Retry-After that are waited for; an endpoint that asks for more has failed for now. Source: guess."""

FIRST_BACKOFF, LONGEST_BACKOFF = 0.5, 8.0
"""Seconds before the second try and at most, where the endpoint names no pause; doubled each time. Source: the defaults
of the openai SDK."""

FEW = 3
"""Tries where a repetition rarely helps: no connection, HTTP 500."""


def may_retry(status: int | None, code: str | None, tries: int, pause: float | None) -> bool:
    """Decide after `tries` failures with this HTTP status; None means that no answer came.

    `code` is the error code in the body, `pause` the seconds that the endpoint asks for.
    """
    if code == "insufficient_quota" or (pause is not None and pause > LONGEST_PAUSE):
        return False
    if status is None or status == 500:
        return tries < FEW
    return status in PATIENT


def seconds_to_wait(tries: int, pause: float | None) -> float:
    """Tell how long to wait before the next try, a quarter more or less so that workers spread out."""
    if pause is not None:
        return pause * random.uniform(1.0, 1.25)
    return min(FIRST_BACKOFF * 2.0 ** (tries - 1), LONGEST_BACKOFF) * random.uniform(0.75, 1.0)


def pause_asked(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read Retry-After in seconds, from `retry-after-ms`, a number of seconds or an HTTP date.

    None where there is none that makes sense.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    written = headers.get("retry-after")
    seconds = _number(written)
    if seconds is not None or written is None:
        return seconds
    try:
        moment = parsedate_to_datetime(written)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(written: str | None) -> float | None:
    try:
        value = float(written or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
