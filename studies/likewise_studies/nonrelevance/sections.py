"""Tables II and III and figure 10 of feedback from non-relevant documents, and mean rounds."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from likewise.evaluation.report.averages import superiority
from likewise.evaluation.report.values import Number, Plot, Row, Section, Series
from likewise_studies.nonrelevance.data import LABELLED, WEIGHTINGS
from likewise_studies.nonrelevance.paper import PAGES, PRINTED, PRINTED_ROUNDS, ROUNDS, TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.evaluation.report.values import Cell
    from likewise.evaluation.runs import Result

LABELS = {
    "one-class": "one-class SVM",
    "svdd": "SVDD",
    "none": "VSM, no feedback",
    "rocchio": "Rocchio",
    "anchored": "anchored",
    "expanded": "expanded",
    "away": "away, our default",
    "kernel": "away, by a kernel",
}
DEFAULT = "away"
HALVES = ("development", "report")
LEVELS = tuple(level / 10 for level in range(11))
STOPS = (
    "A topic stops at the first page that has a relevant document, as in the paper: from there on "
    "feedback is relevance feedback."
)


class Searched(NamedTuple):
    """One topic in the hands of one method."""

    collection: str
    topic: str
    half: str
    found: list[int]
    curve: list[float]

    @property
    def rounds(self) -> int:
        """The iteration that had a relevant document; one more than all if none had."""
        return len(self.found) if sum(self.found) else ROUNDS + 1

    def at(self, iteration: int) -> int:
        """Relevant documents on the page of this iteration."""
        return self.found[iteration - 1] if iteration <= len(self.found) else 0


class Block(NamedTuple):
    """All methods on one kind of rows with pages of one size; `lacking` says who misses what.

    `without` are the collections of which every topic has a relevant document on its first page.
    """

    page: int
    weighting: str
    topics: dict[str, list[Searched]]
    lacking: dict[str, str]
    without: list[str]

    @property
    def complete(self) -> dict[str, list[Searched]]:
        """The methods that were measured on every topic: only these are averaged."""
        return {name: each for name, each in self.topics.items() if name not in self.lacking}

    def of(self, half: str) -> dict[str, list[Searched]]:
        return {
            name: [one for one in each if one.half == half] for name, each in self.complete.items()
        }

    def title(self, half: str = "") -> str:
        where = f"{half} half" if half else "both halves"
        return f"N = {self.page}, rows {self.weighting}, {where}"

    @property
    def notes(self) -> list[str]:
        return [f"{LABELS[name]}: {why}" for name, why in self.lacking.items()]


def sections(results: Sequence[Result]) -> list[Section]:
    """The paper's tables are of topics that are queries; the first are of all topics."""
    everywhere = [_everywhere(results, half) for half in (*HALVES, "")]
    queries = [result for result in results if result.job["topic"] not in LABELLED]
    return [*everywhere, *_as_in_the_paper(queries)] if queries else everywhere


def _as_in_the_paper(results: Sequence[Result]) -> list[Section]:
    pages = dict.fromkeys(r.job["page"] for r in results)
    weightings = dict.fromkeys(r.job["weighting"] for r in results)
    blocks = {
        (page, weighting): block(results, page, weighting)
        for page in pages
        for weighting in weightings
    }
    made = []
    for page in pages:
        for weighting in weightings:
            made += _tables(blocks[page, weighting])
        made.append(_printed(page))
    curves = [_figure10(block, half) for block in blocks.values() for half in HALVES]
    return made + curves


def _everywhere(results: Sequence[Result], half: str) -> Section:
    """Mean iterations by collection, of the methods that were measured on all of them."""
    shown = block(results, min(PAGES), WEIGHTINGS[0])
    methods = shown.of(half) if half else shown.complete
    names = list(dict.fromkeys(one.collection for each in methods.values() for one in each))
    rows = [_collection(name, methods) for name in names]
    totals = {
        name: [one.rounds for one in each]
        for name, each in methods.items()
        if len(each) == _size(methods)
    }
    if rows and "none" in totals:
        rows.append(_compared("all", totals))
    title = f"All collections, {shown.title(half)}: iterations until a document is relevant"
    return Section(title, rows, [*shown.notes, STOPS])


