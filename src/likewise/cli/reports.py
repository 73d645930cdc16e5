"""What a command has done, told on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from likewise.cli.display import one_line
from likewise.cli.failures import FAILED, note, say

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.store import Added

SHOWN = 10


def tell_added(added: Added, directory: Path) -> None:
    """Say what was added and what was not; part of the input left out is exit status 1."""
    for problem in added.problems[:SHOWN]:
        say(one_line(str(problem)))
    if added.problem_count > SHOWN:
        say(f"and {added.problem_count - SHOWN:,} more like these")
    if added.characters_replaced:
        replaced = count(added.characters_replaced, "invalid character")
        say(f"{replaced} replaced; --strict would stop instead")
    note(_summary(added, directory))
    if added.problem_count:
        raise typer.Exit(FAILED)


def count(number: int, thing: str) -> str:
    """Two documents, one document."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _summary(added: Added, directory: Path) -> str:
    parts = [f"{count(added.documents, 'document')} added to {directory}"]
    if added.replaced:
        parts.append(f"{added.replaced:,} of them in place of earlier ones")
    if added.skipped:
        parts.append(f"{added.skipped:,} left out since their ids were there already")
    if added.problem_count:
        parts.append(f"{added.problem_count:,} left out as said above")
    return ", ".join(parts)
