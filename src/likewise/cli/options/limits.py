"""Limits of a server: what one request and one client may ask for, and what is kept."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

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
MaxUpload = Annotated[
    int, typer.Option(metavar="MB", min=1, help="The most that can be sent to make an index of.")
]
MaxFiles = Annotated[
    int, typer.Option(metavar="N", min=1, max=100_000, help="The most files of that.")
]
KeepUploads = Annotated[
    float, typer.Option(metavar="S", min=1, help="How long files that nobody uses are kept.")
]
HeaderSeconds = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="The time for a request's headers to arrive.")
]
BodySeconds = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="The time for a request's body to arrive.")
]


@dataclass(frozen=True)
class ServerLimits:
    max_body: MaxBody = 16
    max_documents: MaxDocuments = 10_000
    max_examples: MaxExamples = 1_000
    max_results: MaxResults = 10_000
    max_seconds: MaxSeconds = 120.0
    max_connections: MaxConnections = 512
    rate_limit: RateLimit = 100.0
    jobs: Jobs = 2
    jobs_per_client: JobsPerClient = 8
    waiting: Waiting = 32
    keep: Keep = 900.0
    keep_results: KeepResults = 256
    keep_queries: KeepQueries = 32
    max_upload: MaxUpload = 4096
    max_files: MaxFiles = 10_000
    keep_uploads: KeepUploads = 3600.0
    header_seconds: HeaderSeconds = 10.0
    body_seconds: BodySeconds = 30.0

    def arguments(self) -> dict[str, Any]:
        """As likewise.server.settings.Limits takes them."""
        return {
            "body": self.max_body << 20,
            "documents": self.max_documents,
            "examples": self.max_examples,
            "results": self.max_results,
            "seconds": self.max_seconds,
            "connections": self.max_connections,
            "rate": self.rate_limit,
            "jobs": self.jobs,
            "jobs_of_one": self.jobs_per_client,
            "waiting": self.waiting,
            "keep": self.keep,
            "result_bytes": self.keep_results << 20,
            "query_bytes": self.keep_queries << 20,
            "upload": self.max_upload << 20,
            "upload_files": self.max_files,
            "upload_seconds": self.keep_uploads,
            "head_seconds": self.header_seconds,
            "body_seconds": self.body_seconds,
        }


DEFAULT = ServerLimits()
