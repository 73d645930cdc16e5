"""A team: who judges and decides, how far each has come, and how well they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.cli.printing.text import one_line, table
from likewise.cli.printing.units import facts

if TYPE_CHECKING:
    from likewise.reviews import Session
    from likewise.reviews.team import Share

WORK = {
    "all": "everybody judges every record",
    "shared": "a shared queue",
    "assigned": "records are assigned",
}


def as_text(session: Session, width: int | None) -> str:
    team = session.team
    settings, alpha = team.settings, team.alpha
    about = [
        ("reviewers", ", ".join(settings.reviewers) or "whoever judges"),
        ("must agree", str(settings.agree)),
        ("blinded", "yes" if settings.blinded else "no: reviewers see each other's judgements"),
        ("decides", settings.adjudicator or session.owner or "anybody"),
        ("work", WORK[team.work]),
        ("Krippendorff's α", "not defined" if alpha is None else f"{alpha:.2f}"),
    ]
    head = ("reviewer", "judged", "of", "relevant", "not", "unsure")
    parts = [facts(dict(about)), table([head, *map(_share, team.progress())], width, right=0)]
    pairs = [
        (f"{one.first} and {one.second}", str(one.documents), str(one.agreed), _figure(one.kappa))
        for one in team.agreement()
    ]
    if pairs:
        parts.append(
            table([("both judged", "records", "agreed", "Cohen's κ"), *pairs], width, right=0)
        )
    conflicts = [
        (one.document, one_line(", ".join(f"{who}: {label}" for who, label in one.labels.items())))
        for one in team.conflicts()
    ]
    if conflicts:
        parts.append(table([("conflict", "votes"), *conflicts], width, right=0))
    return "\n".join(parts)


def as_fields(session: Session) -> dict[str, Any]:
    """The same for programs."""
    import msgspec

    team = session.team
    return {
        **msgspec.structs.asdict(team.settings),
        "work": team.work,
        "progress": [one._asdict() for one in team.progress()],
        "agreement": [one._asdict() for one in team.agreement()],
        "alpha": team.alpha,
        "conflicts": [one._asdict() for one in team.conflicts()],
        "decisions": [one._asdict() for one in team.decisions().values()],
    }


def _share(one: Share) -> tuple[str, ...]:
    known = (one.documents, one.relevant, one.others, one.undecided)
    counts = ("–" if n is None else str(n) for n in known)
    return one_line(one.reviewer), str(one.judged), *counts


def _figure(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"


def new_name(session: Session) -> str:
    """A name that nobody has judged by may be misspelled; "" where it is known."""
    known = session.team.names()
    if not known or session.reviewer in known:
        return ""
    return (
        f"{one_line(session.reviewer)} has not judged in this review before; known: "
        f"{', '.join(map(one_line, known))}. If this is a slip, quit and give --reviewer NAME."
    )
