"""What a command has done or found out, in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from likewise.cli import output
from likewise.cli.display import one_line
from likewise.cli.failures import FAILED, note, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.index import Info, ViewInfo
    from likewise.search.query import Learned
    from likewise.store import Added

SHOWN = 10


def tell_added(added: Added, directory: Path, paths: Sequence[str]) -> None:
    """Say what was added and what was not; part of the input left out is exit status 1."""
    for problem in added.problems[:SHOWN]:
        say(one_line(str(problem)))
    if added.problem_count > SHOWN:
        say(f"and {added.problem_count - SHOWN:,} more like these")
    if added.characters_replaced:
        replaced = count(added.characters_replaced, "invalid character")
        say(f"{replaced} replaced; --strict stops at the first")
    if added.unknown:
        kinds = ", ".join(f"{suffix} {n:,}" for suffix, n in sorted(added.unknown.items()))
        say(f"{count(sum(added.unknown.values()), 'file')} of no kind that can be read: {kinds}")
    for text in added.notes:
        say(one_line(text))
    nothing = not added.documents and not added.skipped
    if nothing:
        say(f"no documents found in {', '.join(paths)}")
    else:
        note(_summary(added, directory))
    if nothing or added.problem_count or added.notes:
        raise typer.Exit(FAILED)


def tell_merged(before: Info, after: Info) -> None:
    if before.generation == after.generation:
        note(f"{after.path} is in one piece already")
        return
    dropped = f", {count(before.deleted, 'deleted document')} dropped" if before.deleted else ""
    sizes = f"{size(before.bytes_on_disk)} before, {size(after.bytes_on_disk)} now"
    note(f"{count(before.segments, 'segment')} merged in {after.path}{dropped} ({sizes})")


def tell_latent(info: Info) -> None:
    view = info.views.get("latent")
    if view is None:
        note(f"{info.path}: no latent space, as no word is in several documents")
        return
    learned = (
        f"{count(view.dimensions, 'dimension')} learned from {count(view.documents, 'document')}"
    )
    note(f"{info.path}: {learned}")


def tell_learned(learned: Learned) -> None:
    note(f"method {how(learned)}")
    note(what_it_took(learned))


def tell_known(path: Path, known: float, directory: Path) -> None:
    note(f"{path}: {share(known)} of its weight is known in {_from_here(directory)}")


def _from_here(path: Path) -> Path:
    """A path as it is written where the command runs."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) and path != here else path


def how(learned: Learned) -> str:
    """The method and why it is the one."""
    return f"{learned.method} ({learned.reason})" if learned.reason else learned.method


def what_it_took(learned: Learned) -> str:
    """5 examples, 1 disliked, 1,994 unlabeled; 12 passes, gap 0.00041, 0.031 s."""
    documents = [count(learned.examples, "example")]
    documents += [f"{learned.unlike:,} disliked"] if learned.unlike else []
    documents += [f"{learned.unlabeled:,} unlabeled"] if learned.unlabeled else []
    work = ["1 pass" if learned.passes == 1 else f"{learned.passes:,} passes"]
    work += [_gap(learned)] if learned.gap is not None else []
    work += [f"{learned.seconds:.{3 if learned.seconds < 1 else 1}f} s"]
    return f"{', '.join(documents)}; {', '.join(work)}"


def _gap(learned: Learned) -> str:
    early = f", stopped above {learned.tol:g}" if learned.tol and not learned.converged else ""
    return f"gap {learned.gap:.2g}{early}"


def share(part: float) -> str:
    """A part of 1 for the eye; what is not all, or nothing, is never rounded to it."""
    if part in (0, 1):
        return "all" if part else "none"
    return f"{min(max(100 * part, 0.1), 99.9):.3g} %"


def write_info(info: Info, *, verified: bool, json: bool) -> None:
    """Print what an index holds on stdout."""
    if json:
        views = {name: view._asdict() for name, view in info.views.items()}
        known = info._asdict() | {"path": output.valid(info.path), "views": views}
        output.put(output.as_json(known | ({"verified": True} if verified else {})), "utf-8")
        return
    output.put(facts(_facts(info) | ({"verified": "every checksum is right"} if verified else {})))


def facts(rows: Mapping[str, str]) -> str:
    """Names and values, one a line."""
    width = max(map(len, rows))
    return "".join(f"{name:{width}}  {one_line(value)}\n" for name, value in rows.items())


def count(number: int, thing: str) -> str:
    """1 document, 2 documents."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def size(number: float) -> str:
    """Bytes for the eye."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:,.1f} GB"


def _facts(info: Info) -> dict[str, str]:
    known: dict[str, Any] = {
        "path": info.path,
        "kind": info.kind,
        "documents": f"{info.documents:,}",
        "deleted": f"{info.deleted:,}",
        "terms": f"{info.terms:,}",
        "segments": f"{info.segments:,}",
        "generation": f"{info.generation:,}",
        "on disk": size(info.bytes_on_disk),
        "documents as given": size(info.bytes_of_records),
    }
    views = {name: _view(name, view) for name, view in info.views.items()}
    settings = {name.replace("_", " "): _value(v) for name, v in info.settings.items()}
    return known | views | settings


def _view(name: str, view: ViewInfo) -> str:
    """200 dimensions from 1,000 documents, 12 folded in since: likewise merge learns it anew."""
    made = f"{count(view.dimensions, 'dimension')} from {count(view.documents, 'document')}"
    made += f" ({view.source})" if view.source else ""
    if not view.stale:
        return made
    if name != "latent":
        from likewise.search.notes import way_to_embed

        way = way_to_embed(view.later, by_model=view.by_model, model=view.model)
        return f"{made}; {count(view.later, 'document')} without: {way}"
    if not view.later:
        return f"{made}, some of them deleted since"
    return f"{made}, {view.later:,} folded in since: likewise merge learns it anew"


def _value(setting: Any) -> str:
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    return ", ".join(setting) if isinstance(setting, (list, tuple)) else str(setting)


def _summary(added: Added, directory: Path) -> str:
    parts = [f"{count(added.documents, 'document')} added to {directory}"]
    if added.replaced:
        parts.append(f"{added.replaced:,} of them in place of earlier ones")
    if added.skipped:
        parts.append(f"{added.skipped:,} left out since their ids were there already")
    if added.problem_count:
        parts.append(f"{added.problem_count:,} left out as said above")
    return ", ".join(parts)
