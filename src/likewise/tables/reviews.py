"""Screening 23 reviews from one relevant and one other document: loss beside ASReview's elas_u4.

Both see the same records and begin with the same two documents, drawn by the seed. Reviews in even
places, by name, are the development half, on which costs and weighting were chosen.
"""

from __future__ import annotations

import gzip
import time
import warnings
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise.effort import EFFORTS
from likewise.simulation import Setting, replay
from likewise.simulation.collection import read
from likewise.simulation.run import Run
from likewise.tables.averages import groups
from likewise.tables.values import MissingError, Number, Section

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.tables.averages import Group
    from likewise.tables.values import Job, Numbers, Result, Row

REVIEWS = (
    "bannachbrown2019",
    "cleftar2017_CD007427",
    "cleftar2017_CD008691",
    "cleftar2017_CD009020",
    "cleftar2017_CD009185",
    "cleftar2017_CD009551",
    "cleftar2017_CD009944",
    "cleftar2017_CD010386",
    "cleftar2017_CD010542",
    "cleftar2017_CD010633",
    "cleftar2017_CD011134",
    "cohen2006_ADHD",
    "cohen2006_AtypicalAntipsychotics",
    "cohen2006_CalciumChannelBlockers",
    "cohen2006_NSAIDS",
    "cohen2006_OralHypoglycemics",
    "cohen2006_SkeletalMuscleRelaxants",
    "cohen2006_UrinaryIncontinence",
    "howard2016_fluoride",
    "kwok2020_virus",
    "radjenovic2013",
    "wallace_copd",
    "yu2019_testprioritization",
)
PEER = "asreview elas_u4"
METHODS = ("auto", PEER)
SETTING = Setting(weighting="smooth")


def jobs(seeds: int) -> list[Job]:
    return [
        {
            "data": f"review/{review}",
            "topic": review,
            "method": method,
            "half": ("development", "report")[place % 2],
            "seed": seed,
        }
        for method in METHODS
        for place, review in enumerate(REVIEWS)
        for seed in range(seeds)
    ]


def run(job: Job, data: Path) -> Numbers:
    path = data / job["data"] / "records.jsonl.gz"
    with read(path, stop_words=False, threads=1) as collection:
        run = replay(collection, SETTING, job["seed"])
    if job["method"] == PEER:
        run = asreview(path, run.priors, job["seed"])
    speed = run.updates / max(run.seconds, 1e-9)
    return run.measures() | {"updates a second": speed, "judged": len(run.order)}


def asreview(path: Path, priors: list[int], seed: int, most: int | None = None) -> Run:
    """A simulation by ASReview's own classes, to the last relevant record or after so many."""
    try:
        from asreview.learner import ActiveLearningCycle
        from asreview.models.models import get_ai_config
        from asreview.simulation.simulate import Simulate
    except ImportError as error:
        raise MissingError("needs asreview: pip install 'likewise[bench]'") from error
    records, labels = _records(path)
    np.random.seed(seed)  # which LinearSVC draws from
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    stop = None if most is None else most + len(priors)
    features = cycle.transform(records)  # not a part of the time
    simulation = Simulate(
        features, labels, cycle, stopper=stop, skip_transform=True, print_progress=False
    )
    simulation.label(priors)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulation.review()
    seconds = time.process_time() - began
    order = simulation._results["record_id"].astype(int).tolist()[len(priors) :]
    found = (labels[order] == 1).tolist()
    return Run(
        collection=str(path),
        method=PEER,
        seed=seed,
        priors=priors,
        order=order,
        found=found,
        missed=int(labels.sum() - labels[priors].sum() - sum(found)),
        documents=len(labels),
        updates=len(order),
        seconds=seconds,
    )


def _records(path: Path) -> tuple[Any, Any]:
    import pandas as pd

    with gzip.open(path, "rb") as lines:
        found = [msgspec.json.decode(line) for line in lines]
    texts = {name: [each.get(name) or "" for each in found] for name in ("title", "abstract")}
    return pd.DataFrame(texts), np.array([int(each["label"]) for each in found])


def sections(results: Sequence[Result]) -> list[Section]:
    found = groups(results, row=lambda r: r.job["method"], block=lambda r: r.job["half"])
    return [_section(half, rows) for half, rows in found.items()]


def _section(half: str, rows: dict[str, Group]) -> Section:
    reviews = {r.job["topic"] for group in rows.values() for r in group.results}
    seeds = {r.job["seed"] for group in rows.values() for r in group.results}
    return Section(
        f"Reviews, {half} half: means over {len(reviews)} reviews, {len(seeds)} seed(s)",
        [_row(name, group) for name, group in rows.items()],
    )


def _row(name: str, group: Group) -> Row:
    row: Row = {"method": name}
    for effort in EFFORTS:
        row[str(effort)] = Number(group.mean(str(effort)), 4)
    row["updates a CPU second"] = Number(group.mean("updates a second"), 0)
    row["remark"] = group.problem or ""
    return row
