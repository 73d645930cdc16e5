"""Kills what brings a database of judgements to the newest version, and looks at what it leaves.

    python migration_killing.py statements PLACE
    python migration_killing.py moments PLACE SEED KILLS

PLACE is a folder for copies of the specimen in SQLite, or the URL of PostgreSQL's. First the
process dies before each statement that it sends, and before it commits, one after the other; or at
moments chosen at random. The old tables must be there afterwards or the new ones, whole, with all
rows; and whoever opens the database next goes on with them. Prints how often which was found.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import time
from collections import Counter
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.engine import Engine

from likewise.reviews import records
from likewise.reviews.database import Database
from likewise.reviews.migration import ADDED, FIRST_TABLES
from likewise.reviews.records import Position
from likewise.reviews.tables import VERSION, metadata

DATA = Path(__file__).parents[1] / "data"
EVENTS = 1_000  # more than the specimen has, so that copying takes its time


def statements(make):
    """Die before the first statement, the second, …; until it comes to its end."""
    found = Counter()
    place = make()
    while os.waitstatus_to_exitcode(opened(place, found["statements"] + 1)):
        found["statements"] += 1
        found[check(place)] += 1
        place = make()
    assert version(place) == VERSION
    return found


def moments(make, seed, kills):
    rng = random.Random(seed)
    place = make()
    began = time.monotonic()
    assert os.waitstatus_to_exitcode(opened(place)) == 0
    took = time.monotonic() - began
    found = Counter()
    for _ in range(kills):
        place = make()
        pid = fork(place)
        time.sleep(rng.uniform(0, took))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        found[check(place)] += 1
    return found


def opened(place, kill_at=None):
    """The status of a process that opens it."""
    return os.waitpid(fork(place, kill_at), 0)[1]


def fork(place, kill_at=None):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if kill_at is not None:
                die_at(kill_at)
            Database(place).close()
            status = 0
        finally:
            os._exit(status)
    return pid


def die_at(number):
    left = number

    def step(*_):
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)


def check(place):
    """Which version it left: that one whole; and the next process goes on from there."""
    left = version(place)
    before = tables(place)
    names = {table.name for table in metadata.sorted_tables}
    if left == 1:
        assert set(before) <= {table.name for table in FIRST_TABLES}, before.keys()
        for table, added in ADDED.items():
            assert not set(before.get(table.name, ())) & set(added), table.name
    else:
        assert left == VERSION
        assert set(before) >= names
    rows = judged(place)
    if "://" not in str(place):
        with sqlite3.connect(place) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    database = Database(place)
    found = records.news(database, 1, Position())
    assert [(one.number, one.reviewer, one.document, one.label) for one in found.events] == rows
    database.close()
    assert version(place) == VERSION
    if "://" not in str(place):
        copies = list(Path(place).parent.glob("*.v1.sqlite"))
        assert len(copies) == 1, copies
        assert version(copies[0]) == 1
        assert judged(copies[0]) == rows
        assert not list(Path(place).parent.glob("*.new*"))
    return f"version {left}"


def raw(place, work):
    url = str(place) if "://" in str(place) else f"sqlite:///{place}"
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.connect() as connection:
            return work(connection)
    finally:
        engine.dispose()


def version(place):
    return int(raw(place, lambda c: c.execute(text("SELECT value FROM likewise_meta")).scalar()))


def tables(place):
    """Columns by table; copies of older tables are left out."""

    def read(connection):
        inspector = inspect(connection)
        return {
            name: sorted(column["name"] for column in inspector.get_columns(name))
            for name in inspector.get_table_names()
            if not re.match(r"likewise_v\d", name) and name != "sqlite_sequence"
        }

    return raw(place, read)


def judged(place):
    wanted = text("SELECT number, reviewer, document, label FROM likewise_events ORDER BY number")
    return raw(place, lambda connection: [tuple(row) for row in connection.execute(wanted)])


def copies(folder):
    """Makes copies of SQLite's specimen, each with a folder of its own."""
    large = folder / "large.sqlite"
    shutil.copy(DATA / "specimen-v1.sessions.sqlite", large)
    with sqlite3.connect(large) as connection:
        rows = [(1, "eve", "judge", f"document {i}", "not", 1.0) for i in range(EVENTS)]
        columns = "(session, reviewer, action, document, label, at)"
        connection.executemany(
            f"INSERT INTO likewise_events {columns} VALUES (?, ?, ?, ?, ?, ?)", rows
        )
    connection.close()
    numbers = count()

    def make():
        home = folder / str(next(numbers))
        home.mkdir()
        return shutil.copy(large, home / "kept.sqlite")

    return make


def fresh(url):
    """Puts PostgreSQL's specimen where it was."""
    dump = (DATA / "specimen-v1.sessions.sql").read_text()

    def make():
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            connection.execute(dump)
        return url

    return make


def main(what, place, *numbers):
    make = fresh(place) if "://" in place else copies(Path(place))
    found = {"statements": statements, "moments": moments}[what](make, *map(int, numbers))
    print(*(f"{name}: {number}" for name, number in sorted(found.items())), sep=", ")


if __name__ == "__main__":
    main(*sys.argv[1:])