def _collection(collection: str, methods: dict[str, list[Searched]]) -> Row:
    rounds = {
        name: [one.rounds for one in each if one.collection == collection]
        for name, each in methods.items()
    }
    return _compared(collection, {name: each for name, each in rounds.items() if each})


def _compared(collection: str, rounds: dict[str, list[int]]) -> Row:
    row: Row = {"collection": collection, "topics": max(map(len, rounds.values()))}
    row |= {LABELS[name]: Number(fmean(each), 2) for name, each in rounds.items()}
    if "none" in rounds and DEFAULT in rounds:
        ratio = fmean(rounds[DEFAULT]) / fmean(rounds["none"])
        row["default / VSM"] = Number(ratio, 3)
        row["p, sooner than VSM"] = Number(superiority(rounds["none"], rounds[DEFAULT]), 4)
    return row


def block(results: Sequence[Result], page: int, weighting: str) -> Block:
    topics: dict[str, list[Searched]] = {}
    lacking: dict[str, str] = {}
    for result in results:
        job = result.job
        if (job["page"], job["weighting"]) != (page, weighting):
            continue
        mine = topics.setdefault(job["method"], [])
        if result.missing is None:
            mine += _searched(result)
        else:
            lacking[job["method"]] = f"{job['topic']} is missing, {result.missing}"
    measured = {one.collection for each in topics.values() for one in each}
    names = dict.fromkeys(r.job["topic"] for r in results if r.missing is None)
    return Block(page, weighting, topics, lacking, [n for n in names if n not in measured])


def _searched(result: Result) -> list[Searched]:
    """Topics in even places are the development half."""
    kept = (result.numbers[name] for name in ("topics", "found", "curves"))
    return [
        Searched(result.job["topic"], topic, HALVES[place % 2], found, curve)
        for place, (topic, found, curve) in enumerate(zip(*kept, strict=True))
    ]


def _tables(block: Block) -> list[Section]:
    halves = [make(block, half) for half in HALVES for make in (_iterations, _rounds)]
    return [*halves, _by_collection(block)]


def _iterations(block: Block, half: str) -> Section:
    """The paper's table, its topics added up."""
    methods = block.of(half)
    rows: list[Row] = [
        {"iteration": iteration} | _counts(methods, iteration)
        for iteration in range(1, ROUNDS + 1)
        if methods
    ]
    series = [
        Series(LABELS[name], [_share(each, i) for i in range(1, ROUNDS + 1)])
        for name, each in methods.items()
        if each
    ]
    plot = Plot(
        f"Topics with a relevant document by an iteration, {block.title(half)}",
        list(range(1, ROUNDS + 1)),
        series,
        x_label="iteration",
        y_label="share of topics",
    )
    title = (
        f"Table {TABLES[block.page]}, {block.title(half)}: relevant documents retrieved at each "
        f"iteration, {_size(methods)} topics of all collections"
    )
    return Section(title, rows, [*block.notes, STOPS], [plot] if series else [])


def _counts(methods: dict[str, list[Searched]], iteration: int) -> dict[str, Cell]:
    return {LABELS[name]: sum(one.at(iteration) for one in each) for name, each in methods.items()}


def _share(each: Sequence[Searched], iteration: int) -> float:
    return fmean(one.rounds <= iteration for one in each)


def _size(methods: dict[str, list[Searched]]) -> int:
    return max(map(len, methods.values()), default=0)


