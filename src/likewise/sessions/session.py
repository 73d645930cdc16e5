"""A session as one reviewer holds it: pages, judgements, and what they add up to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from likewise.errors import UsageError
from likewise.judgements import agreement as agreeing
from likewise.judgements import records
from likewise.judgements.ledger import LABELS
from likewise.judgements.records import Draft
from likewise.search.hits import explain
from likewise.sessions import exchange, paging, progress
from likewise.store.disk import replace_file

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from likewise.judgements.agreement import Agreement, Conflict
    from likewise.judgements.formats import FormatName
    from likewise.judgements.ledger import Entry, Label
    from likewise.search.hits import AnyQuery, Explanation, Hit
    from likewise.sessions.exchange import Imported
    from likewise.sessions.progress import Stats
    from likewise.sessions.settings import Settings
    from likewise.sessions.shared import Shared
    from likewise.sessions.shown import Shown
    from likewise.stopping import Rule

WITHDRAWN = "withdrawn"


class Session:
    """Made by `Index.session`. Whatever was judged or shown is on disk when a call returns.

    Handles may be used from several threads; those of one session take turns. A handle stays with
    its session when that is renamed, and raises a UsageError once it is deleted.
    """

    def __init__(self, shared: Shared, reviewer: str) -> None:
        if not reviewer.strip():
            raise UsageError("the reviewer's name is empty: give one")
        self._shared = shared
        self.reviewer = reviewer

    @property
    def name(self) -> str:
        return self._shared.name

    @property
    def settings(self) -> Settings:
        return self._shared.settings

    def as_reviewer(self, reviewer: str) -> Session:
        """The same session in another reviewer's hands."""
        return Session(self._shared, reviewer)

    @property
    def page(self) -> Shown:
        """The page last shown, while a document of it waits to be judged, or else the next one."""
        with self._shared.lock:
            self._shared.follow()
            return paging.current(self._shared, self.reviewer) or paging.following(
                self._shared, self.reviewer
            )

    def next(self, n: int | None = None, *, again: bool = False) -> Shown:
        """The next page: of n documents, or `page_size`; with `again` also of those passed over."""
        with self._shared.lock:
            self._shared.follow()
            return paging.following(self._shared, self.reviewer, n, again=again)

    def sample(self, n: int | None = None) -> Shown:
        """A page of documents chosen at random from those that nobody has judged.

        Judging it makes an estimate of recall possible that holds whatever the ranking is worth.
        """
        with self._shared.lock:
            self._shared.follow()
            return paging.sampled(self._shared, self.reviewer, n)

    def judge(self, document: Hit | str, label: Label | str) -> None:
        """Call a document relevant, not or unsure, in place of what this reviewer said before."""
        self.judge_all({document if isinstance(document, str) else document.id: label})

    def judge_all(self, labels: Mapping[str, Label | str]) -> None:
        """Several judgements at once: all are kept or none, and they are undone together."""
        drafts = [Draft(id, _label(label)) for id, label in labels.items()]
        with self._shared.lock:
            self._shared.renew()
            self._refuse_unknown([draft.document for draft in drafts])
            if drafts:
                self._enter(drafts)

    def withdraw(self, document: Hit | str) -> None:
        """Take a judgement back, also one of a document that has left the index."""
        id = document if isinstance(document, str) else document.id
        with self._shared.lock:
            self._shared.follow()
            if id not in self._shared.ledger.marks(self.reviewer):
                raise UsageError(f"reviewer {self.reviewer!r} has not judged {id!r}")
            self._enter([Draft(id, None)])

    def undo(self) -> Entry:
        """Take back the last thing this reviewer did; what that was is in the entry returned."""
        return self._step("undo")

    def redo(self) -> Entry:
        """Do again what was undone last."""
        return self._step("redo")

    def judgements(self, reviewer: str | None = None) -> dict[str, Label]:
        """A reviewer's judgements in force, this one's by default, in the order they were made."""
        with self._shared.lock:
            self._shared.follow()
            marks = self._shared.ledger.marks(reviewer or self.reviewer)
            ordered = sorted(marks.items(), key=lambda item: item[1].first)
            return {document: mark.label for document, mark in ordered}

    def labels(self) -> dict[str, bool]:
        """What is learned from: every reviewer's judgements together, relevant or not."""
        with self._shared.lock:
            self._shared.follow()
            return self._shared.labels()

    def reviewers(self) -> list[str]:
        with self._shared.lock:
            self._shared.follow()
            return self._shared.ledger.reviewers

    def history(self) -> list[Entry]:
        """Everything that was ever done, by all reviewers, oldest first."""
        with self._shared.lock:
            self._shared.follow()
            return list(self._shared.ledger.history)

    def export(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        format: FormatName | None = None,
        reviewer: str | None = None,
    ) -> str:
        """The judgements in force, of all reviewers or one: as text, and as a file if one is named.

        The format is csv, jsonl or trec, or what the suffix tells. In trec, which are qrels, there
        is one line a document: what the reviewers say together, or one of them.
        """
        target = None if path is None else Path(path)
        with self._shared.lock:
            self._shared.follow()
            text = exchange.export(self._shared, format, reviewer, target)
        if target is not None:
            replace_file(target, text.encode())
        return text

    def load(
        self,
        path: str | os.PathLike[str],
        *,
        format: FormatName | None = None,
        topic: str | None = None,
        strict: bool = False,
    ) -> Imported:
        """Take judgements from a file: as their reviewers', or where none is named this one's.

        Bad lines and unknown ids are left out and listed in the result; with `strict` the first
        is an error and nothing is entered.
        """
        with self._shared.lock:
            self._shared.follow()
            return exchange.load(self._shared, Path(path), format, self.reviewer, topic, strict)

    def agreement(self) -> list[Agreement]:
        """Cohen's κ of every two reviewers, over the documents that both have judged."""
        with self._shared.lock:
            self._shared.follow()
            ledger = self._shared.ledger
            return agreeing.agreement(ledger.by_document(), ledger.reviewers)

    def conflicts(self) -> list[Conflict]:
        """Documents that some reviewers call relevant and others not."""
        with self._shared.lock:
            self._shared.follow()
            return agreeing.conflicts(self._shared.ledger.by_document())

    def stats(self, rules: Sequence[Rule] | None = None) -> Stats:
        """How far it has come, and what rules say about stopping: likewise.stopping.RULES."""
        with self._shared.lock:
            self._shared.follow()
            return progress.stats(self._shared, rules)

    @property
    def query(self) -> AnyQuery | None:
        """What documents are ranked by now: for `Index.run`, `explain` and saving."""
        with self._shared.lock:
            self._shared.follow()
            return self._shared.ranked(1).query

    def explain(self, document: Hit | str) -> Explanation:
        """What each term adds to a document's score by the query of now."""
        id = document if isinstance(document, str) else document.id
        with self._shared.lock:
            query = self.query
            if query is None:
                raise UsageError("documents are in random order: judge some, and there are reasons")
            weighting = self.settings.weighting if isinstance(query, str) else None
            return explain(self._shared.searcher, id, query, weighting)

    def __repr__(self) -> str:
        return f"Session({self.name!r}, reviewer={self.reviewer!r})"

    def _enter(self, drafts: list[Draft]) -> None:
        shared = self._shared
        records.judge(shared.database, shared.number, shared.ledger, self.reviewer, drafts)

    def _step(self, action: Literal["undo", "redo"]) -> Entry:
        shared = self._shared
        with shared.lock:
            shared.renew()
            records.step(shared.database, shared.number, shared.ledger, self.reviewer, action)
            mine = (e for e in reversed(shared.ledger.history) if e.reviewer == self.reviewer)
            return next(mine)

    def _refuse_unknown(self, ids: list[str]) -> None:
        there = set(self._shared.present(ids))
        for id in ids:
            if id not in there:
                place = self._shared.searcher.snapshot.directory
                raise UsageError(
                    f"no document {id!r} in {place}: it was deleted, or was never there"
                )


def _label(label: str) -> Label:
    for known in LABELS:
        if label == known:
            return known
    raise UsageError(f"{label!r} is no judgement: say {', '.join(LABELS[:-1])} or {LABELS[-1]}")
