"""`likewise roots`: lists the folders whose files are in an index; moves, renames, forgets them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.search.index_roots import IndexRoots

EXAMPLES = (
    "papers.idx",
    "papers.idx --move papers --to /media/disk/papers",
    "papers.idx --rename papers --to library",
)

Move = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="A root whose folder is elsewhere now; --to says where."),
]
Rename = Annotated[
    str | None, typer.Option(metavar="NAME", help="Rename a root; --to gives the new name.")
]
Forget = Annotated[
    str | None, typer.Option(metavar="NAME", help="Forget a root; its documents stay.")
]
To = Annotated[str | None, typer.Option(metavar="PATH|NAME", help="The new place or name.")]


def roots(
    directory: common.Directory,
    move: Move = None,
    rename: Rename = None,
    forget: Forget = None,
    to: To = None,
    json: common.Json = False,
) -> None:
    """List the folders whose files are in an index, or say that one has moved.

    A file's id is its path below its root. A root that was moved or renamed keeps its ids.
    """
    from likewise.index import Index

    _check(move, rename, forget, to, json=json)
    index = Index.open(directory)
    if move is not None and to is not None:
        index.roots.move(move, Path(to))
        note(f"root {move} is {index.roots[move]} now")
    elif rename is not None and to is not None:
        index.roots.rename(rename, to)
        note(f"root {rename} renamed to {to}")
    elif forget is not None:
        index.roots.forget(forget)
        note(f"root {forget} forgotten; its documents are still there")
    else:
        _print(index.roots, json=json)


def _check(
    move: str | None, rename: str | None, forget: str | None, to: str | None, *, json: bool
) -> None:
    given = {"--move": move, "--rename": rename, "--forget": forget}
    used = [option for option, value in given.items() if value is not None]
    if len(used) > 1:
        raise UsageError(f"{' and '.join(used)} exclude each other: give one of them")
    if json and used:
        raise UsageError("--json goes with the list of roots only")
    if (move is not None or rename is not None) != (to is not None):
        raise UsageError("--to goes with --move or --rename, and these need it")


def _print(roots: "IndexRoots", *, json: bool) -> None:
    rows = [
        {
            "name": name,
            "path": stdout.valid(str(path)),
            "prefix": roots.prefix(name),
            "folder": roots.is_folder(name),
            "there": path.is_dir(),
        }
        for name, path in roots.items()
    ]
    if json:
        stdout.put(stdout.as_json({"roots": rows}), "utf-8")
    elif rows:
        header = ("name", "ids begin with", "folder")
        stdout.put_table([header, *map(_row, rows)], right=0)


def _row(root: dict[str, object]) -> tuple[str, str, str]:
    gone = "" if root["there"] else " (gone)"
    alone = "" if root["folder"] else " (files given alone)"
    return str(root["name"]), str(root["prefix"]), f"{root['path']}{alone}{gone}"
