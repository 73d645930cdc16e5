"""Fields as people know them: for the terminal, for HTTP and, where that has no label, the page
(web/js/meta.js has a few of them; a test compares).
"""

from __future__ import annotations

from likewise.readers.fieldnames import BIBTEX_TYPE, ENDNOTE_TYPE, PUBMED_TYPES, RIS_TYPE

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
    "primary": "main category",
    "cats": "categories",
    "created": "date added",
    "author": "authors",
    "secondary_title": "journal",
    "journal_name": "journal",
    "container_title": "journal",
    "publication_year": "year",
    "name_of_database": "database",
    RIS_TYPE: "type in RIS",
    BIBTEX_TYPE: "type in BibTeX",
    ENDNOTE_TYPE: "type in EndNote",
    PUBMED_TYPES: "types in PubMed",
}


def label_of(name: str) -> str:
    """What a field is called; one that is not in the table by its name, with spaces."""
    return LABELS.get(name) or name.replace("_", " ").strip() or name
