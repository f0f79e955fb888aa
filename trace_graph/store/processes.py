"""What is asked of the machine about processes and ports, for the embedded engine."""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path


def few_variables() -> dict[str, str]:
    """The environment of the engine: it outlives us, and our keys and passwords are none of its business."""
    wanted = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "TEMP")
    return {name: os.environ[name] for name in wanted if name in os.environ}


def free_ports(count: int) -> list[int]:
    """Different ports of loopback that are free now; another program may take them before they are used."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def listens(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def command_line(pid: int) -> str:
    """The command line of a process, or nothing when there is no such process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        if Path("/proc/self/cmdline").exists():
            return ""
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout
