"""Kills what brings databases of judgements to the newest version, hundreds of times.

    python migrations.py [KILLS]

With SQLite in a temporary folder, and with PostgreSQL where its programs are installed: once before
each statement, and then at moments chosen at random. Prints what was tried, and what was left.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers import migration_killing, postgres_server


def main(kills=300):
    with tempfile.TemporaryDirectory() as folder:
        torture("SQLite", lambda name: made(Path(folder) / name), kills)
    binaries = postgres_server.find_binaries()
    if binaries is None:
        print(postgres_server.MISSING)
        return
    server = postgres_server.Server(binaries)
    try:
        torture("PostgreSQL", lambda _: server.database(), kills)
    finally:
        server.remove()


def made(folder):
    folder.mkdir()
    return folder


def torture(what, place, kills):
    for how, *numbers in (("statements",), ("moments", 1, kills)):
        done = migration_killing.run(how, place(how), *numbers)
        assert done.returncode == 0, done.stderr
        print(f"{what}, {how}: {done.stdout.strip()}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
