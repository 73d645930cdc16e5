"""Settings of a server: where it listens, who may use it, and limits."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from likewise.engines import DEFAULT
from likewise.errors import UsageError
from likewise.server.crossing import checked

if TYPE_CHECKING:
    from pathlib import Path

MOST_ITEMS = 100_000  # of any list in a request, whatever the limits
NAMES_OF_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a single request, or a single client, may ask for."""

    body: int = 16 << 20  # bytes of a request
    documents: int = 10_000  # to be added or deleted by one request
    examples: int = 1_000  # liked and disliked together
    results: int = 10_000  # limit + offset of a search
    words: int = 10_000  # characters of a search by words, or of a filter
    seconds: float = 120.0  # for one search by example
    rate: float = 100.0  # requests a second of one client; 0 is no limit
    jobs: int = 2  # offline searches at a time
    waiting: int = 32  # offline searches that may wait for their turn
    keep: float = 900.0  # seconds for which a job's result and a learned query are kept
    jobs_of_one: int = 8  # offline searches of one caller, waiting or running
    result_bytes: int = 256 << 20  # of finished jobs, together
    query_bytes: int = 32 << 20  # of learned queries, together
    body_bytes: int = 256 << 20  # of requests under way, together
    values: int = 1_000_000  # in the JSON of a request, commas in texts among them
    keys: int = 300_000  # which take longer to read; colons in texts count, too
    shown: int = 20_000_000  # characters of text in one answer: limit times snippet
    explained: int = 5_000  # hits that one answer explains
    text: int = 1_000_000  # characters of one example's text
    conditions: int = 100  # of a filter
    choices: int = 1_000  # values in all conditions of a filter
    connections: int = 512  # open at a time
    refusals: float = 10.0  # answers 401 a second for one address; 0 is no limit
    attachment: int = 100 << 20  # bytes of a PDF beside a record
    upload: int = 4 << 30  # bytes of all files that are sent to become one index
    upload_files: int = 10_000
    upload_seconds: float = 3600.0  # for which files that nobody uses are kept
    head_seconds: float = 10.0  # in which a request's headers must be complete
    body_seconds: float = 30.0  # and then its body

    def __post_init__(self) -> None:
        for name in ("examples", "documents", "upload_files"):
            if getattr(self, name) > MOST_ITEMS:
                raise UsageError(
                    f"the limit of {name} is {getattr(self, name):,}: "
                    f"one request may have {MOST_ITEMS:,} at most"
                )


@dataclass(frozen=True, kw_only=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8000
    token_file: Path | None = None
    names: tuple[str, ...] = ()  # further names that the server goes by, as in Host: headers
    database: str | None = None
    threads: int | None = None
    workers: int = 1  # processes that answer searches by words; with one, there is no other
    engine: str = DEFAULT
    projects: Path | None = None  # the folder in which indexes are made; None for none
    cors: tuple[str, ...] = ()  # origins of other sites' pages that may ask, as https://a.example
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cors", checked(self.cors))
        if not is_loopback(self.host) and self.token_file is None:
            raise UsageError(
                f"{self.host} can be reached from other machines: "
                "give --token-file, which says who may do what"
            )

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that `Host` may have; any if there are tokens and no names are given."""
        if self.token_file is not None and not self.names:
            return ()
        own = f"[{self.host}]" if ":" in self.host else self.host
        return (*NAMES_OF_THIS_MACHINE, own, *self.names)


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
