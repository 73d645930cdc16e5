"""Writes what a run of all trials has counted into docs/reliability.md, between its two marks."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- torture -->", "<!-- end of torture -->"


def write(rows: Iterable[tuple[str, int]], minutes: float, seed: int) -> None:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    commit = ["git", "rev-parse", "--short", "HEAD"]
    at = subprocess.run(commit, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    lines = [
        BEGIN,
        f"`make torture` ({minutes:g} minutes, seed {seed}) on {datetime.now(UTC):%Y-%m-%d}, "
        f"commit {at}; nothing was lost, no answer was wrong, nothing crashed:",
        "",
        "| tried | times |",
        "|---|---|",
        *(f"| {what} | {times:,} |" for what, times in rows),
        END,
    ]
    PAGE.write_text(before + "\n".join(lines) + after)
