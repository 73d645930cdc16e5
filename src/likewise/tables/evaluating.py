"""From a plan to a report on a user's own collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.tables import evaluation, measuring
from likewise.tables.averages import Group, groups, superiority
from likewise.tables.ground import load
from likewise.tables.making import Report, make_part, make_report
from likewise.tables.running import Setting, run_jobs
from likewise.tables.values import Number, Plot, Progress, Row, Section, Series
from likewise.tables.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.tables.evaluation import Plan
    from likewise.tables.ground import Ground
    from likewise.tables.values import Result

MOST_BARS = 100  # topics that a plot can show


def evaluate(
    plan: Plan, runs: Path, processes: int = 1, progress: Progress | None = None
) -> Report:
    """Measure what the file of runs does not have yet, and report all of it."""
    plan = plan.checked()
    setting = Setting(plan.folder, runs, plan.seeds, processes)
    name = f"evaluate-{plan.folder.resolve().name}"
    jobs = evaluation.jobs(plan)
    notes = _notes(plan)
    ran = run_jobs("likewise.tables.evaluation", name, jobs, setting, progress)
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
    """Whether a row is better than the first one by more than chance."""
    lower = measuring.lower_is_better(measure)
    title = f"p, {measure} {'below' if lower else 'above'} the first row"
    if group is first or group.problem or first.problem:
        return {title: Number(None)}
    own, other = group.values(measure), first.values(measure)
    return {title: Number(superiority(other, own) if lower else superiority(own, other), 4)}


def _notes(plan: Plan) -> list[str]:
    ground = load(plan.folder, plan.files)
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
    if ground.unknown:
        are_of = "is of a document that is" if ground.unknown == 1 else "are of documents that are"
        notes.append(f"{counted(ground.unknown, 'judgement')} {are_of} not here.")
    for path in plan.runs:
        notes += _run_notes(path, ground, topics.taking_part)
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (" …" if len(names) > 10 else "")


def _run_notes(path: Path, ground: Ground, topics: Sequence[str]) -> list[str]:
    """What a run lacks, and what it has that is not here."""
    run = evaluation.read_run(path)
    notes = []
    if lacking := sum(topic not in run for topic in topics):
        notes.append(f"{path}: no line for {counted(lacking, 'topic')}: nothing found there.")
    ids = {id for found in run.values() for id in found}
    if strange := len(ids - ground.numbers.keys()):
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
