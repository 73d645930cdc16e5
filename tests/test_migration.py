"""Databases of older versions: brought along whole or not at all, nothing lost, a copy kept."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from helpers import migration_killing
from helpers.migration_killing import fresh, judged, tables, version
from helpers.process import run_program
from likewise import Index
from likewise.errors import StoreError
from likewise.reviews.database import Database
from likewise.reviews.ledger import FIRST, Change
from likewise.reviews.tables import VERSION, metadata

DATA = Path(__file__).parent / "data"
BEFORE = [  # the events of the specimens of version 1
    (1, "ann", "cats", "relevant"),
    (2, "ann", "large", "not"),
    (3, "bob", "cats", "not"),
    (4, "ann", "late", "unsure"),
    (5, "ann", None, None),
]


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copy(DATA / "specimen-v1.sessions.sqlite", tmp_path / "kept.sqlite"))


@pytest.fixture
def index(tmp_path):
    shutil.copytree(DATA / "specimen-v1.idx", tmp_path / "specimen.idx")
    return Index.open(tmp_path / "specimen.idx")


@pytest.fixture
def old_postgres(postgres):
    return fresh(postgres.database())()


@pytest.fixture(params=["sqlite", "postgres"])
def anywhere(request):
    return request.getfixturevalue("old" if request.param == "sqlite" else "old_postgres")


def test_nothing_is_lost(index, anywhere):
    """The same judgements, pages and history; what was undone can be done again."""
    assert version(anywhere) == 1
    assert judged(anywhere) == BEFORE
    session = index.session("s", reviewer="ann", database=anywhere, adopt=True)
    assert version(anywhere) == VERSION
    assert judged(anywhere) == BEFORE
    assert session.judgements() == {"cats": "relevant", "large": "not"}
    assert session.judgements("bob") == {"cats": "not"}
    assert [entry.action for entry in session.history()] == ["judge", "judge", "judge", "undo"]
    assert session.history()[0].changes[0] == Change("cats", None, "relevant", FIRST, ())
    assert session.page.number == 1
    assert session.page.ids == ["cats", "много", "large", "late"]
    assert session.redo().changes == (Change("late", None, "unsure"),)
    session.undo()
    session.undo()
    assert session.judgements() == {}
    session.redo()
    assert (session.owner, session.protocol.reasons, session.notes()) == ("", (), {})
    assert session.settings.stage == FIRST
    session.judge("late", "not", reasons=["dull"], note="no", tags=["t"], stage="full text")
    assert index.session("s", database=anywhere, stage="full text", reviewer="ann").reasons() == {
        "late": ("dull",)
    }


def test_the_new_tables_are_those_of_a_new_database(anywhere, tmp_path, postgres):
    Database(anywhere).close()
    new = tmp_path / "new.sqlite" if isinstance(anywhere, Path) else postgres.database()
    Database(new).close()
    assert tables(anywhere) == tables(new)
    assert set(tables(new)) == {table.name for table in metadata.sorted_tables}


def test_a_copy_is_kept_beside_it(old):
    Database(old).close()
    copy = old.with_name("kept.v1.sqlite")
    assert version(copy) == 1
    assert judged(copy) == BEFORE
    assert {path.name for path in old.parent.iterdir()} == {"kept.sqlite", "kept.v1.sqlite"}
    Database(old).close()
    assert len(list(old.parent.iterdir())) == 2


def test_an_earlier_copy_is_not_overwritten(old):
    copy = old.with_name("kept.v1.sqlite")
    copy.write_bytes(b"somebody's")
    Database(old).close()
    assert copy.read_bytes() == b"somebody's"
    assert judged(old.with_name("kept.v1_2.sqlite")) == BEFORE


def test_a_copy_is_as_private_as_the_database(old):
    old.chmod(0o600)
    Database(old).close()
    assert old.with_name("kept.v1.sqlite").stat().st_mode & 0o777 == 0o600


def test_an_earlier_copy_in_postgres_stays(old_postgres):
    import psycopg

    with psycopg.connect(old_postgres) as connection:
        connection.execute("CREATE TABLE likewise_v1_events AS SELECT 'mine' AS whose")
    Database(old_postgres).close()
    with psycopg.connect(old_postgres) as connection:
        (whose,) = connection.execute("SELECT whose FROM likewise_v1_events").fetchone()
        found = connection.execute('SELECT count(*) FROM "likewise_v1_2_events"').fetchone()
    assert (whose, found) == ("mine", (5,))


def test_a_copy_in_postgres(old_postgres):
    import psycopg

    Database(old_postgres).close()
    with psycopg.connect(old_postgres) as connection:
        found = connection.execute("SELECT reviewer, document FROM likewise_v1_events")
        assert found.fetchall()[:3] == [("ann", "cats"), ("ann", "large"), ("bob", "cats")]
        names = "SELECT count(*) FROM likewise_v1_{}"
        counts = [
            connection.execute(names.format(name)).fetchone()[0]
            for name in ("meta", "sessions", "pages", "queries")
        ]
        assert counts == [1, 1, 1, 1]
        assert connection.execute("SELECT name, owner FROM likewise_queries").fetchall() == [
            ("q", "")
        ]


def test_without_room_for_a_copy_nothing_is_changed(old):
    old.with_name("kept.sqlite.v1.new").mkdir()
    with pytest.raises(StoreError, match=r"kept.sqlite is of an older .* a copy .* cannot be kept"):
        Database(old)
    assert version(old) == 1


def test_what_can_only_be_read(old):
    with pytest.raises(StoreError, match=r"of an older likewise and can only be read .* a copy$"):
        Database(f"sqlite:///file:{old}?mode=ro&uri=true")
    assert version(old) == 1
    Database(old).close()
    later = Database(f"sqlite:///file:{old}?mode=ro&uri=true")
    with later.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM likewise_events").scalar() == 5
    later.close()


@pytest.mark.parametrize("number", [VERSION + 1, 10**8])
def test_newer(old, number):
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE likewise_meta SET value = ?", (str(number),))
    connection.close()
    with pytest.raises(StoreError, match=r"newer likewise \(version \d+ .*\): upgrade likewise$"):
        Database(old)
    assert not list(old.parent.glob("*.v1*"))


def test_a_program_of_the_version_before_goes_on_writing(anywhere, index):
    """It names the columns that it knows; the others have their defaults."""
    session = index.session("s", reviewer="ann", database=anywhere, adopt=True)
    with Database(anywhere).writing() as connection:
        connection.exec_driver_sql(
            "INSERT INTO likewise_events (session, reviewer, action, document, label, at) "
            "VALUES (1, 'ann', 'judge', 'late', 'not', 1.0)"
        )
    assert session.judgements()["late"] == "not"


def test_everybody_opens_it_at_once(anywhere):
    failures = []
    barrier = threading.Barrier(6)

    def work():
        try:
            barrier.wait()
            Database(anywhere).close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert version(anywhere) == VERSION
    assert judged(anywhere) == BEFORE


def test_killed_before_every_statement(quick_folder):
    done = run_program(migration_killing.__file__, "statements", quick_folder)
    assert done.returncode == 0, done.stderr
    counted = dict(part.split(": ") for part in done.stdout.strip().split(", "))
    assert int(counted["statements"]) == int(counted["version 1"]) > 36


def test_killed_at_any_moment(quick_folder):
    done = run_program(migration_killing.__file__, "moments", quick_folder, 7, 24)
    assert done.returncode == 0, done.stderr
    assert "version 1" in done.stdout


def test_killed_before_every_statement_to_postgres(postgres):
    done = run_program(migration_killing.__file__, "statements", postgres.database())
    assert done.returncode == 0, done.stderr
