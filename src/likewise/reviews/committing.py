"""One commit for all who write at the same time: a disk takes as long for one as for many.

SQLite lets one connection write at a time, and each commit waits for the disk. Threads of a process
therefore share a transaction: each writes in its turn, within a savepoint of its own, and waits
until the transaction is on disk. Whoever finds nobody waiting behind commits for all. So who writes
alone waits for nobody, and those who come while others commit are on disk together.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Event, Lock, local
from typing import TYPE_CHECKING

from likewise.errors import StoreError
from likewise.reviews.prepared import driver_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection
    from sqlalchemy.engine import Engine

MOST = 64  # writers of one commit
LONGEST = 0.1  # seconds until nobody else is let in: other processes wait, too
PATIENCE = 1.0  # seconds after which who waits looks whether somebody is left to commit


class _Group:
    """A transaction, and who waits for it."""

    def __init__(self, connection: Connection) -> None:
        self.began = time.monotonic()
        self.members = 0
        self.done = Event()
        self.error: BaseException | None = None
        self.connection = connection
        self._transaction = connection.begin()

    @property
    def is_full(self) -> bool:
        late = time.monotonic() - self.began > LONGEST
        return late or self.members >= MOST or not self.is_open

    @property
    def is_open(self) -> bool:
        """SQLite ends a transaction by itself where a disk is full, for one."""
        return bool(driver_of(self.connection).in_transaction)

    def commit(self) -> None:
        try:
            if not self.is_open:
                raise StoreError("the database could not be written: try again")
            self._transaction.commit()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()


class Commits:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = Lock()  # held by who writes or commits
        self._counting = Lock()
        self._waiting = 0
        self._group: _Group | None = None
        self._kept: Connection | None = None  # for the next group
        self._own = local()  # the connection of a thread that writes several things together

    def close(self) -> None:
        """Let go of the connection that is kept."""
        with self._turn:
            self._let_go()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """What was written is on disk when it ends; on an error nothing of it is."""
        if (own := getattr(self._own, "connection", None)) is not None:
            with _savepoint(own):
                yield own
            return
        self._enter()
        try:
            if self._group is None:
                self._group = self._begun()
            group = self._group
            group.members += 1
            try:
                with _savepoint(group.connection):
                    yield group.connection
            finally:
                if not self._waiting or group.is_full:
                    self._commit(group)
        finally:
            self._turn.release()
        while not group.done.wait(PATIENCE):  # who stood behind may have been interrupted
            with self._turn:
                self._commit(group)
        if group.error is not None:
            raise group.error

    @contextmanager
    def together(self) -> Iterator[None]:
        """What this thread writes meanwhile is on disk when it ends, by one commit, or none of it.

        Others who write wait until then.
        """
        with self.writing() as connection:
            self._own.connection = connection
            try:
                yield
            finally:
                del self._own.connection

    def _enter(self) -> None:
        with self._counting:
            self._waiting += 1
        try:
            self._turn.acquire()
        finally:
            with self._counting:
                self._waiting -= 1

    def _begun(self) -> _Group:
        """A transaction on the connection of the one before: to open one takes as long as to use
        it. One that has failed is not used again.
        """
        if self._kept is None:
            self._kept = self._engine.connect().execution_options(likewise_writes=True)
        try:
            return _Group(self._kept)
        except BaseException:
            self._let_go()
            raise

    def _commit(self, group: _Group) -> None:
        if self._group is group:
            self._group = None
            group.commit()
            if group.error is not None:
                self._let_go()

    def _let_go(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()


@contextmanager
def _savepoint(connection: Connection) -> Iterator[None]:
    driver = driver_of(connection)
    driver.execute("SAVEPOINT writer")
    try:
        yield
    except BaseException:
        if driver.in_transaction:
            driver.execute("ROLLBACK TO writer")
            driver.execute("RELEASE writer")
        raise
    driver.execute("RELEASE writer")
