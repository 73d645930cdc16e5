"""A session's settings: kept with the session, and may be changed later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec

from likewise.errors import StoreError, UsageError, sentence
from likewise.reviews.agreement import Combine
from likewise.reviews.ledger import FIRST, STAGES, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable


class Settings(msgspec.Struct, frozen=True):
    """The first four are those of likewise.feedback.Ranker.

    `combine` says what holds where reviewers differ: relevant if `any` of them says so, or what
    the `majority` says. With `overlap` every reviewer is to judge every document; without, they
    share the work, and what one was shown is not shown to the others. `stage` is what is judged
    now: titles and abstracts or, of what was found relevant by those, full texts. Of the pages,
    `random_rate` are random samples: 0.1 makes every tenth one. With `group_duplicates` records of
    one paper are shown once, and a judgement of one holds for all.
    """

    method: str = "auto"
    selection: str | None = None
    weighting: str | None = None
    seed: int = 0
    page_size: int = 10
    combine: Combine = "any"
    overlap: bool = True
    stage: Stage = FIRST
    random_rate: float = 0.0
    group_duplicates: bool = False  # as sessions of earlier versions have it; new ones have True

    def changed(self, **given: Any) -> Settings:
        """With the values given; None leaves a setting as it is."""
        said = {name: value for name, value in given.items() if value is not None}
        new = msgspec.structs.replace(self, **said)
        if new.page_size < 1:
            raise UsageError(f"page_size is {new.page_size}: show at least one document")
        if new.seed < 0:
            raise UsageError(f"seed is {new.seed}: it must be 0 or more")
        if new.combine not in get_args(Combine):
            choices = ", ".join(get_args(Combine))
            raise UsageError(f"combine is {new.combine!r}: it may be {choices}")
        if new.stage not in STAGES:
            raise UsageError(f"stage is {new.stage!r}: it may be {' or '.join(STAGES)}")
        if not 0 <= new.random_rate < 1:
            raise UsageError(f"random_rate is {new.random_rate}: it must be 0 or more, below 1")
        return new


def check_names(given: Iterable[str]) -> None:
    known = Settings.__struct_fields__
    unknown = set(given).difference(known)
    if unknown:
        raise UsageError(f"unknown option {min(unknown)!r}: the options are {', '.join(known)}")


def decode_settings(text: str, name: str) -> Settings:
    try:
        return msgspec.json.decode(text, type=Settings).changed()
    except (msgspec.MsgspecError, UsageError) as error:
        raise StoreError(
            f"the settings of session {name!r} are damaged ({sentence(error)}): "
            "put back a copy of the database, or begin another session"
        ) from error
