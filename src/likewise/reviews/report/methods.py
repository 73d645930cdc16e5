"""The methods section of a publication: what was done, in sentences, with versions and settings."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

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
    "any": "Where they disagreed, a record counted as relevant if at least one called it so",
    "majority": "Where they disagreed, the majority decided",
}
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}
RANKED = {
    "two-class": "a support vector machine that tells relevant from other records",
    "expanded": "the words it began with, away from records judged not relevant",
    "away": "the words it began with, away from records judged not relevant",
    "anchored": "the words it began with, away from records judged not relevant",
    "rocchio": "Rocchio's formula",
    "one-class": "a one-class support vector machine of the records judged not relevant",
    "svdd": "a support vector data description of the records judged not relevant",
    "centroid": "the mean of the relevant records",
    "steady": "a support vector machine that tells relevant records from all those not judged",
    "1c": "a one-class support vector machine of the relevant records",
}
DETAILS = {
    "method": "method of ranking",
    "selection": "choice of records",
    "weighting": "weighting of words",
    "seed": "random seed",
    "page_size": "records a page",
    "combine": "where reviewers differ",
    "overlap": "everybody judges every record",
    "stage": "stage",
    "random_rate": "share of random pages",
    "group_duplicates": "records of one paper judged once",
}


def methods(live: Live, flow: Flow, protocol: Protocol, stopping: str) -> str:
    """What it asked, how it was screened, what was found, and a list of details for an appendix.

    `stopping` is the evidence for having stopped.
    """
    parts = [" ".join(_screening(live, flow)), " ".join(_found(flow, stopping))]
    asked = [
        f"{name}: {text.strip()}"
        for name, text in (
            ("Question", protocol.question),
            ("Criteria of inclusion", protocol.criteria),
        )
        if text.strip()
    ]
    return "\n\n".join((*asked, *parts, _details(live))) + "\n"


def _screening(live: Live, flow: Flow) -> Iterator[str]:
    settings = live.settings
    yield (
        f"Records were screened with likewise (version {_versions(live)}), which ranks all records "
        "that are not judged yet by a linear model learned from the judgements so far."
    )
    yield _identified(flow)
    yield _began(live)
    who = _people(live)
    if who:
        yield f"{who}."
    pages = [page for page in live.pages if page.stage == FIRST]
    learned = dict.fromkeys(page.method for page in pages if page.method not in (RANDOM, "none"))
    if learned:
        yield (
            f"Pages of {settings.page_size} records were shown, and the model was learned anew "
            f"before each page; records were ranked by {', then by '.join(map(_method, learned))}."
        )
    drawn = sum(page.method == RANDOM for page in pages)
    if drawn:
        verb = "was" if drawn == 1 else "were"
        yield f"{drawn} of {len(pages)} pages {verb} drawn at random from all unjudged records."


def _identified(flow: Flow) -> str:
    said = f"{_records(flow.identified)} {'was' if flow.identified == 1 else 'were'} identified"
    if flow.sources:
        said += f" ({', '.join(f'{name}: {n:,}' for name, n in flow.sources.items())})"
    if flow.duplicates:
        what = "was a duplicate" if flow.duplicates == 1 else "were duplicates"
        said += f", of which {flow.duplicates:,} {what} and not screened apart"
    if flow.removed:
        said += f"; {flow.removed:,} {'was' if flow.removed == 1 else 'were'} removed"
    return f"{said}."


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
    number = NUMBERS.get(len(names), f"{len(names)}")
    each = "each judged every record" if live.settings.overlap else "shared the records"
    blind = ", blinded to each other's judgements" if team.blinded else ""
    said = f"{number.capitalize()} reviewers {each} by title and abstract{blind}"
    if team.agree > 1:
        said += f"; {NUMBERS.get(team.agree, team.agree)} had to agree on a record"
    if team.adjudicator:
        return f"{said}. Disagreements were resolved by {team.adjudicator}"
    return f"{said}. {RULES[live.settings.combine]}"


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


def _details(live: Live) -> str:
    """All that another needs to do the same again, one fact a line."""
    given = msgspec.to_builtins(live.settings)
    snapshot = live.generation.snapshot
    manifest = snapshot.manifest
    rows = {DETAILS[name]: _value(value) for name, value in given.items()}
    rows["weighting of words"] = live.generation.weighting(live.settings.weighting).name
    rows |= {
        "methods used": ", ".join(dict.fromkeys(page.method for page in live.pages)) or "none",
        "likewise": _versions(live),
        "views of records": ", ".join(
            ("words", *snapshot.manifest.sparse, *snapshot.manifest.views)
        ),
        "index": f"generation {snapshot.generation}, identity {manifest.identity}",
        "to make every page again": "likewise replay FILE, with the archive of this review",
    }
    lines = [f"- {name}: {value}" for name, value in rows.items() if value]
    return "\n".join(("Details (for an appendix):", *lines))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _method(name: str) -> str:
    """A method in the words of a paper, or of the table of methods."""
    known = FEEDBACK.get(name) or METHODS.get(name)
    return RANKED.get(name) or (known.about.removeprefix("search by example: ") if known else name)


def _versions(live: Live) -> str:
    found = dict.fromkeys(page.version for page in live.pages if page.version)
    return ", ".join(found) or version("likewise")


def _records(n: int) -> str:
    return f"{n:,} {'record' if n == 1 else 'records'}"
