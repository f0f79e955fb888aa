"""The command line of the embedded engine: its Java, its jars, its settings."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from trace_graph.errors import EngineUnavailable
from trace_graph.store.server_files import ROOT_PASSWORD_FILE

UNUSED_JARS = (
    "arcadedb-mcp", "arcadedb-redisw", "arcadedb-postgresw", "arcadedb-graphql", "arcadedb-console", "arcadedb-python")
"""Doors of the engine that nobody here uses: what is not on the class path cannot listen."""
LARGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes of one message to the server, and of one value in it: a text of 4 MiB in a script without spaces has terms of
15 MiB. Its default of 16 MiB ends the connection without telling why."""
WAL_FLUSH = 2
"""The engine's log is on the disk, its metadata too, before a write is acknowledged. Its default of 0 leaves that to
the operating system, and may lose an acknowledged write in a power cut. The price: docs/benchmarks.md."""
LONGEST_COMMAND = 600_000
"""Milliseconds after which the server gives up a command. A client that leaves does not stop its query, so without this
a runaway one keeps a core for ever; nobody waits longer than this (arcadedb_http waits 600 s for an index)."""


def java_command(folder: Path, *, bolt_port: int, http_port: int, heap_mb: int) -> list[str]:
    """The arguments that start the server of a data folder. Raises: EngineUnavailable when the package is not whole."""
    java, jars = _java_and_jars()
    return [
        str(java), f"-Xmx{heap_mb}m", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true", "-Dfile.encoding=UTF8",
        "-Dpolyglot.engine.WarnInterpreterOnly=false", "--add-modules=jdk.incubator.vector",
        "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/java.nio.channels.spi=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
        *(f"-Darcadedb.{name}={value}" for name, value in _settings(folder, bolt_port, http_port).items()),
        "-cp", os.pathsep.join(str(jar) for jar in jars), "com.arcadedb.server.ArcadeDBServer",
    ]


def _settings(folder: Path, bolt_port: int, http_port: int) -> dict[str, object]:
    return {
        "server.rootPath": folder,
        "server.databaseDirectory": folder / "databases",
        "server.logsDirectory": folder / "log",
        "server.rootPasswordPath": folder / ROOT_PASSWORD_FILE,
        "server.httpIncomingHost": "127.0.0.1",
        "bolt.maxMessageSize": LARGEST_MESSAGE,
        "bolt.packstream.maxValueLength": LARGEST_MESSAGE,
        "server.httpIncomingPort": http_port,
        "bolt.host": "127.0.0.1",
        "bolt.port": bolt_port,
        "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "txWalFlush": WAL_FLUSH,
        # Otherwise the whole vector graph is rebuilt 15 s after the last write.
        "vectorIndex.inactivityRebuildTimeoutMs": 0,
        "opencypher.loadCsv.allowFileUrls": "false",
        "opencypher.loadCsv.allowRemoteUrls": "false",
        "command.timeout": LONGEST_COMMAND,
    }


def _java_and_jars() -> tuple[Path, list[Path]]:
    spec = find_spec("arcadedb_embedded")
    if spec is None or spec.origin is None:
        raise EngineUnavailable(
            "The package arcadedb-embedded is not installed.",
            fix="pip install arcadedb-embedded, or set TRACE_GRAPH_URI to a Neo4j.")
    package = Path(spec.origin).parent
    programs = [package / "jre" / "bin" / name for name in ("java", "java.exe")]
    java = next((program for program in programs if program.exists()), None)
    if java is None:
        raise EngineUnavailable(
            f"{package} holds no Java.", fix="Reinstall it: pip install --force-reinstall arcadedb-embedded.")
    jars = sorted(jar for jar in (package / "jars").glob("*.jar") if not jar.name.startswith(UNUSED_JARS))
    return java, jars
