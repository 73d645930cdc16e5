"""`likewise replay`: makes the pages of an archived review again."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.publication import replayed
from likewise.cli.progress import Bar
from likewise.errors import UsageError

EXAMPLES = ("gases.zip", "gases.zip --json")
DIFFERENT = 1  # exit status

Archived = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="An archive made by likewise report --archive.", show_default=False
    ),
]


def replay(file: Archived, json: common.Json = False) -> None:
    """Make every page of an archived review again and compare it with the page that was shown.

    The same version of likewise shows the same records in the same order. Where pages differ, the
    cause is said and the exit status is 1.
    """
    from likewise.index import Index

    with tempfile.TemporaryDirectory(prefix="likewise-") as scratch:
        index = Index.restore(file, Path(scratch) / "review.idx")
        sessions = index.sessions()
        if len(sessions) != 1:
            raise UsageError(
                f"{file} holds {len(sessions)} sessions and no report: "
                "give an archive made by likewise report --archive"
            )
        # Who has the file has everybody's votes: nothing is hidden, whatever their name is.
        session = index.session(sessions[0].name).as_reviewer("likewise replay", oversees=True)
        with Bar("replaying") as bar:
            found = session.report.replay(bar)
    stdout.put(replayed(found, json=json))
    if found.differing:
        raise typer.Exit(DIFFERENT)
