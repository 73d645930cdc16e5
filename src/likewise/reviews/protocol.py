"""What a review is about and who decides: kept with a session, as JSON, apart from its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from likewise.errors import StoreError, UsageError, sentence
from likewise.reviews.ledger import STAGES
from likewise.reviews.remarks import LONGEST_NOTE, check_words

if TYPE_CHECKING:
    from likewise.reviews.ledger import Stage

S = TypeVar("S", bound=msgspec.Struct)


class Protocol(msgspec.Struct, frozen=True):
    """The question of a review, its criteria of inclusion, and reasons and tags to choose from.

    Where there are reasons to choose from, a full text is left out for one, unless `require_reason`
    says no.
    """

    question: str = ""
    criteria: str = ""
    reasons: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    require_reason: bool = True

    def needs_reason(self, stage: Stage) -> bool:
        """Whether who calls a record not relevant at this stage must say why."""
        return self.require_reason and bool(self.reasons) and stage == STAGES[-1]

    def checked(self) -> Protocol:
        if not isinstance(self.require_reason, bool):
            raise UsageError(f"require_reason is {self.require_reason!r}: it may be true or false")
        for name in ("question", "criteria"):
            text = getattr(self, name)
            if not isinstance(text, str):
                raise UsageError(f"{name} is text, not {type(text).__name__}")
            if len(text) > LONGEST_NOTE:
                raise UsageError(f"{name} may have {LONGEST_NOTE:,} characters, not {len(text):,}")
        return msgspec.structs.replace(
            self,
            reasons=check_words("reasons", self.reasons),
            tags=check_words("tags", self.tags),
        )


class Team(msgspec.Struct, frozen=True):
    """Who works on a session.

    `reviewers` are those who are to judge: where some are named, nobody else can but the owner, the
    adjudicator and those in `sees_all`. `agree` how many of them must say the same.
    While `blinded`, nobody but those in `sees_all` sees others' votes on a document before
    everybody who is to judge it has done so. The `adjudicator` decides where votes differ; without
    one it is the session's owner. Where reviewers share the work, a document is kept for who was
    shown it for `lease` seconds. `changes` counts decisions and assignments: by it those who work
    on the session learn that there are new ones.
    """

    reviewers: tuple[str, ...] = ()
    agree: int = 1
    blinded: bool = False
    sees_all: tuple[str, ...] = ()
    adjudicator: str = ""
    lease: float = 1200.0
    changes: int = 0

    def members(self, owner: str) -> frozenset[str]:
        """Who may judge, where reviewers are named."""
        return frozenset((*self.reviewers, *self.sees_all, self.adjudicator, owner)) - {""}

    def checked(self) -> Team:
        if self.agree < 1:
            raise UsageError(f"agree is {self.agree}: at least one reviewer must say so")
        if self.reviewers and self.agree > len(self.reviewers):
            raise UsageError(f"agree is {self.agree}: there are {len(self.reviewers)} reviewers")
        if self.blinded and len(self.reviewers) < 2:
            raise UsageError(
                "a blinded session hides votes until all its reviewers have judged: "
                "name two reviewers or more"
            )
        if self.lease <= 0:
            raise UsageError(f"lease is {self.lease}: a record is kept for some seconds")
        names = [*self.reviewers, *self.sees_all, *([self.adjudicator] if self.adjudicator else ())]
        for name in names:
            if not name.strip():
                raise UsageError("a reviewer's name is empty: give one")
        return msgspec.structs.replace(
            self,
            reviewers=tuple(dict.fromkeys(self.reviewers)),
            sees_all=tuple(dict.fromkeys(self.sees_all)),
        )


def encode(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()


def decode(text: str, kind: type[S], name: str) -> S:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        what = kind.__name__.lower()
        raise StoreError(
            f"the {what} of session {name!r} is damaged ({sentence(error)}): "
            "put back a copy of the database"
        ) from error
