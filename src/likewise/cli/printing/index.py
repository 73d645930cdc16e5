"""What an index holds, and what a command has changed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from likewise.cli.failures import FAILED, note, say
from likewise.cli.printing import stdout
from likewise.cli.printing.paths import from_here
from likewise.cli.printing.text import cut, one_line
from likewise.cli.printing.units import count, facts, size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.reviews.backup import Backup
    from likewise.search.index_views import ViewCost
    from likewise.store import Added
    from likewise.store.info import Info, ViewInfo
    from likewise.store.sources import SourceCounts

LONGEST = 40  # characters of the name of a file
MOST_SOURCES = 10  # files that are listed, the last ones
MOST_PROBLEMS = 10  # that are listed; the others are counted


def print_problems(problems: Sequence[object], total: int) -> None:
    """The first parts of the input that were left out, and how many more there are."""
    for problem in problems[:MOST_PROBLEMS]:
        say(one_line(str(problem)))
    if total > MOST_PROBLEMS:
        say(f"and {total - MOST_PROBLEMS:,} more like these")


def print_added(
    added: Added, directory: Path, paths: Sequence[str], labels: str | None = None
) -> None:
    """What was added and what was not; if part of the input was left out, exit status 1.

    Labels in the documents are offered, unless a session of the name `labels` has them.
    """
    print_problems(added.problems, added.problem_count)
    if added.characters_replaced:
        replaced = count(added.characters_replaced, "invalid character")
        say(f"{replaced} replaced; --strict stops at the first")
    if added.unknown:
        kinds = ", ".join(f"{suffix} {n:,}" for suffix, n in sorted(added.unknown.items()))
        say(f"{count(sum(added.unknown.values()), 'file')} of unknown formats skipped: {kinds}")
    for text in added.notes:
        say(one_line(text))
    for text in added.remarks:
        note(one_line(text))
    nothing = not added.documents and not added.skipped
    if nothing:
        say(f"no documents found in {', '.join(paths)}")
    else:
        note(_summary(added, directory))
    if added.labels and labels is None:
        kinds = ", ".join(f"{n:,} {label}" for label, n in sorted(added.labels.items()))
        number = count(sum(added.labels.values()), "document")
        note(f"labels found for {number} ({kinds}): likewise judgements {directory} --labels")
    if nothing or added.problem_count or added.notes:
        raise typer.Exit(FAILED)


def print_merged(directory: Path, before: Info, after: Info) -> None:
    if before.generation == after.generation:
        few = "is a single segment" if before.segments < 2 else "has few small segments"
        note(f"nothing to merge: {directory} {few}")
        return
    gone = before.deleted - after.deleted
    dropped = f", {count(gone, 'deleted document')} removed" if gone else ""
    sizes = f"{size(before.bytes_on_disk)} before, {size(after.bytes_on_disk)} now"
    into = f" into {after.segments:,}" if after.segments > 1 else ""
    note(f"{count(before.segments, 'segment')} of {directory} merged{into}{dropped} ({sizes})")


def print_upgraded(directory: Path, before: Info, after: Info) -> None:
    if before.generation == after.generation:
        note(f"nothing to upgrade: {directory} has format {after.format}")
        return
    sizes = f"{size(before.bytes_on_disk)} before, {size(after.bytes_on_disk)} now"
    note(f"{directory} upgraded from format {before.format} to {after.format} ({sizes})")


def print_reindexed(directory: Path, after: Info) -> None:
    found = f"{count(after.documents, 'document')}, {count(after.terms, 'term')}"
    note(f"{directory} is analysed anew ({found})")


def print_backup(made: Backup, done: str) -> None:
    judged = "no judgements" if made.judgements is None else count(made.judgements, "judgement")
    held = f"{count(made.documents, 'document')}, {judged}, {size(made.bytes)}"
    note(f"{done} (generation {made.generation:,}: {held})")


def print_latent(directory: Path, info: Info) -> None:
    view = info.views.get("latent")
    if view is None:
        note(f"{directory}: no latent space, as no word is in several documents")
        return
    learned = f"{count(view.dimensions, 'dimension')}, {count(view.documents, 'document')}"
    note(f"{directory}: latent space learned ({learned})")


def print_views(costs: dict[str, ViewCost], *, json: bool) -> None:
    if json:
        known = {name: cost._asdict() for name, cost in costs.items()}
        stdout.put(stdout.as_json(known), "utf-8")
        return
    rows = [("view", "documents", "dimensions", "size", "of the input", "a pass")]
    rows += [
        (
            name,
            f"{cost.documents:,}",
            f"{cost.dimensions:,}",
            size(cost.bytes),
            f"{100 * cost.share:.1f} %",
            f"{1000 * cost.seconds:.2g} ms",
        )
        for name, cost in costs.items()
    ]
    stdout.put_table(rows)


def print_info(info: Info, seconds: dict[str, float], *, verified: bool, json: bool) -> None:
    """`seconds` are those of a pass over each view."""
    if json:
        views = {
            name: view._asdict() | {"seconds": seconds.get(name)}
            for name, view in info.views.items()
        }
        known = info._asdict() | {"path": stdout.valid(info.path), "views": views}
        known["sources"] = [_source(one) for one in info.sources]
        stdout.put(stdout.as_json(known | ({"verified": True} if verified else {})), "utf-8")
        return
    checked = {"verified": "all checksums are correct"} if verified else {}
    stdout.put(facts(_facts(info, seconds) | checked))  # its notes are on stderr already


def _facts(info: Info, seconds: dict[str, float]) -> dict[str, str]:
    known: dict[str, Any] = {"name": info.title} if info.title else {}
    if info.archived:
        known["archived"] = "yes: likewise projects --reopen takes it out"
    known |= {
        "path": from_here(info.path),
        "kind": info.kind,
        "documents": f"{info.documents:,}",
        "deleted": f"{info.deleted:,}",
        "terms": f"{info.terms:,}",
        "segments": f"{info.segments:,}",
        "generation": f"{info.generation:,}",
        "size on disk": size(info.bytes_on_disk),
        "size of input": size(info.bytes_of_records),
    }
    if info.shards:
        known["shards"] = f"{info.shards:,}"
    from likewise.store.container import FORMAT  # here, as help needs no arrays

    if info.format < FORMAT:
        known["format"] = f"{info.format}: `likewise upgrade` rewrites it in format {FORMAT}"
    views = {name: _view(name, view, seconds.get(name)) for name, view in info.views.items()}
    settings = {name.replace("_", " "): _value(v) for name, v in info.settings.items()}
    came = {
        f"from {cut(one_line(one.name), LONGEST)}": _came(one)
        for one in info.sources[-MOST_SOURCES:]
    }
    return known | views | settings | came


def _source(one: SourceCounts) -> dict[str, Any]:
    return {
        "name": stdout.valid(one.name),
        "records": one.records,
        "duplicates": one.duplicates,
        "unreadable": one.unreadable,
    }


def _came(one: SourceCounts) -> str:
    """1,200 records, 31 of them duplicates that were left out, 2 places could not be read."""
    said = count(one.records, "record")
    if one.duplicates:
        said += f", {one.duplicates:,} of them left out as duplicates"
    if one.unreadable:
        said += f"; {count(one.unreadable, 'place')} could not be read"
    return said


def _view(name: str, view: ViewInfo, seconds: float | None) -> str:
    """128 dimensions from 1,000 documents, 12 folded in since: likewise merge learns it again."""
    held = count(view.documents, "document")
    costs = size(view.bytes) + ("" if seconds is None else f", {1000 * seconds:.2g} ms a pass")
    if name == "titles":
        return f"parts of the titles of {held}, {costs}"
    made = f"{count(view.dimensions, 'dimension')} from {held}"
    made += f" ({view.source})" if view.source else ""
    made += f", {costs}"
    if not view.stale:
        return made
    if name != "latent":
        from likewise.search.notes import way_to_embed

        way = way_to_embed(view.later, by_model=view.by_model, model=view.model)
        return f"{made}; {count(view.later, 'document')} without: {way}"
    if not view.later:
        return f"{made}, some of them deleted since"
    return f"{made}, {view.later:,} folded in since: likewise merge learns it again"


def _value(setting: Any) -> str:
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    return ", ".join(setting) if isinstance(setting, (list, tuple)) else str(setting)


def _by(added: Added) -> str:
    """By which keys documents were there already, unless that is their ids alone."""
    if added.duplicates.keys() <= {"id"}:
        return ""
    names = {"id": "id", "doi": "DOI", "pmid": "PubMed id"}
    said = [f"{n:,} by the {names[key]}" for key, n in added.duplicates.items()]
    return f" as duplicates ({', '.join(said)})"


def _summary(added: Added, directory: Path) -> str:
    parts = [f"{count(added.documents, 'document')} added to {directory}"]
    if added.replaced:
        parts.append(f"{added.replaced:,} of them replaced earlier ones{_by(added)}")
    if added.skipped:
        what = _by(added) or " because their ids were there already"
        parts.append(f"{added.skipped:,} skipped{what}")
    kept = sum(added.duplicates.values())
    if kept and not added.replaced and not added.skipped:
        have = "has" if kept == 1 else "have"
        parts.append(f"{kept:,} of them {have} the DOI or PMID of another (likewise duplicates)")
    if added.problem_count:
        parts.append(f"{added.problem_count:,} left out because of the errors above")
    return ", ".join(parts)
