"""`likewise sessions`: lists the sessions of an index, renames and deletes them."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing.session import print_sessions
from likewise.cli.printing.units import count
from likewise.errors import LikewiseError, UsageError

if TYPE_CHECKING:
    from likewise.reviews.catalogue import ListedSession

EXAMPLES = (
    "papers.idx",
    "papers.idx --rename gases --to quantum",
    "papers.idx --delete gases",
)

Delete = Annotated[
    str | None, typer.Option(metavar="NAME", help="Delete a session and all its judgements.")
]
Rename = Annotated[
    str | None, typer.Option(metavar="NAME", help="Rename a session; --to gives the new name.")
]
To = Annotated[str | None, typer.Option(metavar="NAME", help="The new name.")]
Yes = Annotated[bool, typer.Option("--yes", help="Delete without asking, as in scripts.")]


def sessions(
    directory: common.Directory,
    delete: Delete = None,
    rename: Rename = None,
    to: To = None,
    yes: Yes = False,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """List the sessions of an index, or delete or rename one.

    Judgements that are deleted are gone, with their history: --delete asks for the name once more.
    """
    from likewise.index import Index

    if (rename is None) != (to is None):
        raise UsageError("--rename and --to go together: the old name and the new one")
    if rename is not None and delete is not None:
        raise UsageError("--rename and --delete exclude each other")
    if json and (rename is not None or delete is not None):
        raise UsageError("--json goes with the list of sessions only")
    if yes and delete is None:
        raise UsageError("--yes goes with --delete")
    index = Index.open(directory)
    if delete is not None:
        _confirm(index.sessions(database), delete, yes=yes)
        index.delete_session(delete, database)
        note(f"session {delete} deleted")
    elif rename is not None and to is not None:
        index.rename_session(rename, to, database)
        note(f"session {rename} renamed to {to}")
    else:
        print_sessions(index.sessions(database), json=json)


def _confirm(found: "list[ListedSession]", name: str, *, yes: bool) -> None:
    """Go on if somebody types the name; a name that is not there is for the library to refuse."""
    one = next((one for one in found if one.name == name), None)
    if yes or one is None:
        return
    by = f"{count(one.events, 'judgement')} by {count(one.reviewers, 'reviewer')}"
    what = f"session {name} with {by}"
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise UsageError(f"{what} would be deleted, and nobody can be asked: give --yes if so")
    typer.echo(f"{what} will be deleted for good. Type its name to go on: ", nl=False, err=True)
    if sys.stdin.readline().strip() != name:
        raise LikewiseError("that is not its name: nothing was deleted")
