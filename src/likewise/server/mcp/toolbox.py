"""What the tools do: each makes one library call on one index, at its newest generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.document import Text
from likewise.errors import NotConverged, UsageError
from likewise.reviews import Judgement
from likewise.search.hits import Hits
from likewise.search.telling import shown
from likewise.server.access import ANYONE, Role
from likewise.server.mcp import answers
from likewise.server.problems import silence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.index import Index
    from likewise.reviews import Session
    from likewise.search.examples import Example
    from likewise.search.hits import AnyQuery
    from likewise.server.access import Caller
    from likewise.server.indexes import ServedIndex, ServedIndexes
    from likewise.server.recent import RecentQueries
    from likewise.server.stop import Stop

READ_ONLY = "judging is not allowed here: start it as likewise mcp --write"
MOST_WORDS = 15  # of an explanation


class Toolbox:
    """`write` says whether judgements are taken, `reviewer` whose they are without a token."""

    def __init__(
        self,
        indexes: ServedIndexes,
        learned: RecentQueries,
        *,
        write: bool = False,
        reviewer: str | None = None,
        database: str | None = None,
    ) -> None:
        self.indexes, self.write = indexes, write
        self._learned, self._reviewer, self._database = learned, reviewer, database
        silence(NotConverged)

    def list_indexes(self) -> answers.Indexes:
        self.indexes.look()
        return answers.Indexes(
            indexes=[
                answers.AnIndex(
                    name=one.name,
                    title=one.current.project.title,
                    documents=len(one.current),
                    fields=answers.fields(one.current.fields(answers.MOST_VALUES)),
                )
                for one in self.indexes
            ],
            may_judge=self.write,
        )

    def search(
        self,
        index: str | None,
        words: str,
        k: int,
        offset: int,
        filter: str | None,
        characters: int,
    ) -> answers.Answer:
        served = self._served(index)
        current = served.current
        hits = current.search(words, k + 1, skip=offset, filter=filter)
        return _answer(served.name, current, hits, k, offset, characters)

    def more_like(
        self,
        index: str | None,
        like: Sequence[str],
        unlike: Sequence[str],
        texts: Sequence[str],
        k: int,
        offset: int,
        filter: str | None,
        characters: int,
        stop: Stop,
    ) -> answers.Answer:
        if not like and not unlike and not texts:
            raise UsageError("there is no example: give ids in like or unlike, or texts")
        served = self._served(index)
        current = served.current
        examples: list[Example] = [*like, *map(Text, texts)]
        query = current.learn(examples, list(unlike), budget="online", progress=stop.report)
        hits = current.run(query, k + 1, skip=offset, filter=filter)
        answer = _answer(served.name, current, hits, k, offset, characters)
        answer.query = self._learned.put(served, query)
        answer.notes = list(hits.notes)
        return answer

    def get_document(self, index: str | None, id: str, offset: int, length: int) -> answers.Page:
        served = self._served(index)
        document = served.current.document(id)
        if offset and offset >= len(document.text):
            raise UsageError(f"the text of {id!r} has {len(document.text):,} characters")
        return answers.page(served.name, document, offset, length)

    def explain(
        self, index: str | None, id: str, words: str | None, query: str | None
    ) -> answers.Why:
        served = self._served(index)
        current = served.current
        why = current.explain(id, self._asked(served, words, query))
        told = shown(why.terms, MOST_WORDS)
        whole = current.words_of(term for term, _ in told)
        return answers.Why(
            index=served.name,
            id=id,
            score=round(why.score, 4),
            words=[
                answers.Effect(word=whole.get(term, term), effect=round(weight, 4))
                for term, weight in told
            ],
            others=len(why.terms) - len(told),
        )

    def judge(
        self,
        index: str | None,
        judgements: Sequence[Judgement],
        session: str,
        next: int,
        characters: int,
        caller: Caller = ANYONE,
    ) -> answers.Judged:
        if not self.write:
            raise UsageError(READ_ONLY)
        if not caller.may(Role.review):
            raise UsageError("this token may not judge: it needs the role review")
        if not judgements:
            raise UsageError("there is no judgement: give an id and a label")
        served = self._served(index)
        opened: Session = served.newest.session(
            session, reviewer=caller.name or self._reviewer, database=self._database
        )
        opened.judge_all(judgements)
        hits = Hits(opened.next(next).hits if next else ())
        counts = opened.stats()
        return answers.Judged(
            index=served.name,
            session=opened.name,
            reviewer=opened.reviewer,
            relevant=counts.relevant,
            not_relevant=counts.others,
            unsure=counts.undecided,
            next=answers.found(opened, hits, characters),
        )

    def _served(self, name: str | None) -> ServedIndex:
        """The index of this name, or the only one there is."""
        if name is not None:
            return self.indexes[name]
        all = list(self.indexes)
        if len(all) != 1:
            known = ", ".join(one.name for one in all) or "none"
            raise UsageError(f"say which index: there is {known}")
        return all[0]

    def _asked(self, served: ServedIndex, words: str | None, query: str | None) -> AnyQuery:
        if (words is None) == (query is None):
            raise UsageError("give either the words, or the query that more_like returned")
        if words is not None:
            return words
        known = self._learned.get(served, str(query))
        if known is None:
            raise UsageError(f"no query {query!r} any more: ask more_like again, and use its query")
        return known


def _answer(
    name: str, index: Index, hits: Hits[Any], k: int, offset: int, characters: int
) -> answers.Answer:
    """One hit more than is shown tells whether there are others."""
    return answers.Answer(
        index=name,
        hits=answers.found(index, hits[:k], characters),
        next_offset=offset + k if len(hits) > k else None,
    )
