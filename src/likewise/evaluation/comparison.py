"""The outcome of evaluating a user's own collection: a report, and files for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.evaluation import evaluate as evaluation
from likewise.evaluation import measure_names
from likewise.evaluation.judged import load
from likewise.evaluation.report.averages import Group, counted, groups, superiority
from likewise.evaluation.report.report import Report, make_part, make_report
from likewise.evaluation.report.values import Number, Plot, Row, Section, Series
from likewise.evaluation.runs import Setting, run_jobs
from likewise.readers import trec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from likewise.evaluation.evaluate import Plan
    from likewise.evaluation.judged import JudgedCollection
    from likewise.evaluation.runs import Result
    from likewise.evaluation.studies import Progress

MOST_BARS = 100  # topics that a plot can show


def evaluate(
    plan: Plan, runs: Path, processes: int = 1, progress: Progress | None = None
) -> Report:
    """Measure the jobs that are not in the file of runs yet, and make the report."""
    plan = plan.checked()
    setting = Setting(plan.folder, runs, plan.seeds, processes)
    name = f"evaluate-{plan.folder.resolve().name}"
    jobs = evaluation.jobs(plan)
    notes = _notes(plan)
    ran = run_jobs(evaluation.__name__, name, jobs, setting, progress)
    options = {
        "folder": str(plan.folder),
        "topics": str(plan.files.topics),
        "judgements": plan.files.labels or str(plan.files.qrels),
        "examples": str(plan.examples),
        "seeds": str(plan.seeds),
    }
    about = f"{len(load(plan.folder, plan.files).ids):,} documents of {plan.folder}"
    part = make_part(name, about, _sections(plan, ran.results, notes), setting, ran)
    return make_report([part], options)


def _sections(plan: Plan, results: Sequence[Result], notes: list[str]) -> list[Section]:
    rows = groups(results, row=lambda r: r.job["method"])[None]
    topics = len(evaluation.topics(plan).taking_part)
    title = f"Means over {counted(topics, 'topic')}, {counted(plan.seeds, 'seed')}"
    shown = [_row(plan, name, group, rows) for name, group in rows.items()]
    return [Section(title, shown, notes, _bars(plan, rows))]


def _row(plan: Plan, name: str, group: Group, rows: dict[str, Group]) -> Row:
    row: Row = {"method": name.removeprefix(evaluation.RUN)}
    for measure in plan.measures:
        row[measure] = Number(group.mean(measure), 4)
    if len(rows) > 1:
        row |= _p(plan.measures[0], group, first=next(iter(rows.values())))
    row["CPU s a topic"] = Number(group.mean("seconds"), 4)
    row["remark"] = group.problem or ""
    return row


def _p(measure: str, group: Group, first: Group) -> Row:
    """The p-value of a row being better than the first one."""
    lower = measure_names.lower_is_better(measure)
    title = f"p, {measure} {'below' if lower else 'above'} the first row"
    if group is first or group.problem or first.problem:
        return {title: Number(None)}
    own, other = group.values(measure), first.values(measure)
    return {title: Number(superiority(other, own) if lower else superiority(own, other), 4)}


def _notes(plan: Plan) -> list[str]:
    collection = load(plan.folder, plan.files)
    topics = evaluation.topics(plan)
    notes = [
        f"Each topic has {counted(plan.examples, 'example')} out of its relevant documents, or its "
        "own; examples are left out of all rankings and judgements."
    ]
    total = counted(sum(map(len, topics)), "topic")
    if topics.too_few:
        notes.append(
            f"Left out of all rows: {len(topics.too_few)} of {total}, with too few relevant "
            f"documents to find any beside the examples: {_some(topics.too_few)}."
        )
    if topics.unnamed:
        notes.append(
            f"Left out of all rows: {len(topics.unnamed)} of {total}, judged, but not in "
            f"{plan.files.topics}: {_some(topics.unnamed)}."
        )
    if collection.unknown:
        are_of = (
            "is of a document that is" if collection.unknown == 1 else "are of documents that are"
        )
        notes.append(f"{counted(collection.unknown, 'judgement')} {are_of} not here.")
    for path in plan.runs:
        notes += _run_notes(path, collection, topics.taking_part)
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (" …" if len(names) > 10 else "")


def _run_notes(path: Path, collection: JudgedCollection, topics: Sequence[str]) -> list[str]:
    """Topics that a run lacks, and its documents that are not in the collection."""
    run = evaluation.read_run(path)
    notes = []
    if lacking := sum(topic not in run for topic in topics):
        notes.append(f"{path}: no line for {counted(lacking, 'topic')}: nothing found there.")
    ids = {id for found in run.values() for id in found}
    if strange := len(ids - collection.numbers.keys()):
        are = "is" if strange == 1 else "are"
        notes.append(f"{path}: {counted(strange, 'id')} of {len(ids):,} {are} not here.")
    return notes


def _bars(plan: Plan, rows: dict[str, Group]) -> list[Plot]:
    main = plan.measures[0]
    complete = {name: group for name, group in rows.items() if not group.problem}
    if not complete:
        return []
    first = next(iter(complete.values()))
    topics = sorted(first.topics, key=repr)
    if len(topics) > MOST_BARS:
        return []
    order = sorted(range(len(topics)), key=lambda i: first.values(main)[i])
    series = [
        Series(name.removeprefix(evaluation.RUN), [group.values(main)[i] for i in order])
        for name, group in complete.items()
    ]
    names = [str(topics[i][0]) for i in order]
    return [Plot(f"{main} by topic", names, series, kind="bars", x_label="topic")]


def prepare(plan: Plan, folder: Path) -> None:
    """Raise for ids that cannot be written, before anything is measured."""
    trec.refuse_spaces("document", load(plan.folder, plan.files).ids)
    trec.refuse_spaces("topic", evaluation.topics(plan).taking_part)
    folder.mkdir(parents=True, exist_ok=True)


def write(plan: Plan, folder: Path) -> list[Path]:
    """Write what other tools need to measure the same; returns the paths.

    For each seed: a run of each method, judgements without the examples, and topics with theirs.
    """
    prepare(plan, folder)
    texts = {name: text for seed in range(plan.seeds) for name, text in _of_seed(plan, seed)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _of_seed(plan: Plan, seed: int) -> Iterable[tuple[str, str]]:
    """Names of files and their text.

    The names differ from those that a collection's files have, in case the folder is a collection.
    """
    collection = load(plan.folder, plan.files)
    examples = {
        topic: evaluation.choose(collection, topic, plan.examples, seed)
        for topic in evaluation.topics(plan).taking_part
    }
    for method in plan.methods:
        yield f"{method.replace('@', '-at-')}.{seed}.run", _run(collection, method, examples)
    judged = (
        trec.qrels_lines(t, evaluation.to_find(collection, t, e).items())
        for t, e in examples.items()
    )
    yield f"judged.{seed}.qrels", "".join(judged)
    yield f"examples.{seed}.topics", "".join(_topic(collection, t, e) for t, e in examples.items())


def _run(collection: JudgedCollection, method: str, examples: dict[str, set[str]]) -> str:
    """The first documents of every topic, as many as the measures use."""
    parts = []
    for topic, given in examples.items():
        ranking = evaluation.found(evaluation.rank(collection, method, topic, given))
        parts.append(trec.run_lines(topic, ranking[: measure_names.DEPTH], f"likewise-{method}"))
    return "".join(parts)


def _topic(collection: JudgedCollection, topic: str, examples: set[str]) -> str:
    known = collection.topics.get(topic)
    return trec.topic_line(trec.Topic(topic, known.text if known else "", tuple(sorted(examples))))
