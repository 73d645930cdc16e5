"""What a session does not take: votes of strangers, and full texts left out for no reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.errors import MissingReasonError, NotAllowedError
from likewise.reviews.protocol import Protocol, decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.reviews.judgement import Judgement
    from likewise.reviews.live import Live


def refuse_stranger(live: Live, reviewer: str, *, oversees: bool) -> None:
    """Raise where a session has a team and this is none of it: perhaps a name is misspelled."""
    members = live.team.members(live.row.owner)
    if live.team.reviewers and reviewer not in members and not oversees:
        raise NotAllowedError(
            f"{reviewer!r} is not in the team of session {live.name!r}, which is "
            f"{', '.join(sorted(members))}: give one of these names, or have its owner add yours"
        )


def refuse_no_reason(live: Live, given: Iterable[Judgement]) -> None:
    """Raise where a full text is called not relevant and the review wants to know why."""
    protocol = decode(live.row.protocol, Protocol, live.name)
    for one in given:
        if (
            one.label == "not"
            and not one.reasons
            and protocol.needs_reason(one.stage or live.stage)
        ):
            raise MissingReasonError(
                f"{one.document!r} is left out for no reason: at full text give one, "
                f"such as {protocol.reasons[0]!r}"
            )
