"""One Neo4j Community server as a child process: started, given a password, stopped by its own handle."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engines.readiness import wait_until_ready
from tests.engines.releases import EngineAddress, Release
from trace_graph.errors import EngineUnavailable

STOP_SECONDS = 30.0
HASTY_STOP_SECONDS = 1.0  # an orderly stop takes 10 s: too long where nobody wants the data
QUICK_START = ("-XX:TieredStopAtLevel=1",)  # a start costs 15 s of processor instead of 24; slower in the long run
PORT_TRIES = 3
OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")


class Neo4jServer:
    """A Neo4j of one release in one home folder; its data stay in the folder, so it can be started again."""

    def __init__(
        self,
        release: Release,
        jars: Path,
        home: Path,
        *,
        heap: str = "1g",
        page_cache: str = "128m",
        java_options: tuple[str, ...] = (),
        port: int | None = None,
    ) -> None:
        """Prepare it; with a port it listens there and nowhere else, so that it is found again after a restart."""
        self._release = release
        self._jars = jars
        self._home = home.absolute()
        self._heap = heap
        self._page_cache = page_cache
        self._java_options = java_options
        self._port = port
        self._logs = (self._home / "console.log", self._home / "logs" / "neo4j.log")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> EngineAddress:
        """Start the process and wait until the database answers a query.

        Raises: EngineUnavailable when it ends early or the deadline passes; nothing is left running then.
        """
        password = self._password()
        for _ in range(PORT_TRIES):
            uri = f"bolt://127.0.0.1:{self._port or free_port()}"
            if self._start_at(uri, password):
                return EngineAddress(self._release.kind, uri, "neo4j", password)
        raise self._failed(f"It found its port taken {PORT_TRIES} times.")

    def stop(self, patience: float = STOP_SECONDS) -> None:
        """End the process, by force after `patience` seconds; nothing to do when it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """End the process as a power cut would; `start` starts it again."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def wait(self) -> None:
        """Wait until the process ends of itself.

        Raises: EngineUnavailable then: nobody stopped it.
        """
        if self._process is not None:
            self._process.wait()
            raise self._failed("It ended unasked.")

    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process is None or self._process.poll() is not None

    def _start_at(self, uri: str, password: str) -> bool:
        """False when another program took the port first."""
        self._write_configuration(uri.removeprefix("bolt://"))
        self._process = self._spawn()
        try:
            wait_until_ready(uri, password, self.ended)
        except EngineUnavailable as error:
            self.stop(HASTY_STOP_SECONDS)
            if "already in use" in self._said():
                return False
            raise self._failed(error.message) from error
        except BaseException:
            self.stop(HASTY_STOP_SECONDS)
            raise
        return True

    def _password(self) -> str:
        """The password of this home: kept beside the data, so that a second start finds it."""
        self._home.mkdir(parents=True, exist_ok=True)
        kept = self._home / "password"
        if not kept.exists():
            with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
                handle.write(secrets.token_hex(16))
        return kept.read_text()

    def _write_configuration(self, address: str) -> None:
        settings = {
            "server.bolt.listen_address": address,
            "server.bolt.advertised_address": address,
            "server.http.enabled": "false",
            "server.https.enabled": "false",
            "server.memory.pagecache.size": self._page_cache,
            "db.tx_log.preallocate": "false",  # otherwise 256 MB of disk for each database
            "dbms.security.auth_max_failed_attempts": "0",  # a test of a wrong password locks nobody out
            "dbms.usage_report.enabled": "false",
            **dict(self._release.settings),
        }
        folder = self._home / "conf"
        folder.mkdir(exist_ok=True)
        (folder / "neo4j.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    def _spawn(self) -> subprocess.Popen[bytes]:
        for log in self._logs:  # what an earlier start said must not be taken for this one's
            log.unlink(missing_ok=True)
        with self._logs[0].open("wb") as console:
            return subprocess.Popen(
                [*_ended_with_us(), *self._command()],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                cwd=self._home,
                start_new_session=True,  # Ctrl-C is for the tests: they stop the server when they are done
            )

    def _command(self) -> list[str]:
        java = java_home()
        options = [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
        if "jdk.incubator.vector" in (java / "release").read_text():
            options.append("--add-modules=jdk.incubator.vector")
        return [
            str(java / "bin" / "java"),
            "-Xms512m",
            f"-Xmx{self._heap}",
            "--enable-native-access=ALL-UNNAMED",
            *options,
            *self._java_options,
            "-cp",
            f"{self._jars}/*",
            self._release.main_class,
            f"--home-dir={self._home}",
            f"--config-dir={self._home / 'conf'}",
        ]

    def _failed(self, what: str) -> EngineUnavailable:
        said = self._said().splitlines()
        lines = [line for line in said if " INFO " not in line and not line.startswith(("\t", "WARNING: "))]
        return EngineUnavailable(
            f"Neo4j {self._release.version}: {what} It said:\n" + "\n".join(lines[-10:]),
            fix="Read that, and see that 2 GB of memory are free and no other server uses the same home.",
        )

    def _said(self) -> str:
        """What the process printed, then its own log."""
        return "\n".join(log.read_text(errors="replace") for log in self._logs if log.exists())


@contextmanager
def running_neo4j(release: Release, jars: Path) -> Iterator[EngineAddress]:
    """A Neo4j in a temporary home, gone with its data afterwards."""
    with tempfile.TemporaryDirectory(prefix=f"{release.kind}-", ignore_cleanup_errors=True) as home:
        server = Neo4jServer(release, jars, Path(home), java_options=QUICK_START)
        try:
            yield server.start()
        finally:
            server.stop(HASTY_STOP_SECONDS)


def java_home() -> Path:
    """The Java that the package arcadedb_embedded brings; it runs both releases of Neo4j.

    Raises: EngineUnavailable when the package is not installed.
    """
    found = importlib.util.find_spec("arcadedb_embedded")
    if found is None or not found.submodule_search_locations:
        raise EngineUnavailable("There is no Java here.", fix="pip install arcadedb-embedded")
    return Path(found.submodule_search_locations[0]) / "jre"


def free_port() -> int:
    """A port of loopback that was free a moment ago."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def _ended_with_us() -> list[str]:
    """On Linux the kernel ends the server when the tests are killed and cannot do it themselves."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM"] if setpriv else []
