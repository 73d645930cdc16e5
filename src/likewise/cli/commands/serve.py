"""`likewise serve`: serves indexes over HTTP, with a web page."""

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import common
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
MaxBody = Annotated[int, typer.Option(metavar="MB", min=1, help="The largest request.")]
MaxDocuments = Annotated[
    int, typer.Option(metavar="N", min=1, help="The most documents one request may add or delete.")
]
MaxExamples = Annotated[
    int, typer.Option(metavar="N", min=1, help="The most examples of a search.")
]
MaxResults = Annotated[
    int, typer.Option(metavar="N", min=1, help="The lowest rank that can be asked for.")
]
MaxSeconds = Annotated[
    float, typer.Option(metavar="S", min=0.001, help="The longest time for a search by example.")
]
RateLimit = Annotated[
    float,
    typer.Option(metavar="N", min=0, help="Requests a second for each client; 0 is no limit."),
]
Jobs = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, help="The number of offline searches that run at the same time."
    ),
]
Waiting = Annotated[
    int, typer.Option(metavar="N", min=0, help="The number of offline searches that may wait.")
]
Keep = Annotated[
    float, typer.Option(metavar="S", min=1, help="How long results and learned queries are kept.")
]
MaxConnections = Annotated[
    int, typer.Option(metavar="N", min=1, help="The most connections at the same time.")
]
JobsPerClient = Annotated[
    int, typer.Option(metavar="N", min=1, help="Offline searches of one client, run or waiting.")
]
KeepResults = Annotated[
    int, typer.Option(metavar="MB", min=1, help="Memory for results of jobs that are kept.")
]
KeepQueries = Annotated[
    int, typer.Option(metavar="MB", min=1, help="Memory for learned queries that are kept.")
]
HeaderSeconds = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="The time for a request's headers to arrive.")
]
BodySeconds = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="The time for a request's body to arrive.")
]


def serve(
    directories: Directories,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token_file: TokenFile = None,
    name: Names = None,
    database: common.Database = None,
    threads: common.Threads = None,
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
    max_connections: MaxConnections = 512,
    jobs_per_client: JobsPerClient = 8,
    keep_results: KeepResults = 256,
    keep_queries: KeepQueries = 32,
    header_seconds: HeaderSeconds = 10.0,
    body_seconds: BodySeconds = 30.0,
) -> None:
    """Serve indexes to browsers and programs.

    Open the printed address in a browser. /openapi.json describes the API for programs. Without
    --host, only this machine can connect.
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
        connections=max_connections,
        jobs_of_one=jobs_per_client,
        result_bytes=keep_results << 20,
        query_bytes=keep_queries << 20,
        head_seconds=header_seconds,
        body_seconds=body_seconds,
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
