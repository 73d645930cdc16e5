"""`session.report`: what a publication needs of a review, made from what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import NotAllowedError
from likewise.reviews import exports, progress
from likewise.reviews.protocol import Protocol, decode
from likewise.reviews.report import archive, diagram, trail
from likewise.reviews.report.flow import flow
from likewise.reviews.report.methods import methods
from likewise.reviews.report.replay import replay
from likewise.reviews.stopping import RULES
from likewise.reviews.stopping.verdict import down

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from likewise.readers.reading import Progress
    from likewise.reviews.backup import Backup
    from likewise.reviews.live import Live
    from likewise.reviews.report.flow import Flow
    from likewise.reviews.report.replay import Replay
    from likewise.reviews.report.trail import Trace

    Look = Callable[[], AbstractContextManager[Live]]


class Report:
    """Made by `Session.report`. Counts are of records, each of one paper."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def flow(self, sources: Mapping[str, int] | None = None) -> Flow:
        """The counts of PRISMA 2020; `sources` says how many records each database gave."""
        with self._look() as live:
            live.follow()
            return flow(live, sources)

    def diagram(self, sources: Mapping[str, int] | None = None) -> str:
        """The flow diagram of PRISMA 2020, as SVG."""
        return diagram.svg(self.flow(sources))

    def methods(self) -> str:
        """A text for the methods section: versions, settings, counts, evidence for stopping."""
        with self._look() as live:
            live.follow()
            protocol = decode(live.row.protocol, Protocol, live.name)
            return methods(live, flow(live), protocol, _evidence(live))

    def trail(self) -> list[Trace]:
        """Everything that was done, by whom and when; the first first."""
        with self._look() as live:
            live.follow()
            return trail.trail(live)

    def trail_file(self, format: str = "csv") -> Iterator[bytes]:
        """The trail as a file, csv or jsonl, piece by piece."""
        return trail.as_file(self.trail(), format)

    def archive(
        self,
        path: str | os.PathLike[str],
        *,
        sources: Mapping[str, int] | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Backup:
        """Everything in one file that reproduces the review: `likewise replay FILE`.

        It holds the collection and this session, which `likewise restore` puts back, and in its
        folder review/ the judgements, counts, flow diagram, methods and trail for people to read.
        """
        with self._look() as live:
            live.follow()
            _refuse_blind(live)
            counts = self.flow(sources)
            readable = {
                "methods.txt": self.methods().encode(),
                "prisma.svg": diagram.svg(counts).encode(),
                "prisma.json": msgspec.json.format(msgspec.json.encode(counts._asdict())),
                "judgements.csv": b"".join(exports.export(live, "csv", None, "judged")),
                "trail.csv": b"".join(self.trail_file()),
            }
            return archive.write(live, Path(path), readable, force=force, progress=progress)

    def replay(self, progress: Progress | None = None) -> Replay:
        """Make every page again by what was known when it was shown, and compare."""
        with self._look() as live:
            live.follow()
            _refuse_blind(live)
            return replay(live, progress)


def _refuse_blind(live: Live) -> None:
    if live.blind is not None:
        raise NotAllowedError(
            f"session {live.name!r} is blinded, and this has everybody's votes in it: "
            f"ask {live.team.adjudicator or live.row.owner or 'its owner'}"
        )


def _evidence(live: Live) -> str:
    """What the stopping rules say now."""
    found = progress.stats(live)
    since = len(found.gain) if found.stopping.since is None else found.stopping.since
    last = f"The last {since:,} records that were judged were not relevant."
    if since < 2:
        last = f"The last record that was judged was {'not relevant' if since else 'relevant'}."
    parts = [last]
    parts += [
        f"With {down(said.confidence)} confidence at least {down(said.low)} of the relevant "
        f"records were found ({said.because}; {rule.source})."
        for rule, said in zip(RULES, found.estimates, strict=True)
        if said.low is not None and said.confidence is not None
    ]
    return " ".join(parts)
