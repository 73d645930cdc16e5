"""A session as one reviewer holds it: pages, judgements, and what they add up to."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, overload

from likewise.errors import UsageError
from likewise.reviews import exports, files, pages, progress, queue, records
from likewise.reviews import labels as own_labels
from likewise.reviews.handle import id_of, words_of
from likewise.reviews.judgement import Judgement
from likewise.reviews.ledger import LABELS
from likewise.reviews.looking import Looking
from likewise.reviews.records import Entries
from likewise.reviews.refusing import refuse_no_reason, refuse_stranger
from likewise.reviews.remarks import check_words
from likewise.reviews.stopping.verdict import TARGET
from likewise.search.hits import explain
from likewise.store.disk import replace_file
from likewise.writers import FORMATS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.document import Document
    from likewise.reviews.files import Imported
    from likewise.reviews.ledger import Entry, Event, Label, Stage
    from likewise.reviews.pages import ReviewPage
    from likewise.reviews.progress import Stats
    from likewise.reviews.report import Report
    from likewise.reviews.settings import Settings
    from likewise.reviews.stopping import Rule
    from likewise.reviews.stopping.verdict import Prospect
    from likewise.search.hits import AnyQuery, Explanation, Hit
    from likewise.text import Analyzer


class Session(Looking):
    """Made by `Index.session`. Whatever was judged or shown is on disk when a call returns.

    Handles may be used from several threads; those of one session take turns. A handle stays with
    its session when that is renamed, and raises a UsageError once it is deleted.
    """

    @property
    def name(self) -> str:
        return self._live.name

    @property
    def settings(self) -> Settings:
        return self._live.settings

    def as_reviewer(self, reviewer: str, *, oversees: bool = False) -> Session:
        """The same session in another reviewer's hands.

        Who `oversees` it may decide conflicts and, unless she judges herself, see everything.
        """
        return Session(self._live, reviewer, oversees=oversees)

    @property
    def page(self) -> ReviewPage:
        """The page last shown, while a document of it waits to be judged, or else the next one."""
        with self._now() as live:
            refuse_stranger(live, self.reviewer, oversees=self._oversees)
            return queue.trying(
                live,
                lambda: (
                    pages.last_page(live, self.reviewer) or pages.next_page(live, self.reviewer)
                ),
            )

    def next(self, n: int | None = None, *, again: bool = False) -> ReviewPage:
        """The next page: of n documents, or `page_size`; with `again` also of those passed over."""
        with self._now() as live:
            refuse_stranger(live, self.reviewer, oversees=self._oversees)
            return queue.trying(live, lambda: pages.next_page(live, self.reviewer, n, again=again))

    def sample(self, n: int | None = None) -> ReviewPage:
        """A page of documents chosen at random from those that nobody has judged.

        Judging it makes an estimate of recall possible that holds whatever the ranking is worth.
        """
        with self._now() as live:
            refuse_stranger(live, self.reviewer, oversees=self._oversees)
            return queue.trying(live, lambda: pages.random_page(live, self.reviewer, n))

    def judge(
        self,
        document: Hit | str,
        label: Label | str,
        *,
        note: str | None = None,
        reasons: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        stage: Stage | None = None,
    ) -> None:
        """Call a document relevant, not or unsure, in place of what this reviewer said before.

        `reasons` say why it is not relevant; None leaves those that were given before. A `note` and
        `tags` are put beside the document in place of those there; to undo the judgement leaves
        them. The `stage` is the session's.
        """
        said = None if reasons is None else check_words("reasons", reasons)
        one = Judgement(id_of(document), _label(label), stage=stage, reasons=said)
        self.judge_all([one._replace(note=note, tags=words_of(tags))])

    def judge_all(
        self, labels: Mapping[str, Label | str | None] | Iterable[Judgement], *, source: str = ""
    ) -> None:
        """Several judgements at once: all are kept or none, and they are undone together.

        None withdraws a judgement. `source` says where they come from, if not from judging here.
        """
        if isinstance(labels, Mapping):
            given = [Judgement(id, _label(label), reasons=None) for id, label in labels.items()]
        else:
            given = [one.checked() for one in labels]
        now = time.time()
        with self._look() as live:
            self._refuse_unknown(one.document for one in given if one.label is not None)
            _ = live.grouping  # computed before others have to wait
            beside = [r for one in given if (r := one.remark(self.reviewer, now)) is not None]
            live.enter(lambda: Entries(self._judgements(given, source), beside))
            queue.renew(live, self.reviewer)

    def learn(self) -> None:
        """Learn from all judgements now; the next page is found at once then."""
        with self._now() as live:
            live.learn()

    def entries(self, given: Sequence[Judgement]) -> list[Event]:
        """What is to be entered for judgements, for `reviews.together`; raises if it may not be."""
        with self._look():
            return self._judgements([one.checked() for one in given], "")

    @property
    def owner(self) -> str:
        """Who made the session or was given it; "" for one of a version that did not say."""
        with self._now() as live:
            return live.row.owner

    @property
    def archived(self) -> bool:
        """Whether its owner is done with it."""
        with self._now() as live:
            return bool(live.row.archived)

    def withdraw(self, document: Hit | str) -> None:
        """Take a judgement back, also one of a document that has left the index."""
        self.judge_all({id_of(document): None})

    def undo(self) -> Entry:
        """Take back the last thing this reviewer did; what that was is in the entry returned."""
        return self._step("undo")

    def redo(self) -> Entry:
        """Do again what was undone last."""
        return self._step("redo")

    def judgements(self, reviewer: str | None = None) -> dict[str, Label]:
        """A reviewer's judgements in force at this stage, in the order they were made.

        This reviewer's by default.
        """
        with self._now() as live:
            marks = live.marks(reviewer or self.reviewer)
            ordered = sorted(marks.items(), key=lambda item: item[1].first)
            return {document: mark.label for document, mark in ordered}

    def labels(self) -> dict[str, bool]:
        """What is learned from: every reviewer's judgements together, relevant or not."""
        with self._now() as live:
            return dict(live.labels())

    def reviewers(self) -> list[str]:
        with self._now() as live:
            return live.ledger.reviewers

    def history(self) -> list[Entry]:
        """Everything that was ever done, by all reviewers, oldest first."""
        with self._now() as live:
            return list(live.ledger.history)

    @overload
    def export(
        self,
        path: None = None,
        *,
        format: str = "csv",
        reviewer: str | None = None,
        records: exports.Which = "judged",
    ) -> str: ...

    @overload
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        reviewer: str | None = None,
        records: exports.Which = "judged",
    ) -> None: ...

    def export(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        format: str | None = None,
        reviewer: str | None = None,
        records: exports.Which = "judged",
    ) -> str | None:
        """Documents with the judgements in force, of all reviewers or one: a file, or its text.

        The format is one of likewise.writers.FORMATS, trec (qrels), or what the suffix tells.
        Tables have a row for each judgement; ris, bibtex, csl-json and trec one record a document,
        with what the reviewers say together. `records` are those judged, relevant ones, or all.
        """
        if path is not None:
            target = Path(path)
            chosen = exports.format_of(target, format)
            replace_file(target, self.exported(chosen, reviewer, records))
            return None
        chosen = exports.format_of(None, format or "csv")
        if chosen in FORMATS and not FORMATS[chosen].text:
            raise UsageError(f"{chosen} is no text: give the name of a file")
        return b"".join(self.exported(chosen, reviewer, records)).decode()

    def exported(
        self, format: str, reviewer: str | None = None, records: exports.Which = "judged"
    ) -> Iterator[bytes]:
        """What `export` writes, piece by piece."""
        with self._now() as live:
            return exports.export(live, format, reviewer, records)

    def load(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        topic: str | None = None,
        strict: bool = False,
    ) -> Imported:
        """Take judgements from a file: as their reviewers', or where none is named this one's.

        Bad lines and unknown ids are left out and listed in the result; with `strict` the first
        is an error and nothing is entered.
        """
        with self._now() as live:
            return files.load(live, Path(path), format, self.reviewer, topic, strict)

    def load_labels(self, field: str | None = None) -> Imported:
        """Take the labels that stand in the documents, as of `Added.labels`, as this reviewer's.

        They are found in fields such as `included` or `decision` and in notes of ASReview and
        Rayyan; or in the one `field`.
        """
        with self._now() as live:
            return own_labels.load(live, self.reviewer, field)

    @property
    def report(self) -> Report:
        """What a publication needs: counts, a flow diagram, the methods, an archive."""
        from likewise.reviews.report import Report

        return Report(self._look)

    def stats(self, rules: Sequence[Rule] | None = None, *, target: float = TARGET) -> Stats:
        """How far it has come, and whether to stop: when so much is found, of all that is relevant.

        `rules` give the bounds, by default those of likewise.reviews.stopping.RULES.
        """
        with self._now() as live:
            return progress.stats(live, rules, progress.check_target(target))

    def prospect(self, size: int = 200, *, target: float = TARGET) -> Prospect:
        """What judging a random sample of this size would tell about stopping, at best."""
        with self._now() as live:
            return progress.prospect(live, size, target)

    @property
    def query(self) -> AnyQuery | None:
        """What documents are ranked by now: for `Index.run`, `explain` and saving."""
        with self._now() as live:
            return live.query()

    def explain(
        self, document: Hit | str, query: AnyQuery | None = None, *, weighting: str | None = None
    ) -> Explanation:
        """What each term adds to a document's score by the query of now, or by another one."""
        id = id_of(document)
        with self._now() as live:
            query = live.query() if query is None else query
            if query is None:
                raise UsageError("records are in random order: judge some, and there are reasons")
            if isinstance(query, str):
                weighting = weighting or live.settings.weighting
            (number,) = live.documents.numbers([id])
            known = number if number >= 0 else None
            return explain(live.generation, id, query, weighting, number=known)

    @property
    def analyzer(self) -> Analyzer:
        return self._live.generation.analyzer

    def documents(self, ids: Iterable[str]) -> list[Document]:
        """Documents of the index, in the order of their ids; those shown are found at once."""
        wanted = list(ids)
        with self._look() as live:
            self._refuse_unknown(wanted)
            numbers = live.documents.numbers(wanted)
            return list(map(live.generation.snapshot.document, numbers, wanted))

    def __repr__(self) -> str:
        return f"Session({self.name!r}, reviewer={self.reviewer!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a session cannot be pickled: open it again there, as index.session({self.name!r})"
        )

    def _repr_html_(self) -> str:
        from likewise.reviews.display import session

        return session(self)

    def _step(self, action: Literal["undo", "redo"]) -> Entry:
        with self._look() as live:
            live.enter(lambda: self._action(action))
            mine = (e for e in reversed(live.whole.history) if e.reviewer == self.reviewer)
            return next(mine)

    def _with_copies(self, given: Sequence[Judgement]) -> list[Judgement]:
        """Judgements, and the same of duplicates that nothing else is said of."""
        grouping = self._live.grouping
        if grouping is None:
            return list(given)
        said = {one.document for one in given}
        made = []
        for one in given:
            made.append(one)
            mine = self._live.whole.marks(self.reviewer, one.stage or self._live.stage)
            for other in grouping.members(one.document):
                if other not in said and (one.label is not None or other in mine):
                    said.add(other)
                    made.append(one._replace(document=other, note=None, tags=None))
        return made

    def _judgements(self, given: Sequence[Judgement], source: str) -> list[Event]:
        refuse_stranger(self._live, self.reviewer, oversees=self._oversees)
        full = self._with_copies(list(map(self._with_reasons, given)))
        if not source:
            refuse_no_reason(self._live, full)
        drafts = [one.draft(self._live.stage, source) for one in full]
        for draft in drafts:
            mine = self._live.whole.marks(self.reviewer, draft.stage)
            if draft.label is None and draft.document not in mine:
                raise UsageError(f"reviewer {self.reviewer!r} has not judged {draft.document!r}")
        return records.judgements(self.reviewer, drafts)

    def _with_reasons(self, one: Judgement) -> Judgement:
        mine = self._live.whole.marks(self.reviewer, one.stage or self._live.stage)
        mark = mine.get(one.document)
        return one.with_earlier(mark.reasons if mark else ())

    def _action(self, action: Literal["undo", "redo"]) -> Entries:
        self._live.whole.refuse(self.reviewer, action)
        return Entries([records.action(self.reviewer, action)])


def _label(label: str | None) -> Label | None:
    for known in LABELS:
        if label == known:
            return known
    if label is None:
        return None
    raise UsageError(f"{label!r} is no judgement: say {', '.join(LABELS[:-1])} or {LABELS[-1]}")