def _rounds(block: Block, half: str) -> Section:
    """How soon, on average, and whether that is sooner than without feedback."""
    methods = block.of(half)
    rows: list[Row] = [_means(name, methods.get(name, ())) for name in block.topics]
    plain = [one.rounds for one in methods.get("none", ())]
    for row, name in zip(rows, block.topics, strict=True):
        mine = [one.rounds for one in methods.get(name, ())]
        comparable = plain and mine and name != "none"
        row["p, sooner than VSM"] = Number(superiority(plain, mine) if comparable else None, 4)
        row["remark"] = block.lacking.get(name, "")
    note = f"What is not found in {ROUNDS} iterations counts as {ROUNDS + 1}."
    title = f"{block.title(half)}: iterations until a document is relevant, {_size(methods)} topics"
    return Section(title, rows, [note])


def _means(name: str, each: Sequence[Searched]) -> Row:
    row: Row = {"method": LABELS[name]}
    row["mean"] = Number(fmean(one.rounds for one in each) if each else None, 2)
    for iteration in (1, PRINTED_ROUNDS, ROUNDS):
        row[f"found by {iteration}"] = Number(_share(each, iteration) if each else None, 3)
    for collection in dict.fromkeys(one.collection for one in each):
        mine = [one.rounds for one in each if one.collection == collection]
        row[collection] = Number(fmean(mine), 2)
    return row


def _by_collection(block: Block) -> Section:
    collections = dict.fromkeys(one.collection for each in block.topics.values() for one in each)
    rows: list[Row] = []
    for collection in collections:
        methods = {
            name: [one for one in each if one.collection == collection]
            for name, each in block.complete.items()
        }
        for iteration in range(1, PRINTED_ROUNDS + 1):
            topics = _size(methods) if iteration == 1 else ""
            row: Row = {"collection": collection, "topics": topics, "iteration": iteration}
            rows.append(row | _counts(methods, iteration))
    title = f"Table {TABLES[block.page]} by collection, {block.title()}"
    first = f"Every topic of {', '.join(block.without)} has a relevant document on its first page."
    return Section(title, rows, [*block.notes, *([first] if block.without else [])])


def _printed(page: int) -> Section:
    rows: list[Row] = []
    for topic, methods in PRINTED[page].items():
        for iteration in range(1, PRINTED_ROUNDS + 1):
            row: Row = {"topic": str(topic), "iteration": iteration}
            cells = {LABELS[name]: _cell(first, iteration) for name, first in methods.items()}
            rows.append(row | cells)
    note = (
        "Three topics on the Los Angeles Times of TREC, which is not among our data, so that these "
        "numbers stand here for reference only. The paper's table calls topic 306 308."
    )
    return Section(f"Table {TABLES[page]} as the paper has it, N = {page}", rows, [note])


def _cell(first: int | None, iteration: int) -> Cell:
    if first is not None and iteration > first:
        return None
    return int(iteration == first)


def _figure10(block: Block, half: str) -> Section:
    """Means over the topics where nobody's first iteration had a relevant document."""
    methods = block.of(half)
    open_ = [
        {(one.collection, one.topic) for one in each if one.curve} for each in methods.values()
    ]
    same = set.intersection(*open_) if open_ else set()
    means = {
        name: _mean([one.curve for one in each if (one.collection, one.topic) in same])
        for name, each in methods.items()
        if same
    }
    rows: list[Row] = [
        {"recall": Number(level, 1), **{LABELS[name]: Number(m[i], 4) for name, m in means.items()}}
        for i, level in enumerate(LEVELS)
        if means
    ]
    title = f"Figure 10, {block.title(half)}: precision at the second iteration"
    series = [Series(LABELS[name], mean) for name, mean in means.items()]
    plot = Plot(title, LEVELS, series, x_label="recall", y_label="interpolated precision")
    note = (
        f"Means over {len(same)} topics, those where the first iteration of no method had a "
        "relevant document: all methods have the same documents left to find. Ranked are all "
        "documents that were not shown yet, in the order in which they would be. The paper's "
        "figure is of one topic, and printed without numbers."
    )
    return Section(title, rows, [*block.notes, note], [plot] if series else [])


def _mean(curves: Sequence[Sequence[float]]) -> list[float]:
    return [fmean(values) for values in zip(*curves, strict=True)]
