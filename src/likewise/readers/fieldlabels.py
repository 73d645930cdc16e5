"""Fields as people know them: for the terminal, the page and whoever else shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.readers.fieldnames import BIBTEX_TYPE, ENDNOTE_TYPE, PUBMED_TYPES, RIS_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable

LABELS = {
    "id": "id",
    "doi": "DOI",
    "pmid": "PubMed id",
    "pmcid": "PubMed Central id",
    "issn": "ISSN",
    "isbn": "ISBN",
    "url": "link",
    "urls": "links",
    "accession_number": "accession number",
    "journal_abbreviation": "journal, abbreviated",
    "booktitle": "book",
    "mesh_terms": "MeSH terms",
    "included": "label",
    RIS_TYPE: "type in RIS",
    BIBTEX_TYPE: "type in BibTeX",
    ENDNOTE_TYPE: "type in EndNote",
    PUBMED_TYPES: "types in PubMed",
}


def label_of(name: str) -> str:
    """What a field is called; one that is not in the table by its name, with spaces."""
    return LABELS.get(name) or name.replace("_", " ").strip() or name


def labels_of(names: Iterable[str]) -> dict[str, str]:
    """Of several fields; two that would be called the same keep their names."""
    found = {name: label_of(name) for name in names}
    said = list(found.values())
    return {name: label if said.count(label) == 1 else name for name, label in found.items()}
