"""Reports of measurements: Markdown or JSON on stdout, and a page with plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.printing import stdout
from likewise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from likewise.evaluation.report.report import Report


def check_page(html: Path | None) -> None:
    """Refuse before the work a page that could not be written after it."""
    if html is None:
        return
    from likewise.evaluation.report.plot import require_matplotlib

    require_matplotlib()
    if not html.parent.is_dir():
        raise UsageError(f"--html {html}: there is no folder {html.parent}")


def print_report(report: Report, format: str, html: Path | None) -> None:
    if html is not None:
        from likewise.evaluation.report.page import page

        html.write_text(page(report), encoding="utf-8")
    stdout.put(FORMATS[format](report), "utf-8")


def _markdown(report: Report) -> str:
    from likewise.evaluation.report.markdown import markdown

    return markdown(report)


def _json(report: Report) -> str:
    from likewise.evaluation.report.json import as_object

    return stdout.as_json(as_object(report))


FORMATS: dict[str, Callable[[Report], str]] = {"markdown": _markdown, "json": _json}
