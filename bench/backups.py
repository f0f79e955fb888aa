"""Does a backup of the whole database come back whole?

    python -m bench.backups --engine arcadedb|neo4j-5.26|neo4j-2026

Neo4j: stopped, dumped by `neo4j-admin database dump`, loaded into another home by `neo4j-admin database load`.
ArcadeDB: `BACKUP DATABASE` while it runs and somebody writes, the archive unpacked into another data folder. In both
cases the export of a space that nobody wrote to must be equal to the one before, and doctor must find nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.engines.neo4j_jars import cache_folder, provide_jars
from tests.engines.neo4j_server import java_home
from tests.engines.own_neo4j import own_neo4j
from tests.engines.releases import RELEASES, EngineAddress
from trace_graph import Memory
from trace_graph.config import Settings, load_settings
from trace_graph.store import arcadedb_http
from trace_graph.store.local_server import LocalServer
from trace_graph.store.server_files import DATABASE

DEMO = Path("examples/demo.jsonl")
WRITTEN = 200
"""Messages that are written to another space while ArcadeDB makes its backup."""


async def fill(settings: Settings) -> bytes:
    """A space with a tree; its export."""
    async with Memory(settings=settings) as memory:
        await memory.import_file(DEMO, space="demo")
        await memory.organize(space="demo")
        return await exported(memory)


async def exported(memory: Memory) -> bytes:
    """The space as it leaves."""
    out = io.BytesIO()
    await memory.export(space="demo", out=out)
    return out.getvalue()


async def seen(settings: Settings) -> tuple[bytes, bool]:
    """The export of the space, and whether doctor finds all well."""
    async with Memory(settings=settings) as memory:
        return await exported(memory), (await memory.doctor(deep=True)).ok


def neo4j(kind: str, folder: Path) -> tuple[bytes, bytes, bool]:
    """The export before, the export after, and whether all is well then."""
    first, second, dumps = folder / "first", folder / "second", folder / "dumps"
    dumps.mkdir()
    server = own_neo4j(kind, first)
    try:
        before = asyncio.run(fill(_reached(server.start())))
    finally:
        server.stop()
    admin(kind, first, "dump", "neo4j", f"--to-path={dumps}")
    # The dump holds the user's data only: users, and so the password, are those of the home it is loaded into.
    shutil.copytree(first / "conf", second / "conf")
    admin(kind, second, "load", "neo4j", f"--from-path={dumps}")
    server = own_neo4j(kind, second)
    try:
        after, well = asyncio.run(seen(_reached(server.start())))
    finally:
        server.stop()
    return before, after, well


def admin(kind: str, home: Path, verb: str, *arguments: str) -> None:
    """Run `neo4j-admin database VERB` in a home whose server is stopped."""
    release = RELEASES[kind]
    jars = provide_jars(cache_folder(), release.version)
    subprocess.run(
        [str(java_home() / "bin" / "java"), "--add-opens=java.base/java.nio=ALL-UNNAMED",
         "--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector", f"-Dbasedir={home}",
         "-cp", f"{jars}/*", "org.neo4j.cli.AdminTool", "database", verb, *arguments],
        check=True, env={"NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf"), "PATH": "/usr/bin:/bin"})


def _reached(address: EngineAddress) -> Settings:
    return load_settings(uri=address.uri, username=address.user, password=address.password)


def arcadedb(folder: Path) -> tuple[bytes, bytes, bool]:
    """As `neo4j`, from a server that goes on running."""
    first, second = folder / "first", folder / "second"
    settings = load_settings(uri=f"local:{first}")
    try:
        before = asyncio.run(fill(settings))
        asyncio.run(_back_up_while_writing(settings))
    finally:
        asyncio.run(LocalServer(first).stop())
    archive, = (first / "backups").rglob("*.zip")
    place = second / "databases" / DATABASE
    place.mkdir(parents=True)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(place)
    try:
        after, well = asyncio.run(seen(load_settings(uri=f"local:{second}")))
    finally:
        asyncio.run(LocalServer(second).stop())
    return before, after, well


async def _back_up_while_writing(settings: Settings) -> None:
    state = await LocalServer(settings.data_folder).ensure()
    async with Memory(settings=settings) as memory:
        adding = [memory.add(f"Remark {number}.", space="busy") for number in range(WRITTEN)]
        backing = asyncio.to_thread(arcadedb_http.sql, state.http, DATABASE, "BACKUP DATABASE")
        _, said = await asyncio.gather(asyncio.gather(*adding), backing)
    print(said)


def main() -> int:
    """The exit code: 1 where what came back is not what was backed up."""
    parser = argparse.ArgumentParser(prog="python -m bench.backups", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engine", choices=["arcadedb", *RELEASES], required=True)
    engine = parser.parse_args().engine
    with tempfile.TemporaryDirectory(prefix="backups-") as home:
        before, after, well = arcadedb(Path(home)) if engine == "arcadedb" else neo4j(engine, Path(home))
    equal = before == after
    print(f"{engine}: exports {'equal' if equal else 'DIFFER'}, doctor {'finds nothing' if well else 'FINDS PROBLEMS'}")
    return 0 if equal and well else 1


if __name__ == "__main__":
    sys.exit(main())
