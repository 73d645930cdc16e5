"""Types of references: what each source calls them, and CSL's name, which is the canonical one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.readers.fieldnames import squeezed

if TYPE_CHECKING:
    from collections.abc import Iterable

# The first code of a CSL type is the one to write for a document that came from elsewhere.
RIS_TYPES = {
    "JOUR": "article-journal",
    "EJOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "BOOK": "book",
    "EBOOK": "book",
    "EDBOOK": "book",
    "SER": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "CPAPER": "paper-conference",
    "CONF": "paper-conference",
    "ABST": "article-journal",
    "INPR": "article-journal",
    "JFULL": "periodical",
    "THES": "thesis",
    "RPRT": "report",
    "GOVDOC": "report",
    "GRNT": "report",
    "STAND": "standard",
    "UNPB": "manuscript",
    "MANSCPT": "manuscript",
    "ELEC": "webpage",
    "WEB": "webpage",
    "ICOMM": "post",
    "BLOG": "post-weblog",
    "PAT": "patent",
    "DATA": "dataset",
    "AGGR": "dataset",
    "DBASE": "dataset",
    "COMP": "software",
    "CASE": "legal_case",
    "STAT": "legislation",
    "BILL": "bill",
    "UNBILL": "bill",
    "HEAR": "hearing",
    "LEGAL": "legislation",
    "MAP": "map",
    "VIDEO": "motion_picture",
    "MPCT": "motion_picture",
    "ADVS": "motion_picture",
    "SOUND": "song",
    "MUSIC": "musical_score",
    "ART": "graphic",
    "FIGURE": "figure",
    "PCOMM": "personal_communication",
    "PAMP": "pamphlet",
    "SLIDE": "speech",
    "ENCYC": "entry-encyclopedia",
    "DICT": "entry-dictionary",
    "CLSWK": "classic",
    "ANCIENT": "classic",
    "PREPRINT": "article",
    "GEN": "document",
}
BIBTEX_TYPES = {
    "article": "article-journal",
    "book": "book",
    "mvbook": "book",
    "collection": "book",
    "mvcollection": "book",
    "proceedings": "book",
    "mvproceedings": "book",
    "booklet": "pamphlet",
    "inbook": "chapter",
    "incollection": "chapter",
    "suppbook": "chapter",
    "bookinbook": "chapter",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "manual": "report",
    "unpublished": "manuscript",
    "online": "webpage",
    "electronic": "webpage",
    "www": "webpage",
    "patent": "patent",
    "dataset": "dataset",
    "software": "software",
    "periodical": "periodical",
    "inreference": "entry-encyclopedia",
    "misc": "document",
}
# What columns of tables, Zotero, PubMed, EndNote and others say, squeezed.
OTHER_TYPES = {
    "journalarticle": "article-journal",
    "article": "article-journal",
    "articlejournal": "article-journal",
    "review": "article-journal",
    "articleinpress": "article-journal",
    "electronicarticle": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "note": "article-journal",
    "shortsurvey": "article-journal",
    "clinicaltrial": "article-journal",
    "randomizedcontrolledtrial": "article-journal",
    "metaanalysis": "article-journal",
    "systematicreview": "article-journal",
    "casereports": "article-journal",
    "magazinearticle": "article-magazine",
    "newspaperarticle": "article-newspaper",
    "preprint": "article",
    "book": "book",
    "editedbook": "book",
    "electronicbook": "book",
    "booksection": "chapter",
    "bookchapter": "chapter",
    "electronicbooksection": "chapter",
    "chapter": "chapter",
    "conferencepaper": "paper-conference",
    "conferenceproceedings": "paper-conference",
    "proceedingspaper": "paper-conference",
    "conferenceabstract": "paper-conference",
    "meetingabstract": "paper-conference",
    "thesis": "thesis",
    "dissertation": "thesis",
    "phdthesis": "thesis",
    "academicdissertation": "thesis",
    "report": "report",
    "technicalreport": "report",
    "governmentdocument": "report",
    "webpage": "webpage",
    "website": "webpage",
    "blogpost": "post-weblog",
    "blog": "post-weblog",
    "forumpost": "post",
    "manuscript": "manuscript",
    "unpublishedwork": "manuscript",
    "patent": "patent",
    "dataset": "dataset",
    "computerprogram": "software",
    "software": "software",
    "presentation": "speech",
    "standard": "standard",
    "statute": "legislation",
    "case": "legal_case",
    "encyclopediaarticle": "entry-encyclopedia",
    "dictionaryentry": "entry-dictionary",
    "document": "document",
    "generic": "document",
}
PERIODICALS = frozenset({"article-journal", "article-magazine", "article-newspaper", "periodical"})
BOOK_PARTS = frozenset({"chapter", "paper-conference", "entry-encyclopedia", "entry-dictionary"})


def csl_type(name: str) -> str | None:
    """CSL's type for what a table, Zotero, PubMed, EndNote or RIS calls one; None if unknown."""
    known = OTHER_TYPES.get(squeezed(name)) or RIS_TYPES.get(name.strip().upper())
    return known or (name if name in CSL_TYPES else None)


CSL_TYPES = frozenset(
    {*RIS_TYPES.values(), *BIBTEX_TYPES.values(), *OTHER_TYPES.values()}
    | {"broadcast", "collection", "entry", "event", "interview", "performance", "regulation"}
    | {"review", "review-book", "treaty"}
)


def pubmed_type(types: Iterable[str], *, in_book: bool = False) -> str:
    """CSL's type for the publication types of a record of PubMed."""
    known = [found for type in types if (found := csl_type(type)) is not None]
    if in_book:
        return "paper-conference" if "paper-conference" in known else "chapter"
    usual = "thesis", "book", "dataset", "article", "article-journal"
    return next((type for type in (*usual, *known) if type in known), "article-journal")
