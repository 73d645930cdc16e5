"""Makes the specimen of a database of judgements in tests/data, as this version writes it.

    python session_specimen.py DIRECTORY

A released version keeps its specimen for ever: a new one gets another beside it. Those of version
1 hold the same judgements and no more than that version knew, in SQLite and, as a dump of
`pg_dump --inserts` that any connection can run, in PostgreSQL.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from likewise import Index
from likewise.reviews.database import Database
from likewise.reviews.tables import VERSION


def main(directory):
    place = directory / f"specimen-v{VERSION}.sessions.sqlite"
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "specimen.idx"
        shutil.copytree(Path(__file__).parents[1] / "data" / "specimen-v1.idx", copy)
        judge(Index.open(copy), place)
    with Database(place).writing() as connection:
        connection.exec_driver_sql("UPDATE likewise_sessions SET path = '/papers/specimen.idx'")
        connection.exec_driver_sql("DELETE FROM likewise_audit WHERE action = 'adopt'")


def judge(index, place):
    session = index.session("s", query="cats", reviewer="ann", database=place)
    session.next()
    session.judge_all({"cats": "relevant", "large": "not"})
    session.as_reviewer("bob").judge("cats", "not", reasons=["dogs"], note="see p. 3", tags=["x"])
    session.judge("late", "unsure")
    session.undo()
    session.plan(question="cats?", reasons=["dogs", "language"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
