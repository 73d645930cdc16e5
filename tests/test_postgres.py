"""Sessions in PostgreSQL, with a real server: as in SQLite, and what may go wrong there."""

from __future__ import annotations

import threading

import pytest

from helpers import session_killing
from helpers.process import run_program
from likewise import Document, Index
from likewise.errors import StoreError, UsageError
from likewise.reviews import records
from likewise.reviews.database import Database
from likewise.reviews.ledger import Change
from likewise.reviews.records import Draft, Entries, Position
from likewise.reviews.tables import VERSION


@pytest.fixture
def url(postgres):
    return postgres.database()


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "small.idx")
    index.add([Document(str(i), f"cats {'dogs ' * (i % 3)} number{i}") for i in range(30)])
    return index


def again(index):
    return Index.open(index.path)


def test_a_session_from_beginning_to_end(index, url, tmp_path):
    ann = index.session("s", query="cats", reviewer="ann", database=url, page_size=4)
    page = ann.page
    ann.judge_all({page.ids[0]: "relevant", page.ids[1]: "not"})
    bob = again(index).session("s", reviewer="bob", database=url)
    assert bob.next().ids[:2] == page.ids[:2]
    bob.judge(page.ids[0], "not")
    later = again(index).session("s", reviewer="ann", database=url)
    assert later.page == page
    later.judge(page.ids[0], "unsure")
    later.undo()
    assert ann.judgements() == {page.ids[0]: "relevant", page.ids[1]: "not"}
    assert ann.redo().changes == (Change(page.ids[0], "relevant", "unsure"),)
    ann.undo()
    assert [c.document for c in bob.conflicts()] == [page.ids[0]]
    assert ann.agreement()[0].documents == 1
    assert len(bob.history()) == 6
    assert ann.stats().judged == 2
    ann.export(tmp_path / "judged.csv")
    other = index.session("t", database=url)
    assert other.load(tmp_path / "judged.csv").judged == 3
    assert [one.name for one in index.sessions(url)] == ["t", "s"]
    index.rename_session("t", "u", url)
    index.delete_session("u", url)
    assert [one.name for one in index.sessions(url)] == ["s"]
    assert not index.path.with_name("small.idx.sessions.sqlite").exists()


def test_deleting_takes_the_history_along(index, url):
    index.session("s", query="cats", database=url).judge("1", "not")
    index.delete_session("s", url)
    with Database(url).reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM likewise_events").scalar() == 0


def test_everybody_opens_it_for_the_first_time(url):
    """Tables, and a session, are made once."""
    found, failures = [], []
    barrier = threading.Barrier(6)

    def work():
        try:
            barrier.wait()
            database = Database(url)
            found.append(records.create(database, "s", "id", "/x.idx", "{}", "{}").number)
            database.close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(found) == 6
    assert len(set(found)) == 1


def test_a_killed_reviewer_loses_nothing(tmp_path, url):
    done = run_program(session_killing.__file__, "kill", tmp_path, 2, 5, url)
    assert done.returncode == 0, done.stderr


def test_processes_that_judge_in_one_session_all_keep_theirs(tmp_path, url):
    done = run_program(session_killing.__file__, "together", tmp_path, 2, 1, url)
    assert done.returncode == 0, done.stderr


def test_newer(url):
    database = Database(url)
    with database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE likewise_meta SET value = '{VERSION + 1}'")
    database.close()
    with pytest.raises(StoreError, match=r"newer likewise .*: upgrade likewise"):
        Database(url)


def test_what_is_not_there(url):
    with pytest.raises(StoreError, match=r'cannot use the database .*"nothing" does not exist'):
        Database(url.replace("/test", "/nothing?").split("?")[0] + "?" + url.split("?")[1])


def test_an_id_that_it_cannot_hold(url):
    database = Database(url)
    number = records.create(database, "s", "id", "/x.idx", "{}", "{}").number
    entries = Entries(records.judgements("a", [Draft("a\0b", "not")]))
    with pytest.raises(StoreError, match="cannot use the database"):
        records.append(database, number, Position(), lambda _: entries)
    with pytest.raises(UsageError, match="no session 'x'"):
        records.remove(database, "x")


def test_the_server_goes_away_and_comes_back(postgres, index):
    session = index.session("s", query="cats", database=postgres.database())
    session.judge("1", "relevant")
    postgres.stop()
    try:
        with pytest.raises(StoreError, match="cannot use the database"):
            session.judge("2", "not")
    finally:
        postgres.start()
    assert session.judgements() == {"1": "relevant"}
    session.judge("2", "not")
    assert session.judgements() == {"1": "relevant", "2": "not"}
