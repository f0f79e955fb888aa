"""Where the jars of a Neo4j release lie, and how they get there: Maven, once, into the repository's cache."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trace_graph.errors import EngineUnavailable

REPOSITORY = Path(__file__).resolve().parents[2]
POM = Path(__file__).with_name("pom.xml")
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
DOWNLOAD_SECONDS = 900.0
MAVEN_HINT = "Install Maven (apt-get install maven) and run again: it fetches 115 MB a release, once."


def cache_folder() -> Path:
    """The jars of all releases: .cache/neo4j of the repository, or TRACE_GRAPH_TEST_NEO4J_CACHE."""
    return Path(os.environ.get("TRACE_GRAPH_TEST_NEO4J_CACHE") or REPOSITORY / ".cache" / "neo4j")


def jars_are_complete(cache: Path, version: str) -> bool:
    """Whether a download of this version was finished; the marker holds the number of jars."""
    marker = cache / version / "complete"
    return marker.exists() and int(marker.read_text()) == len(list((cache / version / "lib").glob("*.jar")))


def provide_jars(cache: Path, version: str) -> Path:
    """The folder with the jars of this version, downloaded unless it is complete; safe to call in two processes.

    Raises: EngineUnavailable when Maven is missing or fails.
    """
    library = cache / version / "lib"
    with _only_one_process(cache / "download.lock"):
        if not jars_are_complete(cache, version):
            shutil.rmtree(cache / version, ignore_errors=True)
            _download(version, library)
            (cache / version / "complete").write_text(str(len(list(library.glob("*.jar")))))
    return library


@contextmanager
def _only_one_process(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _download(version: str, library: Path) -> None:
    if shutil.which("mvn") is None:
        _install_maven()
    library.mkdir(parents=True)
    _run(
        "mvn",
        "--quiet",
        "--batch-mode",
        f"--file={POM}",
        f"-Dneo4j.version={version}",
        f"{DEPENDENCY_PLUGIN}:copy-dependencies",
        "-DincludeScope=runtime",
        f"-DoutputDirectory={library}",
    )


def _install_maven() -> None:
    _run("apt-get", "update", "--quiet")
    _run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "maven")


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=DOWNLOAD_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineUnavailable(f"{command[0]} did not finish: {error}", fix=MAVEN_HINT) from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise EngineUnavailable(f"{' '.join(command)} failed:\n{said}", fix=MAVEN_HINT)
