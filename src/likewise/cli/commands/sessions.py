"""`likewise sessions`: lists the sessions of an index, renames and deletes them."""

from typing import Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing.session import print_sessions
from likewise.errors import UsageError

EXAMPLES = ("papers.idx", "papers.idx --rename gases --to quantum")

Delete = Annotated[
    str | None, typer.Option(metavar="NAME", help="Delete a session and all its judgements.")
]
Rename = Annotated[
    str | None, typer.Option(metavar="NAME", help="Rename a session; --to gives the new name.")
]
To = Annotated[str | None, typer.Option(metavar="NAME", help="The new name.")]


def sessions(
    directory: common.Directory,
    delete: Delete = None,
    rename: Rename = None,
    to: To = None,
    json: common.Json = False,
    database: common.Database = None,
) -> None:
    """List the sessions of an index, or delete or rename one."""
    from likewise.index import Index

    if (rename is None) != (to is None):
        raise UsageError("--rename and --to go together: the old name and the new one")
    if rename is not None and delete is not None:
        raise UsageError("--rename and --delete exclude each other")
    if json and (rename is not None or delete is not None):
        raise UsageError("--json goes with the list of sessions only")
    index = Index.open(directory)
    if delete is not None:
        index.delete_session(delete, database)
        note(f"session {delete} deleted")
    elif rename is not None and to is not None:
        index.rename_session(rename, to, database)
        note(f"session {rename} renamed to {to}")
    else:
        print_sessions(index.sessions(database), json=json)
