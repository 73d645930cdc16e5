"""`likewise serve`: serves indexes over HTTP, with a web page."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import common, limits
from likewise.cli.options.groups import grouped
from likewise.errors import UsageError

EXAMPLES = (
    "papers.idx",
    "papers.idx news.idx --port 8080",
    "papers.idx --host 0.0.0.0 --token-file tokens.txt",
)

Directories = Annotated[
    list[Path],
    typer.Argument(metavar="DIR", help="The folders of the indexes.", show_default=False),
]
Host = Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")]
Port = Annotated[
    int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Access tokens, one a line: TOKEN ROLE NAME. Needed when --host is not this machine.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="Another host name of the server."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Do not log requests.")]


@grouped
def serve(
    directories: Directories,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token_file: TokenFile = None,
    name: Names = None,
    database: common.Database = None,
    threads: common.Threads = None,
    quiet: Quiet = False,
    allowed: limits.ServerLimits = limits.DEFAULT,
) -> None:
    """Serve indexes to browsers and programs.

    Open the printed address in a browser. /openapi.json describes the API for programs. Without
    --host, only this machine can connect.
    """
    _refuse_without_packages()
    from likewise.server.running import serve as run
    from likewise.server.settings import Limits, Settings

    settings = Settings(
        host=host,
        port=port,
        token_file=token_file,
        names=tuple(name or ()),
        database=database,
        threads=threads,
        limits=Limits(**allowed.arguments()),
    )
    run(directories, settings, log=not quiet)


def _refuse_without_packages() -> None:
    from importlib.util import find_spec

    for package in ("fastapi", "prometheus_client", "uvicorn"):
        if find_spec(package) is None:
            raise UsageError(f"serving needs {package}: pip install 'likewise[server]'")
