"""`likewise serve`: serves indexes over HTTP, with a web page on which new ones can be made."""

import socket
from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import common, engines, limits
from likewise.cli.options.groups import grouped
from likewise.errors import UsageError

BY_ENVIRONMENT = True  # --port is LIKEWISE_PORT as well, and so on
EXAMPLES = (
    "",
    "projects/",
    "papers.idx",
    "papers.idx news.idx --port 8080",
    "papers.idx --host 0.0.0.0 --token-file tokens.txt",
)

Directories = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="DIR",
        help="The folders of indexes, and a folder to make new ones in; without any, "
        "$LIKEWISE_PROJECTS or ~/likewise.",
        show_default=False,
    ),
]
NEEDED = ("fastapi", "prometheus_client", "uvicorn")
PORT = 8000
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
Cors = Annotated[
    list[str] | None,
    typer.Option(
        "--cors",
        metavar="ORIGIN",
        help="Another site whose pages may use the API, as https://app.example.org.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="Processes that answer searches by words; with more than one, another does the rest.",
    ),
]
Open = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Do not log requests.")]


@grouped
def serve(
    directories: Directories = None,
    host: Host = "127.0.0.1",
    port: Port = PORT,
    token_file: TokenFile = None,
    name: Names = None,
    cors: Cors = None,
    database: common.Database = None,
    threads: common.Threads = None,
    workers: Workers = 1,
    engine: engines.Engine = None,
    gpu_memory: engines.GpuMemory = None,
    cluster: engines.Cluster = None,
    open: Open = False,
    quiet: Quiet = False,
    allowed: limits.ServerLimits = limits.DEFAULT,
) -> None:
    """Serve indexes to browsers and programs.

    Open the printed address in a browser. In a folder that is no index itself, the page makes new
    indexes of files that are dropped on it, and those in it are served. /openapi.json describes
    the API for programs. Without --host, only this machine can connect.
    """
    if missing := missing_packages():
        raise UsageError(f"serving needs {missing}: pip install 'likewise[server]'")
    from likewise.server.running import serve as run
    from likewise.server.settings import Limits, Settings

    indexes, projects = _sorted_out(directories or [])
    settings = Settings(
        host=host,
        port=port,
        token_file=token_file,
        names=tuple(name or ()),
        cors=tuple(cors or ()),
        database=database,
        threads=threads,
        workers=workers,
        engine=engines.chosen(engine, gpu_memory, cluster),
        projects=projects,
        limits=Limits(**allowed.arguments()),
    )
    run(indexes, settings, log=not quiet, show=open)


def start() -> None:
    """The page with the usual projects folder, in a browser; another port where 8000 is taken."""
    from likewise.server.running import serve as run
    from likewise.server.settings import Settings
    from likewise.store.places import projects_folder

    settings = Settings(port=PORT if _is_free(PORT) else 0, projects=projects_folder())
    run([], settings, log=False, show=True)


def _sorted_out(directories: list[Path]) -> tuple[list[Path], Path | None]:
    """Indexes, and the folder of projects: one that is there and is no index."""
    from likewise.store.places import is_index, projects_folder

    if not directories:
        return [], projects_folder()
    folders = [path for path in directories if path.is_dir() and not is_index(path)]
    if len(folders) > 1:
        raise UsageError(f"{folders[0]} and {folders[1]} are no indexes: give one such folder")
    return [path for path in directories if path not in folders], next(iter(folders), None)


def _is_free(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) != 0


def missing_packages(packages: tuple[str, ...] = NEEDED) -> str | None:
    """What the server needs and is not installed."""
    from importlib.util import find_spec

    return next((package for package in packages if find_spec(package) is None), None)
