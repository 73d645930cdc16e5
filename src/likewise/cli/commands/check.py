"""`likewise check`: looks for damage, and saves what can be saved."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likewise.cli.failures import FAILED
from likewise.cli.options import common
from likewise.cli.printing.damage import print_report, print_rescued
from likewise.cli.progress import Bar
from likewise.errors import UsageError

if TYPE_CHECKING:
    from likewise.text import AnalyzerSettings

EXAMPLES = ("papers.idx", "papers.idx --json", "papers.idx --save saved.idx")

Save = Annotated[
    Path | None,
    typer.Option(
        metavar="NEWDIR", help="Make a new index of all that can be read; DIR stays as it is."
    ),
]


LOST = "where a lost manifest is to be made anew."
Language = Annotated[str | None, typer.Option(metavar="NAME", help=f"The language of text, {LOST}")]
StopWords = Annotated[
    bool | None,
    typer.Option("--stop-words/--no-stop-words", help=f"Whether stop words were left out, {LOST}"),
]
Bigrams = Annotated[
    bool | None,
    typer.Option("--bigrams/--no-bigrams", help=f"Whether pairs of words were indexed, {LOST}"),
]
Fields = Annotated[
    str | None, typer.Option(metavar="NAMES", help=f"The fields that were indexed, {LOST}")
]


def check(
    directory: common.Directory,
    save: Save = None,
    language: Language = None,
    stop_words: StopWords = None,
    bigrams: Bigrams = None,
    fields: Fields = None,
    json: common.Json = False,
    threads: common.Threads = None,
) -> None:
    """Look for damage in the files of an index.

    Checks every byte and what the numbers say, and prints a line for each damaged part: which
    documents cannot be read, what must be made anew. The exit status is 1 if anything is damaged.
    With --save, whatever can be read goes into a new index, with the judgements beside it. If the
    manifest is lost, the settings are found by trying; where that fails, give them.
    """
    asked = {"language": language, "stop_words": stop_words, "bigrams": bigrams, "fields": fields}
    if save is None:
        if any(value is not None for value in asked.values()):
            raise UsageError("settings are for --save: give it, too")
        from likewise.store.checking import check as checked

        with Bar("checking"):
            report = checked(directory)
        print_report(report, json=json)
    else:
        from likewise.reviews.rescue import rescue

        with Bar("saving"):
            rescued = rescue(directory, save, threads=threads, settings=_settings(asked))
        report = rescued.saved.report
        print_rescued(rescued, save, json=json)
    if not report.sound:
        raise typer.Exit(FAILED)


def _settings(asked: dict[str, Any]) -> "AnalyzerSettings | None":
    """Those given, and the usual ones beside them; None if none are given."""
    from likewise.text import AnalyzerSettings, changed_settings

    given = {name: value for name, value in asked.items() if value is not None}
    if "fields" in given:
        given["fields"] = [name.strip() for name in given["fields"].split(",")]
    return changed_settings(AnalyzerSettings(), **given) if given else None
