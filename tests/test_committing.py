"""Threads that write at the same time share a commit; each keeps or loses its own writes alone."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
from sqlalchemy import text

from likewise.errors import LikewiseError, StoreError
from likewise.reviews.committing import Commits
from likewise.reviews.database import Database


@pytest.fixture
def database(tmp_path):
    made = Database(tmp_path / "j.db")
    with made.writing() as connection:
        connection.execute(text("CREATE TABLE noted (n INTEGER PRIMARY KEY)"))
    yield made
    made.close()


def note(database, n, error=None):
    with database.writing() as connection:
        connection.execute(text("INSERT INTO noted VALUES (:n)"), {"n": n})
        if error is not None:
            raise error


def noted(database):
    with database.reading() as connection:
        return set(connection.scalars(text("SELECT n FROM noted")))


def at_once(works):
    """Run all in threads that begin together; what each raised, in their order."""
    raised, ready = [None] * len(works), Barrier(len(works))

    def run(place, work):
        ready.wait()
        try:
            work()
        except Exception as error:
            raised[place] = error

    threads = [Thread(target=run, args=item) for item in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return raised


def committed(database, monkeypatch):
    """How many writers each commit has had."""
    sizes, commit = [], Commits._commit

    def counted(self, group):
        if self._group is group:
            sizes.append(group.members)
        commit(self, group)

    monkeypatch.setattr(Commits, "_commit", counted)
    return sizes


def test_who_writes_alone_commits_alone(database, monkeypatch):
    sizes = committed(database, monkeypatch)
    note(database, 1)
    note(database, 2)
    assert sizes == [1, 1]
    assert noted(database) == {1, 2}


def test_those_who_wait_are_committed_together(database, monkeypatch):
    sizes = committed(database, monkeypatch)
    ready = Barrier(9)

    def first():
        with database.writing() as connection:
            ready.wait()
            while database._commits._waiting < 8:
                pass
            connection.execute(text("INSERT INTO noted VALUES (0)"))

    def other(n):
        ready.wait()
        note(database, n)

    raised = at_once([first, *(lambda n=n: other(n) for n in range(1, 9))])
    assert raised == [None] * 9
    assert sizes == [9]
    assert noted(database) == set(range(9))


def test_an_error_takes_back_its_own_writes_alone(database):
    wrong = [KeyError(n) if n % 3 == 0 else None for n in range(24)]
    works = [lambda n=n: note(database, n, wrong[n]) for n in range(24)]
    assert at_once(works) == wrong
    assert noted(database) == {n for n in range(24) if n % 3}


def test_what_a_database_refuses_is_one_writers_alone(database):
    note(database, 5)
    raised = at_once([lambda n=n: note(database, n) for n in range(8)])
    assert [n for n, error in enumerate(raised) if error] == [5]
    assert isinstance(raised[5], LikewiseError)
    assert noted(database) == set(range(8))


def test_nobody_is_told_of_success_where_the_transaction_is_gone(database):
    """As where a disk is full, which ends it within one writer's statements."""
    ready = Barrier(2)

    def first():
        with database.writing() as connection:
            ready.wait()
            while not database._commits._waiting:
                pass
            connection.execute(text("INSERT INTO noted VALUES (1)"))

    def second():
        ready.wait()
        with database.writing() as connection:
            connection.exec_driver_sql("ROLLBACK")
            raise KeyError

    raised = at_once([first, second])
    assert isinstance(raised[0], StoreError)
    assert isinstance(raised[1], KeyError)
    assert noted(database) == set()
    note(database, 2)
    assert noted(database) == {2}


def test_a_commit_that_fails_fails_for_all(database, monkeypatch):
    def full(self):
        self.error = StoreError("the disk is full")
        self.connection.close()
        self.done.set()

    monkeypatch.setattr("likewise.reviews.committing._Group.commit", full)
    raised = at_once([lambda n=n: note(database, n) for n in range(4)])
    monkeypatch.undo()
    assert [str(error) for error in raised] == ["the disk is full"] * 4
    assert noted(database) == set()
