"""What a piece of work asks of the database, the ranker and the index' ids."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import event
from sqlalchemy.engine import Engine

from likewise.feedback import Ranker
from likewise.store.snapshot import Snapshot


@dataclass
class Work:
    transactions: int = 0
    statements: list[str] = field(default_factory=list)
    rankings: int = 0
    look_ups: int = 0
    """Batches of ids that the index was asked for, by id or by number."""

    @property
    def selects(self) -> int:
        return sum(statement.startswith("SELECT") for statement in self.statements)


@contextmanager
def counting(monkeypatch):
    """Counts while the block runs, in every thread of this process."""
    work = Work()

    def began(connection):
        work.transactions += 1

    def executed(connection, cursor, statement, parameters, context, many):
        if not statement.startswith("BEGIN"):
            work.statements.append(statement)

    def counted(home, name, field):
        original = getattr(home, name)

        def call(*args, **kwargs):
            setattr(work, field, getattr(work, field) + 1)
            return original(*args, **kwargs)

        monkeypatch.setattr(home, name, call)

    with monkeypatch.context() as monkeypatch:
        counted(Ranker, "_rank", "rankings")
        counted(Snapshot, "numbers", "look_ups")
        counted(Snapshot, "ids", "look_ups")
        event.listen(Engine, "begin", began)
        event.listen(Engine, "before_cursor_execute", executed)
        try:
            yield work
        finally:
            event.remove(Engine, "begin", began)
            event.remove(Engine, "before_cursor_execute", executed)
