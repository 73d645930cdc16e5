"""What the fields of a record are called: one name for each, whatever its source calls it.

A record that is read in has the canonical names below; what has none keeps its own name. Filters,
labels, exports and whoever reads `Document.fields` need to know these names only. Where a source
has several names for one field, the first in the list that has a value is taken, and the others
keep their own. How values look is in fieldvalues.py, how records are mapped in mapping.py.
"""

from __future__ import annotations

import re

# The canonical names, and what they hold.
CANONICAL = {
    "title": "text",
    "abstract": "text",
    "text": "text, such as a full text; searched instead of the abstract where both are there",
    "authors": 'list of "Family, Given"',
    "editors": 'list of "Family, Given"',
    "year": "whole number",
    "date": "text, as the source writes it",
    "journal": "text: the journal or another periodical",
    "journal_abbreviation": "text",
    "booktitle": "text: the book or proceedings that a chapter or paper is in",
    "series": "text",
    "volume": "text",
    "issue": "text",
    "pages": 'text, as in "12-18"',
    "edition": "text",
    "publisher": "text",
    "place": "text: where it was published",
    "issn": "text",
    "isbn": "text",
    "language": "text",
    "doi": "text that begins with 10.",
    "pmid": "text of digits",
    "pmcid": "text that begins with PMC",
    "accession_number": "text: the number that a database gave",
    "keywords": "list of texts",
    "url": "text",
    "urls": "list of texts, where there are several",
    "files": "list of texts: paths or addresses of attached files",
    "notes": "list of texts",
    "database": "text",
    "type": "a type of CSL, as in article-journal; the source's own is kept under its own name",
}

# The names by which a type is kept as its source wrote it, so that it can be given back.
RIS_TYPE = "type_of_reference"
BIBTEX_TYPE = "entry_type"
PUBMED_TYPES = "publication_types"
ENDNOTE_TYPE = "ref_type"

# Columns of tables and keys of JSON, as `squeezed` makes them.
COLUMNS: dict[str, tuple[str, ...]] = {
    "title": (
        "title",
        "itemtitle",
        "articletitle",
        "documenttitle",
        "primarytitle",
        "papertitle",
    ),
    "abstract": (
        "abstract",
        "abstractnote",
        "abstracttext",
        "notesabstract",
        "articleabstract",
        "abstractenglish",
    ),
    "authors": (
        "authors",
        "authorfullnames",
        "author",
        "authorsfull",
        "authornames",
        "firstauthors",
        "authorlist",
        "creators",
    ),
    "editors": ("editors", "editor", "bookeditors"),
    "year": (
        "year",
        "publicationyear",
        "publishedyear",
        "pubyear",
        "yearofpublication",
        "yearpublished",
    ),
    "date": (
        "date",
        "publicationdate",
        "dateofpublication",
        "pubdate",
        "publisheddate",
        "datepublished",
        "coverdate",
    ),
    "journal": (
        "journal",
        "journalname",
        "journaltitle",
        "sourcetitle",
        "publicationtitle",
        "publicationname",
        "journalbook",
        "containertitle",
        "fulljournalname",
        "secondarytitle",
    ),
    "journal_abbreviation": (
        "journalabbreviation",
        "abbreviatedsourcetitle",
        "journalisoabbreviation",
        "isoabbreviation",
    ),
    "booktitle": ("booktitle", "proceedingstitle", "conferencetitle"),
    "series": ("series", "seriestitle", "bookseriestitle"),
    "volume": ("volume", "vol", "volumenumber"),
    "issue": ("issue", "issuenumber", "issueno"),
    "pages": ("pages", "pagination", "pagerange", "medlinepgn"),
    "edition": ("edition",),
    "publisher": ("publisher", "publishername"),
    "place": ("place", "publisherplace", "placepublished", "placeofpublication"),
    "issn": ("issn", "printissn", "issnprint", "eissn", "issnelectronic"),
    "isbn": ("isbn",),
    "language": ("language", "languageoforiginaldocument", "languageofarticle", "langid"),
    "doi": ("doi", "doinumber", "articledoi", "digitalobjectidentifier"),
    "pmid": ("pmid", "pubmedid", "medlinepmid", "pubmedpmid"),
    "pmcid": ("pmcid", "pmc", "pubmedcentralid"),
    "accession_number": (
        "accessionnumber",
        "utuniquewosid",
        "embaseaccessionid",
        "accessionid",
        "accessionno",
        "eid",
        "pui",
    ),
    "keywords": (
        "keywords",
        "keyword",
        "authorkeywords",
        "manualtags",
        "indexkeywords",
        "subjectterms",
        "meshterms",
    ),
    "url": ("url", "link", "fulltextlink", "articleurl", "articlelink", "doilink"),
    "files": ("fileattachments", "pdfpath"),
    "database": ("nameofdatabase", "databasename"),
    "type": (
        "type",
        "itemtype",
        "documenttype",
        "publicationtype",
        "referencetype",
        "articletype",
        "typeofreference",
    ),
}

