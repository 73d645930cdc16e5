"""A PostgreSQL server of one's own: a new cluster in a temporary folder, on a socket in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

PLACES = [*map(Path, os.get_exec_path()), *Path("/usr/lib/postgresql").glob("*/bin")]
PROGRAMS = ("initdb", "pg_ctl")
MISSING = (
    "PostgreSQL IS NOT TESTED: no initdb and pg_ctl on the PATH or in /usr/lib/postgresql/*/bin; "
    "install Debian's package postgresql or its like"
)


def find_binaries() -> Path | None:
    """The folder of a server's programs, if there is one."""
    for folder in PLACES:
        if all((folder / program).exists() for program in PROGRAMS):
            return folder
    return None


class Server:
    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._folder = Path(
            tempfile.mkdtemp(prefix="likewise-")
        )  # short: a socket's path is limited
        self._data = self._folder / "data"
        self._numbers = count()
        # The server refuses to run as root; Debian's package brings a user for it.
        self._user = "postgres" if os.getuid() == 0 else None
        if self._user:
            shutil.chown(self._folder, self._user)
        self._run(
            "initdb", *["-U", "likewise", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        )
        self.start()

    def start(self) -> None:
        options = f"-k {self._folder} -c listen_addresses='' -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def database(self) -> str:
        """The URL of a new and empty database."""
        import psycopg

        name = f"test{next(self._numbers)}"
        address = f"host={self._folder} user=likewise dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://likewise@/{name}?host={self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), "-D", str(self._data), *arguments]
        log = (self._folder / "output").open("w+")  # the server keeps it open: no pipe would end
        with log:
            done = subprocess.run(
                command, user=self._user, cwd="/", stdout=log, stderr=log, env={"LC_ALL": "C"}
            )
            log.seek(0)
            assert done.returncode == 0, f"{command}: {log.read()}"
