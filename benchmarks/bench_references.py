"""Reading references, beside the libraries that others use."""

from __future__ import annotations

import gzip
import json
from functools import partial
from html import escape
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from harness import Figure, peak_memory, stopwatch, take_turns
from likewise import Index
from likewise.readers import Problems, read
from likewise.writers.bibtex import write_bibtex
from likewise.writers.csl import write_csl
from likewise.writers.record import Record
from likewise.writers.ris import write_ris
from rows import Row, at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from workspace import Workspace

METHOD = (
    "Titles and abstracts of open reviews with made-up authors, journals, years and keywords, as "
    "files of each format in the page cache, one thread. likewise: from the file to records with "
    "canonical names, encoded as JSON, with ids and labels. Its readers are its own; the peers "
    "give what they give: rispy dictionaries, bibtexparser and pybtex entries (LaTeX not decoded), "
    "nbib dictionaries, json and xml.etree trees without any mapping. Then 80,000 records of RIS "
    "to a finished index, all defaults."
)
PACKAGES = ("likewise", "rispy", "bibtexparser", "pybtex", "nbib")
RECORDS, QUICK_RECORDS = 4_000, 400  # the slowest peer sets the time
MANY = 80_000
ROUNDS = 3
INDEXING = """
from likewise import Index
Index.create(sys.argv[1]).add(sys.argv[2])
"""


def rows(workspace: Workspace) -> list[Row]:
    number = QUICK_RECORDS if workspace.quick else RECORDS
    found: list[Row] = []
    for name, (write, peers) in FORMATS.items():
        path = workspace.directory / f"references.{name}"
        path.write_bytes(b"".join(write(references(workspace, number))))
        found += compare(workspace, name, path, number, peers)
    return [*found, *indexing(workspace)]


def compare(
    workspace: Workspace, name: str, path: Path, number: int, peers: dict[str, Callable[..., Any]]
) -> Iterator[Row]:
    assert count(path) == number, f"{name} was not read whole"
    candidates = {"likewise": partial(count, path)}
    candidates |= {peer: partial(load, path) for peer, load in peers.items()}
    timings = take_turns(candidates, workspace.rounds(ROUNDS))
    speeds = {peer: timing.rate(number) for peer, timing in timings.items()}
    for peer in peers:
        yield Row(f".{name}", "records/s", speeds["likewise"], peer, speeds[peer], more=True)


def count(path: Path) -> int:
    return sum(map(len, read(path, problems=Problems(strict=True))))


