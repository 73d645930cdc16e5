"""`likewise projects`: lists the indexes in a folder, renames, archives and opens them again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likewise.cli.failures import note, say
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.cli.printing.text import one_line
from likewise.errors import LikewiseError, UsageError

if TYPE_CHECKING:
    from likewise.index import Index

EXAMPLES = (
    "",
    "~/likewise --rename soft-robots --to 'Soft robots in surgery'",
    "~/likewise --archive soft-robots",
)

Folder = Annotated[
    Path | None,
    typer.Argument(help="The folder of projects; by default $LIKEWISE_PROJECTS or ~/likewise."),
]
All = Annotated[bool, typer.Option("--all", help="List archived projects, too.")]
Rename = Annotated[
    str | None, typer.Option(metavar="NAME", help="Call a project otherwise; --to gives the name.")
]
To = Annotated[str | None, typer.Option(metavar="NAME", help="The new name.")]
Archive = Annotated[
    str | None, typer.Option(metavar="NAME", help="Leave a project out of lists; nothing is lost.")
]
Reopen = Annotated[
    str | None, typer.Option(metavar="NAME", help="Take a project out of the archive.")
]


def projects(
    folder: Folder = None,
    all: All = False,
    rename: Rename = None,
    to: To = None,
    archive: Archive = None,
    reopen: Reopen = None,
    json: common.Json = False,
) -> None:
    """List the indexes in a folder, or rename or archive one.

    A project is given by its name or that of its folder, which stays when it is renamed.
    """
    from likewise.store.places import is_index, projects_folder

    _check(rename, to, archive, reopen, all=all, json=json)
    place = projects_folder() if folder is None else folder
    if not place.is_dir():
        raise UsageError(f"there is no folder {place}: likewise makes one when it starts the page")
    if is_index(place):
        raise UsageError(f"{place} is an index: give the folder that it is in")
    found = dict(_indexes(place))
    if rename is not None and to is not None:
        _one(found, rename, place).project.rename(to)
        note(f"project {rename} renamed to {to}")
    elif archive is not None:
        _one(found, archive, place).project.archive()
        note(f"project {archive} archived; --reopen takes it out again")
    elif reopen is not None:
        _one(found, reopen, place).project.reopen()
        note(f"project {reopen} is open again")
    else:
        _print(found, all=all, json=json)
        if not found:
            note(f"there is no index in {place}: likewise index makes one")


def _check(
    rename: str | None,
    to: str | None,
    archive: str | None,
    reopen: str | None,
    *,
    all: bool,
    json: bool,
) -> None:
    given = {"--rename": rename, "--archive": archive, "--reopen": reopen}
    used = [option for option, value in given.items() if value is not None]
    if len(used) > 1:
        raise UsageError(f"{' and '.join(used)} exclude each other: give one of them")
    if (rename is None) != (to is None):
        raise UsageError("--rename and --to go together: the old name and the new one")
    if used and (json or all):
        raise UsageError("--json and --all go with the list of projects only")


def _indexes(folder: Path) -> "list[tuple[str, Index]]":
    """The indexes that can be opened, by the names of their folders."""
    from likewise.index import Index
    from likewise.store.places import indexes_in

    found = []
    for path in indexes_in(folder):
        try:
            found.append((path.name.removesuffix(".idx"), Index.open(path)))
        except LikewiseError as error:
            say(f"{path.name} is left out: {one_line(str(error))}")
    return found


def _one(found: "dict[str, Index]", name: str, folder: Path) -> "Index":
    named = name.removesuffix(".idx")
    if named in found:
        return found[named]
    called = [index for index in found.values() if index.project.title == name]
    if len(called) > 1:
        raise UsageError(f"{len(called)} projects are called {name!r}: give the folder of one")
    if not called:
        raise UsageError(f"no project {name!r} in {folder}: it has {', '.join(found) or 'none'}")
    return called[0]


def _print(found: "dict[str, Index]", *, all: bool, json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "title": index.project.title,
            "documents": len(index),
            "reviews": len(index.sessions()),
            "archived": index.project.archived,
        }
        for name, index in found.items()
        if all or not index.project.archived
    ]
    if json:
        stdout.put(stdout.as_json({"projects": rows}), "utf-8")
    elif rows:
        header = ("documents", "reviews", "folder", "project")
        stdout.put_table([header, *map(_row, rows)], right=2)
    hidden = len(found) - len(rows)
    if hidden and not json:
        note(f"{hidden:,} archived: --all lists {'it' if hidden == 1 else 'them'}, too")


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    title = f"{one['title']} (archived)" if one["archived"] else one["title"]
    return f"{one['documents']:,}", f"{one['reviews']:,}", one["name"], title
