"""Feedback: from one judgement to the next document, in the simulation of a review."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harness import Figure
from likewise.evaluation.simulation import Setting, read, replay
from likewise.evaluation.studies import MissingError
from likewise_studies.reviews.asreview import asreview
from memory_use import HighWater
from rows import Goal, Row

if TYPE_CHECKING:
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "Reviews replayed from one relevant and one other record to the last relevant one, words and "
    "pairs of words; after every judgement the model is brought to a relative duality gap of 1e-2 "
    "and all records are ranked. Models a second of processor time, reading and features left out; "
    "ASReview by its own classes (elas_u4), stopped after as many records as are said."
)
PACKAGES = ("likewise", "asreview", "scikit-learn")
REVIEWS = {"howard2016_fluoride": 4479, "radjenovic2013": 5920}
PEER_RECORDS = 200
ROUNDS = 3


def rows(workspace: Workspace) -> list[Row]:
    return [row for name, size in REVIEWS.items() for row in measure(workspace, name, size)]


def measure(workspace: Workspace, name: str, size: int) -> list[Row]:
    path = workspace.file(f"review/{name}/records.jsonl.gz")
    goal = Goal("ours", "at least", 1000)
    with read(path, stop_words=False, bigrams=True, threads=1) as collection:
        whole = Setting(most=200 if workspace.quick else None)
        held = HighWater()
        runs = [replay(collection, whole, 0) for _ in range(workspace.rounds(ROUNDS))]
    ours = figure([run.updates / run.seconds for run in runs])._replace(memory=held.megabytes)
    work = f"{size:,} records, {runs[0].updates:,} judgements"
    try:
        theirs = figure([peer_speed(path, runs[0].priors)])
    except MissingError as error:
        print(f"ASReview is left out: {error}", file=sys.stderr)
        return [Row(work, "models/s", ours, goal=goal, more=True)]
    return [Row(work, "models/s", ours, f"ASReview, {PEER_RECORDS}", theirs, goal, more=True)]


def peer_speed(path: Path, priors: list[int]) -> float:
    run = asreview(path, priors, 0, most=PEER_RECORDS)
    return run.updates / run.seconds


def figure(speeds: list[float]) -> Figure:
    return Figure(sorted(speeds)[len(speeds) // 2], max(speeds))
