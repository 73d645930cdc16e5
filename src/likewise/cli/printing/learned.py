"""How a query was learned: a line for everybody, and details for those who ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.cli.printing.units import count

if TYPE_CHECKING:
    from likewise.search.hits import Hits
    from likewise.search.query import Learned


def summary(learned: Learned) -> str:
    """Learned from 3 examples and 1 negative example; method steady; views words, latent."""
    parts = [f"learned from {examples(learned)}", f"method {learned.method}"]
    if len(learned.views) > 1:
        parts.append(f"views {', '.join(learned.views)}")
    return "; ".join(parts)


def examples(learned: Learned) -> str:
    given = count(learned.examples, "example")
    return f"{given} and {count(learned.unlike, 'negative example')}" if learned.unlike else given


def details(learned: Learned) -> dict[str, str]:
    """Why this method, and what the solver did."""
    rows = {"reason": learned.reason} if learned.reason else {}
    if learned.views:
        rows["views"] = ", ".join(f"{name} × {factor:g}" for name, factor in learned.views.items())
    rows |= {"other documents": f"{learned.unlabeled:,}"} if learned.unlabeled else {}
    rows["passes"] = f"{learned.passes:,}"
    rows |= {"objective": f"{learned.objective:.6g}"} if learned.objective is not None else {}
    rows |= {"relative gap": _gap(learned)} if learned.gap is not None else {}
    rows["time"] = f"{learned.seconds:.{3 if learned.seconds < 1 else 1}f} s"
    return rows


def _gap(learned: Learned) -> str:
    early = "" if learned.converged else f", above {learned.tol:g}: it stopped early"
    return f"{learned.gap:.2g}{early}"


def fields(hits: Hits) -> dict[str, Any]:
    """All that is known of a learned query, for JSON."""
    if hits.query is None:
        return {}
    import msgspec

    learned = msgspec.to_builtins(hits.query.learned)
    known = {"weighting": hits.query.weighting, "known": hits.known, "learned": learned}
    return known | {"notes": list(hits.notes)}
