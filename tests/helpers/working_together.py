"""Two browsers and a terminal at work on one review: what each was shown, said and was told."""

from __future__ import annotations

import random
import re
import threading
from collections import Counter
from dataclasses import dataclass, field

import httpx

from helpers.process import Terminal
from helpers.server_client import process
from likewise import Index

LABELS = ("relevant", "not", "unsure")
NAME = "together"


@dataclass
class Client:
    """A browser, as the page asks: it judges one record after the other, and goes on at the end."""

    base: str
    reviewer: str
    most: int
    shown: list[str] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def work(self) -> None:
        rng = random.Random(self.reviewer)
        with httpx.Client(timeout=60) as client:
            page = client.get(f"{self.base}/page", params={"reviewer": self.reviewer}).json()
            while page["hits"] and len(self.said) < self.most:
                ids = [hit["id"] for hit in page["hits"]]
                self.shown += ids
                for id in ids:
                    page = self.judge(client, rng, id, goes_on=id == ids[-1]) or page

    def judge(self, client: httpx.Client, rng: random.Random, id: str, *, goes_on: bool):
        one = {"id": id, "label": rng.choice(LABELS)}
        if rng.random() < 0.2:
            one["note"] = f"note {rng.random()}"
        body = {"judgements": [one], "reviewer": self.reviewer, "next": {} if goes_on else None}
        answer = client.post(f"{self.base}/judgements", json=body)
        if answer.status_code != 200:
            self.problems.append(answer.text)
            return None
        self.said[id] = one["label"]
        if "note" in one:
            self.notes[id] = one["note"]
        return answer.json()["page"]


def work_together(path, judgements, agree=1, database=None):
    """So many judgements by two browsers and a terminal; returns what each did."""
    index = Index.open(path)
    session = index.session(
        NAME, query="cats", reviewer="eve", page_size=5, overlap=False, database=database
    )
    session.team.change(reviewers=("ann", "bob", "cem"), agree=agree)
    own = ["--database", str(database)] if database else []
    with process(path, *own, "--rate-limit", "0") as (_, address):
        base = f"{address}/v1/indexes/{path.stem}/sessions/{NAME}"
        clients = [Client(base, name, judgements // 3) for name in ("ann", "bob")]
        threads = [threading.Thread(target=one.work) for one in clients]
        for thread in threads:
            thread.start()
        typed = terminal(path, judgements // 3, own)
        for thread in threads:
            thread.join()
    return clients, typed


def terminal(path, most, own):
    """Judges by keys; returns how many the command says were judged."""
    at = Terminal(path, "--name", NAME, "--reviewer", "cem", *own, lines=40)
    for i in range(most):
        at.see("q quit")
        at.press("ynu"[i % 3])
    at.see("q quit")
    at.press("q")
    said = at.see("judged by cem")
    assert at.end() == 0
    found = re.search(r"(\d+) records? judged by cem", said.replace(",", ""))
    return int(found[1]) if found else 0


def check_together(path, clients, typed, agree=1, database=None):
    """Nothing is lost, nobody saw a record twice, no record was given to more than must agree."""
    session = Index.open(path).session(NAME, reviewer="eve", database=database)
    steps = len(session.history())
    shown = {name: Counter() for name in ("ann", "bob", "cem")}
    for page in session._live.all_pages:
        shown[page.reviewer].update(session._live.ids_on[page.number])
    for name, ids in shown.items():
        assert set(ids.values()) <= {1}, f"{name} saw a record twice"
    given = sum(shown.values(), Counter())
    assert max(given.values()) <= agree, "a record was given to too many"
    for one in clients:
        assert not one.problems, one.problems
        assert session.judgements(one.reviewer) == one.said, one.reviewer
        assert session.notes(one.reviewer) == one.notes, one.reviewer
        assert Counter(one.shown) <= shown[one.reviewer]
    assert len(session.judgements("cem")) == typed
    made = sum(len(one.said) for one in clients) + typed
    assert steps == made, "steps are missing"
    return made
