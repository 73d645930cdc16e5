"""`likewise tokens`: who may use a server; makes, lists, rotates and revokes tokens."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.failures import note
from likewise.cli.options import common
from likewise.cli.printing import stdout
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.server.tokens import Token

EXAMPLES = (
    "tokens.txt --add ada --role review",
    "tokens.txt",
    "tokens.txt --rotate ada",
    "tokens.txt --revoke ada",
)

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The file of tokens.", show_default=False)
]
Add = Annotated[
    str | None, typer.Option(metavar="NAME", help="Make a token, and print it this once.")
]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="What the new token may do: read, review, write or owner. May be given several times.",
    ),
]
Rotate = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Replace a token by a new one, and print it this once."),
]
Revoke = Annotated[str | None, typer.Option(metavar="NAME", help="Take a token away.")]


def tokens(
    file: File,
    add: Add = None,
    role: Roles = None,
    rotate: Rotate = None,
    revoke: Revoke = None,
    json: common.Json = False,
) -> None:
    """List the tokens of a server, or make, rotate or revoke one.

    The file holds hashes, never the tokens themselves. A server that uses it (likewise serve
    --token-file) notices changes by itself.
    """
    from likewise.server import tokens as files

    asked = [option for option in (add, rotate, revoke) if option is not None]
    if len(asked) > 1:
        raise UsageError("--add, --rotate and --revoke exclude each other")
    if role and add is None:
        raise UsageError("--role goes with --add")
    if json and asked:
        raise UsageError("--json goes with the list of tokens only")
    if add is not None:
        roles = [name for given in role or () for name in given.split(",")]
        stdout.put(f"{files.add(file, add, roles)}\n", "utf-8")
        note(f"the token of {add}, to be sent in a way that nobody else can read")
    elif rotate is not None:
        stdout.put(f"{files.rotate(file, rotate)}\n", "utf-8")
        note(f"the new token of {rotate}; the old one is not valid any more")
    elif revoke is not None:
        files.revoke(file, revoke)
        note(f"the token of {revoke} is not valid any more")
    else:
        _print(files.read(file), json=json)


def _print(found: list["Token"], *, json: bool) -> None:
    if json:
        fields = [
            {"id": one.id, "name": one.name, "roles": one.roles, "created": one.created or None}
            for one in found
        ]
        stdout.put(stdout.as_json({"tokens": fields}), "utf-8")
    elif found:
        rows = [(one.id, one.name, ",".join(one.roles), one.created) for one in found]
        stdout.put_table([("id", "name", "roles", "created"), *rows], right=0)
    else:
        note("no tokens yet: --add makes one")
