"""Where a study's numbers come from, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from likewise.tables.making import Part, Report


def facts(report: Report, part: Part) -> list[tuple[str, str]]:
    """Name and value, for people."""
    found = [
        ("date", f"{report.date}, numbers since {part.first or 'never'}"),
        ("commit", ", ".join(part.commits) or report.commit),
        ("version", ", ".join(part.versions) or "none"),
        ("options", ", ".join(f"{name} {value}" for name, value in report.options.items())),
        ("runs", f"{part.run_file}: {part.measured:,} jobs, {part.seconds:,.0f} s"),
    ]
    if part.missing:
        found.append(("missing", f"{part.missing:,} jobs could not be run; their rows say why"))
    if part.stale:
        found.append(("not used", f"{part.stale:,} results of another version or other data"))
    for folder, files in part.checksums.items():
        sums = ", ".join(f"{name} {digest[:16]}" for name, digest in files.items())
        found.append((f"data, {folder}", f"SHA-256 {sums}" if sums else "not here"))
    return found
