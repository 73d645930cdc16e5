"""Kills reviewers with SIGKILL and looks at what they leave. Run by test_judgements.

    python session_killing.py kill DIRECTORY SEED KILLS [DATABASE]
    python session_killing.py together DIRECTORY SEED REVIEWERS [DATABASE]

A reviewer is a fork of this process that judges, pages, decides, undoes and redoes, in a queue that
is shared with others, and tells through a pipe what has returned. Killed right after some report,
it dies somewhere in what it does next. Whatever was reported must be there afterwards, at most one
action more, and nothing else.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from pathlib import Path

from likewise import Document, Index
from likewise.errors import UsageError

DOCUMENTS = 60
ACTIONS = 12  # of each who judges together with others
LABELS = ("relevant", "not", "unsure")
DATABASE = sys.argv[5] if len(sys.argv) > 5 else None


def kill(directory, seed, kills):
    rng = random.Random(seed)
    path = build(directory)
    known = {"judgements": {}, "notes": {}, "decisions": {}, "page": None}
    for trial in range(kills):
        pid, reports = fork(path, "ann", rng.randrange(1 << 30))
        reported = known
        for _ in range(rng.randint(1, 12)):
            known, reported = reported, json.loads(reports.readline())
        os.kill(pid, signal.SIGKILL)
        rest = [json.loads(line) for line in reports if line.endswith("\n")]
        os.waitpid(pid, 0)
        known = check(path, (rest or [reported])[-1], trial)


def check(path, reported, trial):
    """What the next process finds is what was reported, or one action on."""
    index = Index.open(path)
    session = index.session("s", reviewer="ann", database=DATABASE)
    found = session.judgements()
    wanted = reported["judgements"]
    changed = {id for id in found.keys() | wanted.keys() if found.get(id) != wanted.get(id)}
    assert len(changed) <= 1, f"trial {trial}: {changed}"
    notes, written = session.notes(), reported["notes"]
    noted = {id for id in notes.keys() | written.keys() if notes.get(id) != written.get(id)}
    made, decided = decisions(session), reported["decisions"]
    settled = {id for id in made.keys() | decided.keys() if made.get(id) != decided.get(id)}
    assert len(noted | changed | settled) <= 1, f"trial {trial}: {noted}, {changed}, {settled}"
    if not changed and reported["page"] and set(reported["page"]) - found.keys():
        later = session.page.ids
        kept = later == reported["page"] or not set(later) & set(reported["page"])
        assert kept, f"trial {trial}: {later}, not {reported['page']}"
        held = session.team.held()  # and nobody else is given it
        lost = [id for id in later if held.get(id, "ann") != "ann" or id in bob_s_page(session)]
        assert not lost, f"trial {trial}: {lost}"
    page = session.page.ids
    return {"judgements": found, "notes": notes, "decisions": made, "page": page}


def decisions(session):
    return {id: one.label for id, one in session.team.decisions().items()}


def bob_s_page(session):
    """What another reviewer is shown meanwhile."""
    return session.as_reviewer("bob").page.ids


def together(directory, seed, reviewers):
    """Half of them under one name."""
    path = build(directory)
    names = ["ann", "ann", *(f"r{i}" for i in range(reviewers))]
    forks = [fork(path, name, seed + i, ACTIONS) for i, name in enumerate(names)]
    last = {}
    for name, (pid, reports) in zip(names, forks, strict=True):
        last[name] = [json.loads(line) for line in reports][-1]
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, f"{name} failed"
    session = Index.open(path).session("s", database=DATABASE)
    for name in names[2:]:
        assert session.judgements(name) == last[name]["judgements"], name
    refused = sum(reports.refused for _, reports in forks)  # with nothing to undo or redo
    assert len(session.history()) == ACTIONS * len(names) - refused


def build(directory):
    path = directory / "killed.idx"
    index = Index.create(path)
    index.add([Document(str(i), f"cats {'dogs ' * (i % 5)} word{i}") for i in range(DOCUMENTS)])
    return path


class Reports:
    """The reading end of a pipe."""

    def __init__(self, descriptor):
        self._file = os.fdopen(descriptor)
        self.refused = 0

    def readline(self):
        line = self._file.readline()
        assert line, "the reviewer ended by itself"
        return line

    def __iter__(self):
        for line in self._file:
            self.refused += '"refused": true' in line
            yield line


def fork(path, reviewer, seed, actions=None):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        status = 1
        try:
            review(path, reviewer, random.Random(seed), writing, actions)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    return pid, Reports(reading)


def review(path, reviewer, rng, pipe, actions):
    """Judge for ever, or so many times, and report after each time."""
    session = Index.open(path).session(
        "s", query="cats", reviewer=reviewer, page_size=3, overlap=False, database=DATABASE
    )
    done = 0
    while actions is None or done < actions:
        done += 1
        refused = act(session, rng, pages=actions is None)
        page = session.page.ids if actions is None else None
        report = {"judgements": session.judgements(), "page": page, "refused": refused}
        report["notes"], report["decisions"] = session.notes(), decisions(session)
        os.write(pipe, json.dumps(report).encode() + b"\n")


def act(session, rng, *, pages):
    """One action; whether it was refused."""
    kind = rng.choice(["judge", "judge", "judge", "undo", "redo", "decide"][: 6 if pages else 5])
    try:
        if kind == "judge":
            id = (
                rng.choice(session.page.ids)
                if pages and session.page.ids
                else str(rng.randrange(DOCUMENTS))
            )
            note = rng.choice([None, "", f"note {rng.random()}"])
            session.judge(id, rng.choice(LABELS), note=note)
        elif kind == "decide":
            session.team.decide(str(rng.randrange(DOCUMENTS)), rng.choice((*LABELS, None)))
        else:
            getattr(session, kind)()
    except UsageError:
        return True
    return False


if __name__ == "__main__":
    {"kill": kill, "together": together}[sys.argv[1]](Path(sys.argv[2]), *map(int, sys.argv[3:5]))
