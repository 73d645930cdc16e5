"""`likewise serve`: an HTTP API and a web page."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli import options
from likewise.errors import UsageError

Directories = Annotated[
    list[Path],
    typer.Argument(metavar="DIR", help="The folders that hold indexes.", show_default=False),
]
Host = Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")]
Port = Annotated[
    int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 is any that is free.")
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Who may do what: lines of TOKEN ROLE NAME. Needed to be reached from elsewhere.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="A further name that the server is called by."),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL", help="Where reviews and saved queries are kept; beside the index."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Do not log requests.")]
MaxBody = Annotated[int, typer.Option(metavar="MB", min=1, help="How large a request may be.")]
MaxDocuments = Annotated[
    int, typer.Option(metavar="N", min=1, help="How many documents one request may add or delete.")
]
MaxExamples = Annotated[
    int, typer.Option(metavar="N", min=1, help="How many examples one search may have.")
]
MaxResults = Annotated[
    int, typer.Option(metavar="N", min=1, help="How far down a ranking one may go.")
]
MaxSeconds = Annotated[
    float, typer.Option(metavar="S", min=0.001, help="How long one search by example may take.")
]
RateLimit = Annotated[
    float,
    typer.Option(metavar="N", min=0, help="Requests a second of one client; 0 is no limit."),
]
Jobs = Annotated[
    int, typer.Option(metavar="N", min=1, help="Offline searches that run at the same time.")
]
Waiting = Annotated[
    int, typer.Option(metavar="N", min=0, help="Offline searches that may wait for their turn.")
]
Keep = Annotated[
    float, typer.Option(metavar="S", min=1, help="How long results and queries are kept.")
]


def serve(
    directories: Directories,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token_file: TokenFile = None,
    name: Names = None,
    database: Database = None,
    threads: options.Threads = None,
    quiet: Quiet = False,
    max_body: MaxBody = 16,
    max_documents: MaxDocuments = 10_000,
    max_examples: MaxExamples = 1_000,
    max_results: MaxResults = 10_000,
    max_seconds: MaxSeconds = 120.0,
    rate_limit: RateLimit = 100.0,
    jobs: Jobs = 2,
    waiting: Waiting = 32,
    keep: Keep = 900.0,
) -> None:
    """Serve indexes to browsers and programs.

    Open the address that is told in a browser. Programs find the API described at /openapi.json.
    Unless told otherwise, only this machine can reach it.
    """
    _refuse_without_packages()
    from likewise.server.running import serve as run
    from likewise.server.settings import Limits, Settings

    limits = Limits(
        body=max_body << 20,
        documents=max_documents,
        examples=max_examples,
        results=max_results,
        seconds=max_seconds,
        rate=rate_limit,
        jobs=jobs,
        waiting=waiting,
        keep=keep,
    )
    settings = Settings(
        host=host,
        port=port,
        token_file=token_file,
        names=tuple(name or ()),
        database=database,
        threads=threads,
        limits=limits,
    )
    run(directories, settings, log=not quiet)


def _refuse_without_packages() -> None:
    from importlib.util import find_spec

    for package in ("fastapi", "prometheus_client", "uvicorn"):
        if find_spec(package) is None:
            raise UsageError(f"serving needs {package}: pip install 'likewise[server]'")
