"""How a review begins: what it asks, who works on it, and what is known already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from likewise.errors import UsageError
from likewise.reviews import records
from likewise.reviews.judgement import Judgement
from likewise.reviews.ledger import PRIOR
from likewise.reviews.protocol import Protocol, Team, encode
from likewise.search.examples import each

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from likewise.document import Document
    from likewise.reviews.catalogue import Place, Reviews
    from likewise.reviews.session import Session
    from likewise.search.examples import Examples

P = TypeVar("P", Protocol, Team)


def begin(
    reviews: Reviews,
    name: str,
    *,
    known: Iterable[str | Path | Document] = (),
    known_not: Iterable[str | Path | Document] = (),
    labels: bool | str = False,
    protocol: Protocol | Mapping[str, Any] | None = None,
    team: Team | Mapping[str, Any] | None = None,
    examples: Examples = (),
    unlike: Examples = (),
    database: Place = None,
    **options: Any,
) -> Session:
    """Everything is checked before anything is kept; what fails later takes the session along."""
    if any(one.name == name for one in reviews.list(database)):
        raise UsageError(f"there is a session {name!r} already: choose another name")
    plan, crew = _made(Protocol, protocol), _made(Team, team)
    relevant, others = (reviews.look_up(side).checked() for side in (known, known_not))
    for id in set(relevant.ids) & set(others.ids):
        raise UsageError(f"{id!r} is given as relevant and as not relevant: choose one")
    session = reviews.open(
        name,
        examples=[*each(examples), *relevant.outside],
        unlike=[*each(unlike), *others.outside],
        database=database,
        **options,
    )
    try:
        if plan != Protocol():
            session.plan(**msgspec.structs.asdict(plan))
        if crew != Team():
            session.put("team", team=encode(crew))
        labelled = [Judgement(id, "relevant") for id in relevant.ids]
        labelled += [Judgement(id, "not") for id in others.ids]
        if labelled:
            session.judge_all(labelled, source=PRIOR)
        if labels:
            session.load_labels(labels if isinstance(labels, str) else None)
    except Exception:
        records.remove(session.database, name, session.reviewer)
        raise
    return session


def _made(kind: type[P], given: P | Mapping[str, Any] | None) -> P:
    """From keywords, lists become tuples; what makes no sense is refused."""
    if given is None:
        return kind()
    if isinstance(given, Mapping):
        unknown = set(given).difference(kind.__struct_fields__)
        if unknown:
            there = ", ".join(kind.__struct_fields__)
            what = kind.__name__.lower()
            raise UsageError(f"unknown part {min(unknown)!r} of a {what}: there are {there}")
        values: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in given.items()
        }
        return kind(**values).checked()
    return given.checked()