def indexing(workspace: Workspace) -> list[Row]:
    number = MANY if not workspace.quick else workspace.documents(MANY)
    source, target = workspace.directory / "many.ris", workspace.directory / "many.idx"
    with source.open("wb") as out:
        out.writelines(write_ris(references(workspace, number), ()))
    seconds = []
    for _ in range(workspace.rounds(ROUNDS)):
        workspace.fresh(target.name)
        seconds.append(stopwatch(lambda: Index.create(target).add(source)))
    workspace.fresh(target.name)
    peak = peak_memory(INDEXING, str(target), str(source)) / 1e6
    work = f"{number:,} RIS records to an index"
    time = Figure(sorted(seconds)[len(seconds) // 2], min(seconds))
    return [
        Row(work, "s", time, goal=at_most(20)),
        Row(work, "MB of memory", Figure(peak, peak), goal=at_most(600)),
    ]


def references(workspace: Workspace, number: int) -> Iterator[Record]:
    """So many records, those of the reviews again and again under new numbers."""
    folder = workspace.file("review")
    given = []
    for path in sorted(folder.glob("*/records.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            given += [json.loads(line) for line in islice(lines, number)]
        if len(given) >= number:
            break
    for i, record in enumerate(islice(cycle(given), number), 1):
        yield Record(
            {
                "id": str(30_000_000 + i),
                "title": " ".join((record.get("title") or "").split()) or f"Untitled {i}",
                "abstract": " ".join((record.get("abstract") or "").split()),
                "authors": [f"Doe{i % 977}, Jane", f"Müller{i % 331}, Karl A.", "Poe, Edgar"],
                "year": 1990 + i % 30,
                "journal": f"Journal of Tests {i % 50}",
                "volume": str(i % 60),
                "issue": str(i % 12),
                "pages": f"{i % 900}-{i % 900 + 8}",
                "doi": f"10.1000/test.{i}",
                "pmid": str(30_000_000 + i),
                "keywords": ["alpha", f"beta{i % 50}", f"gamma{i % 500}"],
                "url": f"https://example.org/{i}",
                "language": "eng",
                "type": "article-journal",
            }
        )


def write_nbib(records: Iterator[Record]) -> Iterator[bytes]:
    for record in records:
        v = record.values
        lines = [f"PMID- {v['pmid']}", f"TI  - {v['title']}", f"AB  - {v['abstract']}"]
        lines += [f"FAU - {name}" for name in v["authors"]]
        lines += [f"DP  - {v['year']} May 12", f"JT  - {v['journal']}", f"VI  - {v['volume']}"]
        lines += [f"IP  - {v['issue']}", f"PG  - {v['pages']}", f"LID - {v['doi']} [doi]"]
        lines += [
            "LA  - eng",
            "PT  - Journal Article",
            *(f"OT  - {word}" for word in v["keywords"]),
        ]
        yield ("\n".join(lines) + "\n\n").encode()


def write_pubmed(records: Iterator[Record]) -> Iterator[bytes]:
    yield b'<?xml version="1.0"?>\n<PubmedArticleSet>\n'
    for record in records:
        v = {name: escape(str(value)) for name, value in record.values.items()}
        authors = "".join(
            f"<Author><LastName>{family}</LastName><ForeName>{given}</ForeName></Author>"
            for family, _, given in (name.partition(", ") for name in record.values["authors"])
        )
        words = "".join(f"<Keyword>{word}</Keyword>" for word in record.values["keywords"])
        yield (
            f"<PubmedArticle><MedlineCitation><PMID>{v['pmid']}</PMID><Article><Journal>"
            f"<JournalIssue><Volume>{v['volume']}</Volume><Issue>{v['issue']}</Issue><PubDate>"
            f"<Year>{v['year']}</Year></PubDate></JournalIssue><Title>{v['journal']}</Title>"
            f"</Journal><ArticleTitle>{v['title']}</ArticleTitle><Pagination><MedlinePgn>"
            f"{v['pages']}</MedlinePgn></Pagination><ELocationID EIdType='doi'>{v['doi']}"
            f"</ELocationID><Abstract><AbstractText>{v['abstract']}</AbstractText></Abstract>"
            f"<AuthorList>{authors}</AuthorList><Language>eng</Language></Article>"
            f"<KeywordList>{words}</KeywordList></MedlineCitation></PubmedArticle>\n"
        ).encode()
    yield b"</PubmedArticleSet>\n"


def rispy_load(path: Path) -> object:
    import rispy

    return rispy.load(path, encoding="utf-8")


def bibtexparser_load(path: Path) -> object:
    import bibtexparser

    library = bibtexparser.parse_string(path.read_text())
    assert not library.failed_blocks
    return library


def pybtex_load(path: Path) -> object:
    from pybtex.database import parse_file

    return parse_file(path, bib_format="bibtex")


def nbib_load(path: Path) -> object:
    import nbib

    return nbib.read_file(str(path))


FORMATS: dict[str, tuple[Callable[..., Iterator[bytes]], dict[str, Callable[..., Any]]]] = {
    "ris": (partial(write_ris, always=()), {"rispy": rispy_load}),
    "nbib": (write_nbib, {"nbib": nbib_load}),
    "bib": (
        partial(write_bibtex, always=()),
        {"bibtexparser": bibtexparser_load, "pybtex": pybtex_load},
    ),
    "json": (
        partial(write_csl, always=()),
        {"json": lambda path: json.loads(path.read_bytes())},
    ),
    "xml": (write_pubmed, {"xml.etree": ElementTree.parse}),
}
