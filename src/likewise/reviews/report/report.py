"""`session.report`: what a publication needs of a review, made from what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from likewise.reviews import exports, progress
from likewise.reviews.protocol import Protocol, decode
from likewise.reviews.report import archive, diagram, trail
from likewise.reviews.report.flow import flow
from likewise.reviews.report.methods import methods
from likewise.reviews.report.replay import replay

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from likewise.readers.reading import Progress
    from likewise.reviews.backup import Backup
    from likewise.reviews.live import Live
    from likewise.reviews.report.flow import Flow
    from likewise.reviews.report.replay import Replay
    from likewise.reviews.report.trail import Trace


class Report:
    """Made by `Session.report`. Counts are of records, each of one paper."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def flow(self, sources: Mapping[str, int] | None = None) -> Flow:
        """The counts of PRISMA 2020; `sources` says how many records each database gave."""
        with self._live.turn() as live:
            live.follow()
            return flow(live, sources)

    def diagram(self, sources: Mapping[str, int] | None = None) -> str:
        """The flow diagram of PRISMA 2020, as SVG."""
        return diagram.svg(self.flow(sources))

    def methods(self) -> str:
        """A text for the methods section: versions, settings, counts, evidence for stopping."""
        with self._live.turn() as live:
            live.follow()
            protocol = decode(live.row.protocol, Protocol, live.name)
            return methods(live, flow(live), protocol, _evidence(live))

    def trail(self) -> list[Trace]:
        """Everything that was done, by whom and when; the first first."""
        with self._live.turn() as live:
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
        with self._live.turn() as live:
            live.follow()
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
        with self._live.turn() as live:
            live.follow()
            return replay(live, progress)


def _evidence(live: Live) -> str:
    """What the stopping rules say now."""
    found = progress.stats(live)
    since = len(found.gain) - (found.gain.index(found.gain[-1]) + 1 if found.relevant else 0)
    said = [one for one in found.estimates if one.low is not None and one.confidence is not None]
    parts = [f"The last relevant record was {since:,} judged records before."]
    parts += [
        f"By {one.rule}, with {one.confidence:.0%} confidence at least {one.low:.0%} of the "
        "relevant records were found."
        for one in said
    ]
    return " ".join(parts)
