"""Makes the specimen of a database of judgements in tests/data, as this version writes it.

    python session_specimen.py DIRECTORY

A released version keeps its specimen for ever: a new one gets another beside it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from likewise import Index
from likewise.reviews.database import VERSION, Database


def main(directory):
    place = directory / f"specimen-v{VERSION}.sessions.sqlite"
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "specimen.idx"
        shutil.copytree(Path(__file__).parents[1] / "data" / "specimen-v1.idx", copy)
        session = Index.open(copy).session("s", query="cats", reviewer="ann", database=place)
        session.next()
        session.judge_all({"cats": "relevant", "large": "not"})
        session.as_reviewer("bob").judge("cats", "not")
        session.judge("late", "unsure")
        session.undo()
    with Database(place).reading() as connection:
        connection.exec_driver_sql("SELECT 1")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
