"""What is in files, before an index is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from likewise.cli.failures import FAILED, say
from likewise.cli.printing import stdout
from likewise.cli.printing.index import print_problems
from likewise.cli.printing.text import one_line
from likewise.cli.printing.units import count, facts
from likewise.readers.fieldlabels import label_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.previewing import Preview

MOST_FIELDS = 30
LONGEST = 60  # characters of an example
KEYS = {"id": "id", "doi": "DOI", "pmid": "PubMed id"}


def print_preview(found: Preview, paths: Sequence[str]) -> None:
    """Exit status 1 if part of the input cannot be read, as when it is indexed."""
    print_problems(found.problems, found.problem_count)
    if found.unknown:
        say(
            f"{count(sum(found.unknown.values()), 'file')} of unknown formats: {_of(found.unknown)}"
        )
    known = {
        "documents": f"{found.documents:,}",
        "formats": _of(found.formats),
        "types": _of(found.types),
        "duplicates": _duplicates(found.duplicates),
        "nearly the same title": f"{found.alike:,}" if found.alike else "",
        "labels": _of(found.labels),
        "notes": one_line("; ".join(found.remarks)),
    }
    stdout.put(facts({name: value for name, value in known.items() if value}))
    width = max((len(f"{field.documents:,}") for field in found.fields), default=0)
    for field in found.fields[:MOST_FIELDS]:
        example = one_line(field.example)
        example = example if len(example) <= LONGEST else f"{example[: LONGEST - 1]}…"
        stdout.put(f"{field.documents:>{width},}  {one_line(label_of(field.name))}: {example}\n")
    if not found.documents:
        say(f"no documents found in {', '.join(paths)}")
    if found.problem_count or not found.documents:
        raise typer.Exit(FAILED)


def _duplicates(found: Mapping[str, int]) -> str:
    """12 have the id of an earlier record, 3 the DOI."""
    said = [f"{n:,} with the {KEYS[key]} of an earlier one" for key, n in found.items() if n]
    return ", ".join(said)


def _of(counts: Mapping[str, int]) -> str:
    """12 ris, 3 csv."""
    return ", ".join(f"{n:,} {one_line(name) or 'other'}" for name, n in counts.items())
