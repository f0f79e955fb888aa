"""The scripted server with the sensible reader, as a process of its own: python -m tests.serve_sensible

Prints its base URL and serves until its standard input closes. For transcripts and for trying commands by hand.
"""

from __future__ import annotations

import sys

from tests.scripted_openai import scripted_openai
from tests.sensible_chat import sensible


def main() -> None:
    """Serve."""
    with scripted_openai() as server:
        server.answer = sensible
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
