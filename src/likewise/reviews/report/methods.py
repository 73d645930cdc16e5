"""The methods section of a publication: what was done, in sentences, with versions and settings."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import msgspec

from likewise.feedback.methods import FEEDBACK
from likewise.reviews.ledger import FIRST
from likewise.reviews.pages import RANDOM
from likewise.search.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.reviews.live import Live
    from likewise.reviews.protocol import Protocol
    from likewise.reviews.report.flow import Flow

RULES = {
    "any": "a record counts as relevant if at least one reviewer called it so",
    "majority": "what more of them said counts",
}


def methods(live: Live, flow: Flow, protocol: Protocol, stopping: str) -> str:
    """A paragraph on the review, one on what it asked, and its settings; `stopping` is evidence."""
    parts = [" ".join(_screening(live, flow)), " ".join(_found(flow, stopping))]
    asked = [
        f"{name}: {text.strip()}"
        for name, text in (
            ("Question", protocol.question),
            ("Criteria of inclusion", protocol.criteria),
        )
        if text.strip()
    ]
    return "\n\n".join((*asked, *parts, _settings(live))) + "\n"


def _screening(live: Live, flow: Flow) -> Iterator[str]:
    settings = live.settings
    yield (
        f"Records were screened with likewise (version {_versions(live)}), which ranks all records "
        "that are not judged yet by a linear model learned from the judgements so far."
    )
    yield f"The collection had {_records(flow.screened + flow.duplicates)}"
    if flow.duplicates:
        yield (
            f"({_records(flow.duplicates)} of the same paper as another one "
            f"{'was' if flow.duplicates == 1 else 'were'} found and judged together with it)."
        )
    else:
        yield "(no two of them of the same paper)."
    yield _began(live)
    who = _people(live)
    if who:
        yield f"{who}."
    pages = [page for page in live.pages if page.stage == FIRST]
    learned = dict.fromkeys(page.method for page in pages if page.method not in (RANDOM, "none"))
    if learned:
        yield (
            f"Pages of {settings.page_size} records were shown, and the model was learned anew "
            f"before each page ({'; '.join(map(_method, learned))})."
        )
    drawn = sum(page.method == RANDOM for page in pages)
    if drawn:
        yield f"{drawn} of {len(pages)} pages were drawn at random from all unjudged records."


def _began(live: Live) -> str:
    start, parts = live.start, []
    prior = [mark.label for said in live.whole.prior().values() for mark in said.values()]
    if start.words is not None:
        parts.append(f"the words “{start.words}”")
    relevant = len(start.examples) + prior.count("relevant")
    if relevant:
        parts.append(f"{_records(relevant)} known to be relevant")
    others = len(start.unlike) + prior.count("not")
    if others:
        parts.append(f"{_records(others)} known not to be relevant")
    if not parts:
        return "Screening began without prior knowledge, with records in random order."
    return f"Screening began with {' and '.join(parts)}."


def _people(live: Live) -> str:
    team = live.team
    names = team.reviewers or live.ledger.judges()
    if len(names) < 2:
        return "One reviewer judged titles and abstracts" if names else ""
    how = (
        "each of whom was to judge every record"
        if live.settings.overlap
        else "who shared the records"
    )
    blind = " without seeing what the others said," if team.blinded else ""
    rule = RULES[live.settings.combine]
    if team.adjudicator:
        rule = f"{team.adjudicator} decided, and before that {rule}"
    agree = f" {team.agree} of them had to agree;" if team.agree > 1 else ""
    return (
        f"{len(names)} reviewers, {how},{blind} judged titles and abstracts;{agree} "
        f"where they differed, {rule}"
    )


def _found(flow: Flow, stopping: str) -> Iterator[str]:
    judged = flow.screened - flow.not_reached
    yield (
        f"Of {_records(flow.screened)}, {judged:,} were judged by title and abstract: "
        f"{flow.relevant:,} relevant, {flow.excluded:,} not relevant"
        + (f", {flow.undecided:,} undecided." if flow.undecided else ".")
    )
    if flow.not_reached:
        yield (
            f"Screening ended before {_records(flow.not_reached)} with lower ranks had been judged."
        )
        yield stopping
    found = flow.full_text
    if found is not None:
        yield (
            f"Of {found.sought:,} reports sought, {found.not_retrieved:,} could not be retrieved, "
            f"{found.assessed:,} were assessed in full text, and {flow.included:,} were included."
        )
        reasons = [f"{reason} ({count:,})" for reason, count in found.excluded.items()]
        if reasons:
            yield f"Reasons for exclusion: {'; '.join(reasons)}."


def _settings(live: Live) -> str:
    given = msgspec.to_builtins(live.settings)
    listed = ", ".join(f"{name} {value}" for name, value in given.items() if value is not None)
    manifest = live.generation.snapshot.manifest
    views = ", ".join(("words", *manifest.views))
    return (
        f"Settings: {listed}. Index: generation {live.generation.snapshot.generation}, identity "
        f"{manifest.identity}, views {views}, weighting "
        f"{live.generation.weighting(live.settings.weighting).name}. The archive of the review "
        "makes every page again: likewise replay FILE."
    )


def _method(name: str) -> str:
    """A method as the table of methods describes it."""
    known = FEEDBACK.get(name) or METHODS.get(name)
    return f"{name}: {known.about}" if known else name


def _versions(live: Live) -> str:
    found = dict.fromkeys(page.version for page in live.pages if page.version)
    return ", ".join(found) or version("likewise")


def _records(n: int) -> str:
    return f"{n:,} {'record' if n == 1 else 'records'}"
