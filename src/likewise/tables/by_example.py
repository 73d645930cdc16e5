"""Documents of a topic from a few of its own: the experiment behind the tables by example.

Of each topic some documents are drawn as examples; all others are unlabeled, and the topic's
others among them are to be found. With the same seed, more examples include the fewer ones, and
all contenders get the same.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import measures
from likewise.tables.averages import Group, groups, superiority
from likewise.tables.contenders import CONTENDERS, ask
from likewise.tables.values import Job, Number, Numbers, Plot, Result, Row, Section, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.tables.collection import Collection

MEASURES = [measures.parse(name) for name in ("P@10", "nDCG@20", "R@1000", "AP")]
SHOWN = {"P@10": "P@10", "nDCG@20": "nDCG@20", "R@1000": "recall@1000", "AP": "MAP"}
BASELINE = "rocchio"


def run(job: Job, collection: Collection) -> Numbers:
    members = collection.topics[job["topic"]]
    examples = draw(members, job["size"], job["topic"], job["seed"])
    answer = ask(job["method"], collection, examples)
    relevant = np.zeros(len(collection), np.bool_)
    relevant[members] = True
    rest = np.setdiff1d(np.arange(len(collection)), examples)
    ranking = measures.ranked(answer.scores[rest], relevant[rest])
    hidden = len(members) - len(examples)
    values = {str(measure): measure(ranking, hidden) for measure in MEASURES}
    return {
        **values,
        "seconds": answer.seconds,
        "converged": float(answer.converged),
        "relevant": hidden,
        "documents": len(rest),
    }


def draw(members: Any, size: int, topic: str, seed: int) -> Any:
    """The examples: the first so many of a permutation that topic and seed decide."""
    generator = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return np.sort(generator.permutation(members)[:size])


def sections(results: Sequence[Result], where: str) -> list[Section]:
    """One table for each number of examples; methods in it share topics and seeds."""
    found = groups(
        results,
        row=lambda r: r.job["method"],
        block=lambda r: (r.job.get("half", ""), r.job["size"]),
    )
    tables = [_section(half, size, rows, where) for (half, size), rows in found.items()]
    halves = dict.fromkeys(half for half, _ in found)
    return tables + [_curves(half, found, where) for half in halves]


def _section(half: str, size: int, rows: dict[str, Group], where: str) -> Section:
    topics = len({r.job["topic"] for group in rows.values() for r in group.results})
    seeds = len({r.job["seed"] for group in rows.values() for r in group.results})
    some = "1 example" if size == 1 else f"{size} examples"
    part = f", {half} half" if half else ""
    return Section(
        f"{where}, {some} each{part}: means over {topics} topics, {seeds} seed(s)",
        [_row(name, group, rows.get(BASELINE)) for name, group in rows.items()],
        _notes(rows),
    )


def _row(name: str, group: Group, baseline: Group | None) -> Row:
    row: Row = {"method": CONTENDERS[name].label}
    for measure, shown in SHOWN.items():
        row[shown] = Number(group.mean(measure))
    row["p, MAP above Rocchio"] = _p(group, baseline)
    row["CPU s a query"] = Number(group.mean("seconds"), 4)
    row["remark"] = group.problem or ""
    return row


def _p(group: Group, baseline: Group | None) -> Number:
    if baseline is None or baseline is group or group.problem or baseline.problem:
        return Number(None)
    return Number(superiority(group.values("AP"), baseline.values("AP")), 4)


def _notes(rows: dict[str, Group]) -> list[str]:
    notes = []
    for name, group in rows.items():
        stopped = sum(r.numbers.get("converged") == 0 for r in group.results)
        if stopped:
            label = CONTENDERS[name].label
            notes.append(f"{label}: {stopped} queries stopped before their tolerance was reached.")
    return notes


def _curves(half: str, found: dict[Any, dict[str, Group]], where: str) -> Section:
    sizes = [size for part, size in found if part == half]
    names = dict.fromkeys(
        name for part, size in found if part == half for name in found[part, size]
    )
    series = [
        Series(CONTENDERS[name].label, [_mean(found[half, size].get(name)) for size in sizes])
        for name in names
    ]
    topics = [
        len({r.job["topic"] for g in found[half, s].values() for r in g.results}) for s in sizes
    ]
    part = f", {half} half" if half else ""
    rows: list[Row] = [
        {"examples": size, "topics": count} for size, count in zip(sizes, topics, strict=True)
    ]
    plot = Plot("MAP", sizes, series, x_label="examples", log=True)
    note = "Only topics with at least twice as many documents take part at a number of examples."
    return Section(f"{where}{part}: MAP by number of examples", rows, [note], [plot])


def _mean(group: Group | None) -> float | None:
    return group.mean("AP") if group else None
