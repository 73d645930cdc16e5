"""`likewise watch`: indexes new files of a folder, and says which of them match saved queries."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import FAILED, INTERRUPTED, note, say
from likewise.cli.options import common
from likewise.cli.printing.index import print_problems
from likewise.cli.printing.text import four_digits, one_line
from likewise.cli.printing.units import count
from likewise.errors import LockedError

if TYPE_CHECKING:
    from likewise.watching import Look, Watch

EXAMPLES = (
    "papers.idx papers/ --query robots.json --digest new.xml",
    "papers.idx papers/ --query robots.json --query gases.json --once",
)

Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The folder to watch.", show_default=False)
]
Queries = Annotated[
    list[Path],
    typer.Option(
        "--query",
        metavar="FILE",
        help="A query saved with likewise search --save-query; may be given several times.",
        show_default=False,
    ),
]
Digests = Annotated[
    list[Path] | None,
    typer.Option(
        "--digest",
        metavar="FILE",
        help="Keep a digest of what came in this file: .txt, .json, or .xml for Atom. May be given "
        "several times.",
    ),
]
Once = Annotated[bool, typer.Option("--once", help="Look once, and end: for cron.")]
Interval = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.1, help="The time between looks.")
]
Settle = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0, help="How long a file must be unchanged before it is read."
    ),
]
Number = Annotated[
    int, typer.Option("-k", metavar="N", min=1, help="Number of new documents a query and look.")
]
MinScore = Annotated[
    float | None, typer.Option(metavar="S", help="Report only documents of this score or more.")
]
Remove = Annotated[
    bool, typer.Option("--remove", help="Delete documents whose files are gone; else they stay.")
]


def watch(
    directory: common.Directory,
    folder: Folder,
    query: Queries,
    digest: Digests = None,
    once: Once = False,
    interval: Interval = 30,
    settle: Settle = 2,
    k: Number = 10,
    min_score: MinScore = None,
    remove: Remove = False,
    threads: common.Threads = None,
) -> None:
    """Index new and changed files of a folder, and say which match saved queries.

    The folder is looked at every few seconds, until Ctrl-C, or once. What is in the index when a
    query is first watched is not reported. Notes go to standard error.
    """
    from likewise.index import Index
    from likewise.watching.watch import Settings, Watch

    settings = Settings(k=k, min_score=min_score, remove=remove, settle=settle)
    watching = Watch(Index.open(directory, threads=threads), folder, query, digest or (), settings)
    try:
        failed = _once(watching) if once else _always(watching, interval)
    except KeyboardInterrupt:
        say("interrupted; what was found so far is kept")
        raise typer.Exit(INTERRUPTED) from None
    if failed:
        raise typer.Exit(FAILED)


def _once(watching: "Watch") -> bool:
    """Files that have just been changed get the time to settle."""
    look = watching.look()
    failed = _print(look)
    if look.waiting:
        time.sleep(watching.settings.settle)
        look = watching.look()
        failed = _print(look) or failed
    for path in look.waiting:
        say(f"{path} is still being written: left for the next time")
    return failed


def _always(watching: "Watch", interval: float) -> bool:
    while True:
        try:
            _print(watching.look())
        except LockedError as error:  # another process is adding documents: next time
            say(str(error))
        time.sleep(interval)


def _print(look: "Look") -> bool:
    """Entries on stdout; returns whether some of the input was left out."""
    from likewise.cli.printing import stdout

    for one in look.entries:
        cells = (Path(one.query).name, four_digits(one.score), one.id, one.title)
        stdout.put("  ".join(one_line(cell) for cell in cells).rstrip() + "\n")
    if look.added is not None:
        print_problems(look.added.problems, look.added.problem_count)
        documents = count(look.added.documents, "document")
        note(f"{count(look.files, 'file')} read: {documents}")
    for path in look.gone:
        note(f"{path} is gone")
    if look.removed:
        note(f"{count(look.removed, 'document')} deleted")
    return bool(look.added and look.added.problem_count)
