"""`likewise mcp`: indexes as tools for language models, by the Model Context Protocol."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import common
from likewise.errors import UsageError

EXAMPLES = (
    "papers.idx",
    "projects/",
    "papers.idx --write --reviewer assistant",
    "papers.idx --http --port 8001",
)

Directories = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="DIR",
        help="The folders of indexes, or folders with indexes in them; without any, "
        "$LIKEWISE_PROJECTS or ~/likewise.",
        show_default=False,
    ),
]
Write = Annotated[
    bool, typer.Option("--write", help="Let models judge documents; by default they only read.")
]
Reviewer = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Whose judgements they are; your login name by default."),
]
Http = Annotated[
    bool, typer.Option("--http", help="Answer over HTTP, not on standard input and output.")
]
Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="The address to listen on, with --http.")
]
NEEDED = ("mcp", "fastapi", "uvicorn")
PORT = 8001
Port = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=65535,
        help=f"The port, with --http; {PORT} by default, and 0 is a free one.",
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Access tokens, as of likewise tokens. Needed when --host is not this machine.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="Another host name of the server, with --http."),
]


def mcp(
    directories: Directories = None,
    write: Write = False,
    reviewer: Reviewer = None,
    http: Http = False,
    host: Host = "127.0.0.1",
    port: Port = None,
    token_file: TokenFile = None,
    name: Names = None,
    database: common.Database = None,
    threads: common.Threads = None,
) -> None:
    """Offer indexes to language models: search, more_like, get_document, explain, judge.

    Programs with a model start it themselves and talk to it on standard input and output. With
    --http it answers several, at /v1/mcp.
    """
    from likewise.cli.commands.serve import missing_packages

    if missing := missing_packages(NEEDED):
        raise UsageError(f"likewise mcp needs {missing}: pip install 'likewise[mcp]'")
    if not http and (token_file or name):
        raise UsageError("--token-file and --name go with --http: give that as well, or leave them")
    if not http and port is not None:
        raise UsageError("--port goes with --http: give that as well, or leave it")
    from likewise.server.mcp.running import serve_http, serve_stdio, server
    from likewise.server.settings import Settings

    settings = Settings(
        host=host,
        port=PORT if port is None else port,
        token_file=token_file,
        names=tuple(name or ()),
        database=database,
        threads=threads,
    )
    tools = server(_indexes(directories or []), settings, write=write, reviewer=reviewer)
    if http:
        serve_http(tools, settings)
    else:
        serve_stdio(tools)


def _indexes(directories: list[Path]) -> list[Path]:
    """Indexes, and those in folders that are none."""
    from likewise.store.places import indexes_in, is_index, projects_folder

    found: list[Path] = []
    for place in directories or [projects_folder()]:
        if is_index(place) or not place.is_dir():
            found.append(place)
        elif inside := list(indexes_in(place)):
            found += inside
        else:
            raise UsageError(f"there is no index in {place}: likewise index makes one")
    return found