# Columns by the field tags of Web of Science's plain exports; PT, AU and SO tell these.
WEB_OF_SCIENCE: dict[str, tuple[str, ...]] = {
    "title": ("ti",),
    "abstract": ("ab",),
    "authors": ("af", "au"),
    "editors": ("be",),
    "year": ("py",),
    "date": ("pd",),
    "journal": ("so",),
    "journal_abbreviation": ("j9", "ji"),
    "series": ("se",),
    "volume": ("vl",),
    "issue": ("is",),
    "publisher": ("pu",),
    "place": ("pi",),
    "issn": ("sn", "ei"),
    "isbn": ("bn",),
    "language": ("la",),
    "doi": ("di",),
    "pmid": ("pm",),
    "accession_number": ("ut",),
    "keywords": ("de", "id"),
    "type": ("dt", "pt"),
}
WEB_OF_SCIENCE_TELLS = {"PT", "AU", "SO"}

# First and last page, which make up `pages`.
FIRST_PAGE = ("startpage", "pagestart", "firstpage", "beginningpage", "bp")
LAST_PAGE = ("endpage", "pageend", "lastpage", "endingpage", "ep")

# Columns that are a database's own id of a record, after those of document.ID_NAMES.
OWN_IDS = ("covidence", "rayyanid", "refid", "recnumber", "itemkey")

# Tags of RIS. T2 is a journal or a book by the record's type, dates are looked at by ris.py.
RIS: dict[str, tuple[str, ...]] = {
    "title": ("TI", "T1", "CT"),
    "abstract": ("AB", "N2"),
    "authors": ("AU", "A1"),
    "editors": ("A2", "ED"),
    "journal": ("JF", "JO", "SO"),
    "journal_abbreviation": ("J2", "JA", "J1"),
    "booktitle": ("BT",),
    "series": ("T3",),
    "volume": ("VL",),
    "issue": ("IS", "NO"),
    "edition": ("ET",),
    "publisher": ("PB",),
    "place": ("CY", "PP"),
    "language": ("LA",),
    "doi": ("DO", "DI"),
    "accession_number": ("AN",),
    "keywords": ("KW",),
    "url": ("UR",),
    "files": ("L1",),
    "notes": ("N1",),
    "database": ("DB",),
}
# Other tags of RIS; their names are rispy's. LB stays LB, as labels are something else here.
RIS_OTHERS = {
    "A3": "tertiary_authors",
    "A4": "subsidiary_authors",
    "AD": "author_address",
    "C1": "custom1",
    "C2": "custom2",
    "C3": "custom3",
    "C4": "custom4",
    "C5": "custom5",
    "C6": "custom6",
    "C7": "custom7",
    "C8": "custom8",
    "CA": "caption",
    "CN": "call_number",
    "DP": "database_provider",
    "ID": "id",
    "L2": "file_attachments2",
    "L3": "related_records",
    "L4": "figure",
    "LK": "link",
    "M1": "note",
    "M2": "miscellaneous2",
    "M3": "type_of_work",
    "NV": "number_of_volumes",
    "OP": "original_publication",
    "RI": "reviewed_item",
    "RN": "research_notes",
    "RP": "reprint_edition",
    "SE": "section",
    "ST": "short_title",
    "TA": "translated_author",
    "TT": "translated_title",
    "U1": "user1",
    "U2": "user2",
    "U3": "user3",
    "U4": "user4",
    "U5": "user5",
    "Y2": "access_date",
}
RIS_REPEATED = frozenset({"AU", "A1", "A2", "A3", "A4", "ED", "KW", "N1", "UR", "L1"})

# Fields of BibTeX and BibLaTeX.
BIBTEX: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "abstract": ("abstract",),
    "authors": ("author",),
    "editors": ("editor",),
    "year": ("year",),
    "date": ("date",),
    "journal": ("journaltitle", "journal"),
    "journal_abbreviation": ("shortjournal",),
    "booktitle": ("booktitle",),
    "series": ("series",),
    "volume": ("volume",),
    "issue": ("issue", "number"),
    "pages": ("pages",),
    "edition": ("edition",),
    "publisher": ("publisher", "institution", "school", "organization"),
    "place": ("location", "address"),
    "issn": ("issn",),
    "isbn": ("isbn",),
    "language": ("language", "langid"),
    "doi": ("doi",),
    "pmid": ("pmid",),
    "pmcid": ("pmcid", "pmc"),
    "keywords": ("keywords", "keyword"),
    "url": ("url",),
    "files": ("file",),
    "notes": ("note", "annote", "annotation"),
}

# Variables of CSL-JSON.
CSL: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "abstract": ("abstract",),
    "authors": ("author",),
    "editors": ("editor",),
    "journal_abbreviation": ("container-title-short", "journalAbbreviation"),
    "series": ("collection-title",),
    "volume": ("volume",),
    "issue": ("issue",),
    "pages": ("page",),
    "edition": ("edition",),
    "publisher": ("publisher",),
    "place": ("publisher-place",),
    "issn": ("ISSN",),
    "isbn": ("ISBN",),
    "language": ("language",),
    "doi": ("DOI",),
    "pmid": ("PMID",),
    "pmcid": ("PMCID",),
    "keywords": ("keyword",),
    "url": ("URL",),
    "notes": ("note",),
    "database": ("source",),
    "type": ("type",),
}

_SQUEEZE = re.compile(r"[\W_]+")


def squeezed(name: str) -> str:
    """A name by which spellings are compared: "Author(s)" and authors are the same."""
    return _SQUEEZE.sub("", name).lower()
