"""The counts of a review, its methods, and what a replay found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.printing import stdout
from likewise.cli.printing.text import cut, one_line
from likewise.cli.printing.units import count, facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.reviews.report import Flow, Replay, Report

LONGEST = 40  # characters of the name of a file
MOST = 20  # pages that differ are listed


def as_text(report: Report, sources: Mapping[str, int], *, json: bool) -> str:
    flow = report.flow(sources)
    if json:
        text = None if flow.full_text is None else flow.full_text._asdict()
        counts = flow._asdict() | {"full_text": text}
        return stdout.as_json({"flow": counts, "methods": report.methods()})
    return f"{facts(_counts(flow))}\n{report.methods()}"


def _counts(flow: Flow) -> dict[str, str]:
    found = {
        "identified": flow.identified,
        **{f"  from {cut(one_line(name), LONGEST)}": n for name, n in flow.sources.items()},
        "duplicates removed": flow.duplicates,
        **({"removed for other reasons": flow.removed} if flow.removed else {}),
        "screened": flow.screened,
        "excluded by reviewers": flow.excluded,
        "not reached": flow.not_reached,
        "undecided": flow.undecided,
        "relevant by title and abstract": flow.relevant,
    }
    text = flow.full_text
    if text is not None:
        found |= {
            "sought for retrieval": text.sought,
            "not retrieved": text.not_retrieved,
            "assessed in full text": text.assessed,
            "excluded in full text": sum(text.excluded.values()),
            "not assessed yet": text.waiting,
        }
    return {name: f"{n:,}" for name, n in (found | {"included": flow.included}).items()}


def replayed(replay: Replay, *, json: bool) -> str:
    differing = replay.differing
    if json:
        listed = [page._asdict() for page in differing]
        return stdout.as_json(
            {"session": replay.session, "pages": len(replay.pages), "differing": listed}
        )
    pages = count(len(replay.pages), "page")
    if not differing:
        return f"session {replay.session}: {pages}, all with the same records in the same order\n"
    lines = [f"session {replay.session}: {pages}, {len(differing):,} differ"]
    lines += [
        f"  page {page.number} ({page.method}): {page.difference}" for page in differing[:MOST]
    ]
    if len(differing) > MOST:
        lines.append(f"  and {len(differing) - MOST:,} more; --json lists all")
    return "\n".join((*lines, ""))
