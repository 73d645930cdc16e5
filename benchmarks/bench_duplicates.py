"""Duplicates: precision and recall on copies made from the open reviews, and time on large sets.

With LIKEWISE_BENCH_DATATOOLS=PYTHON also by asreview-datatools' dedup, in an environment that has
it, known by its interpreter.
"""

from __future__ import annotations

import csv
import os
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duplicate_set import COPIES, halves, labelled
from harness import Figure
from likewise import Index
from likewise.duplicates.find import compute
from memory_use import HighWater
from rows import Goal, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duplicate_set import Labelled
    from workspace import Workspace

METHOD = (
    "Copies of records of the open reviews as other databases have them (case, punctuation, "
    "initials, dropped or truncated abstracts, preprints, slips, markup), and papers that look "
    "alike (parts, updates, comments, companions, the same title); authors, years and DOIs are "
    "drawn, and no copy has its original's DOI. Limits were tuned on every other review; these are "
    "the others. A removed record is right if another one of its paper stays. asreview-datatools: "
    "`asreview data dedup`, as it comes and with --similar. Time: of an index, nothing kept."
)
PACKAGES = ("likewise", "numpy")
SEED = 1
PEER = "LIKEWISE_BENCH_DATATOOLS"  # the interpreter of an environment with asreview-datatools
TITLE_ONLY = ("--similar", "--title_only")


class Outcome(NamedTuple):
    """Records removed rightly and wrongly, and how many there were to remove."""

    right: int
    wrong: int
    wanted: int

    def __add__(self, other: tuple[int, ...]) -> Outcome:  # type: ignore[override]
        return Outcome(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.wanted, 1)


def rows(workspace: Workspace) -> list[Row]:
    chosen = halves(workspace.data / "review")[1][: 2 if workspace.quick else None]
    ours, records = Outcome(0, 0, 0), 0
    theirs: dict[str, Outcome] = {}
    kinds: Counter[str] = Counter()
    found_kinds: Counter[str] = Counter()
    for review in chosen:
        made = labelled(review, SEED)
        records += len(made.records)
        index = Index.create(workspace.fresh(f"duplicates-{review.name}"), latent=0)
        index.add(made.records)
        groups = [group.ids for group in compute(index._snapshot, 0.8).groups]
        ours += outcome(made, [id for ids in groups for id in ids[1:]])
        count_kinds(made, groups, kinds, found_kinds)
        for options in ((), ("--similar",), TITLE_ONLY):
            removed = peer(made, workspace.fresh(f"peer-{review.name}"), options)
            if removed is not None:
                name = " ".join(["datatools dedup", *options])
                theirs[name] = theirs.get(name, Outcome(0, 0, 0)) + outcome(made, removed)
    return [
        *compared(f"{records:,} records, {len(chosen)} reviews", ours, theirs),
        *(
            _row(f"copies: {kind}, recall", 100 * found_kinds[kind] / kinds[kind])
            for kind in COPIES
            if kinds[kind]
        ),
        *speed(workspace),
    ]


def compared(what: str, ours: Outcome, theirs: Mapping[str, Outcome]) -> list[Row]:
    found = [
        _row(f"{what}, precision", 100 * ours.precision, goal=Goal("ours", "at least", 99)),
        _row(f"{what}, recall", 100 * ours.recall, goal=Goal("ours", "at least", 95)),
    ]
    for name, outcome_ in theirs.items():
        for measure in ("precision", "recall"):
            mine, other = (100 * getattr(one, measure) for one in (ours, outcome_))
            theirs_ = _figure(other)
            found.append(_row(f"{what}, {measure}", mine, peer=name, theirs=theirs_))
    return found


def outcome(made: Labelled, removed: Iterable[str]) -> Outcome:
    papers: dict[str, set[str]] = defaultdict(set)
    for id, paper in made.papers.items():
        papers[paper].add(id)
    gone = set(removed)
    wrong = right = 0
    for ids in papers.values():
        lost = len(ids & gone)
        right += min(lost, len(ids) - 1)
        wrong += lost == len(ids)  # nothing of the paper is left
    return Outcome(right, wrong, sum(len(ids) - 1 for ids in papers.values()))


def count_kinds(
    made: Labelled, groups: list[tuple[str, ...]], kinds: Counter[str], found: Counter[str]
) -> None:
    """For each kind of copy, how many there are and how many are with their original."""
    originals = {made.papers[id]: id for id, kind in made.kinds.items() if kind == "original"}
    group_of = {id: number for number, ids in enumerate(groups) for id in ids}
    for id, kind in made.kinds.items():
        if kind in COPIES:
            kinds[kind] += 1
            original = originals[made.papers[id]]
            found[kind] += id in group_of and group_of[id] == group_of.get(original)


def peer(made: Labelled, folder: Path, options: tuple[str, ...]) -> set[str] | None:
    """What asreview-datatools removes; None where it is not."""
    python = os.environ.get(PEER)
    if not python:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    given, left = folder / "in.csv", folder / f"out{len(options)}.csv"
    names = ["id", "title", "abstract", "authors", "year", "journal", "doi"]
    with given.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        for record in made.records:
            writer.writerow({**record, "authors": "; ".join(record.get("authors", ()))})
    command = [Path(python).with_name("asreview"), "data", "dedup", given, "-o", left, *options]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    with left.open(newline="") as file:
        kept = {row["id"] for row in csv.DictReader(file)}
    return made.papers.keys() - kept


def speed(workspace: Workspace) -> list[Row]:
    """Abstracts of arXiv, and descriptions of Debian's packages."""
    packages = workspace.fresh("packages.idx")
    Index.create(packages, latent=0).add(workspace.packages)
    measured = []
    for path, what in ((workspace.arxiv_index, "abstracts"), (packages, "descriptions")):
        index = Index.open(path)
        held = HighWater()
        began, cpu = time.perf_counter(), time.process_time()
        found = compute(index._snapshot, 0.8)
        took = {"time": time.perf_counter() - began, "CPU": time.process_time() - cpu}
        name = f"{found.documents:,} {what}"
        measured += [
            Row(f"{name}, {which}", "s", Figure(s, s, held.megabytes)) for which, s in took.items()
        ]
        measured.append(Row(f"{name}, pairs compared", "pairs", _figure(found.candidates)))
        measured.append(Row(f"{name}, duplicates", "documents", _figure(found.extra)))
    return measured


def _figure(value: float) -> Figure:
    return Figure(value, value)


def _row(work: str, share: float, **more: Any) -> Row:
    return Row(work, "%", _figure(share), more=True, **more)
