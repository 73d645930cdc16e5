"""A labelled set of duplicates, made from the open reviews: copies as other databases have them,
and papers that look alike but are not the same.

The reviews have titles and abstracts only, so authors, years, journals and DOIs are drawn here. No
copy has its original's DOI or PMID: those would settle it at once.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Record = dict[str, Any]

MOST = 1_000  # records taken of a review
COPIED = 0.4  # share of records with a copy
LOOKALIKES = 0.25  # share of records with another paper that looks alike
SURNAMES_TEXT = (
    "Smith Jones Müller Schmidt Garcia Rossi Nguyen Kim Lee Wang Zhang Chen Kumar Singh Patel "
    "Ivanov Novák Kowalski Andersen Jensen Johansson Virtanen Silva Santos Costa Dubois "
    "Lefèvre Martin Bernard Sánchez López Tanaka Suzuki Yamamoto Haddad Cohen Levi Okafor "
    "Mensah Abebe O'Brien Murphy Campbell Stewart Brown Wilson Taylor Clark Walker Hall Young "
    "King Wright Scott Green Baker Adams Nelson Hill Moore Allen Carter Mitchell Roberts "
    "Turner Phillips Parker Evans Edwards Collins Morris Rogers Reed Cook Bell Bailey Cooper "
    "Richardson Cox Howard Ward Torres"
)
SURNAMES = SURNAMES_TEXT.split(" ")
GIVEN_TEXT = (
    "John Jane Anna Peter Maria José Wei Li Priya Amit Olga Ivan Petra Jan Lars Ingrid Mika "
    "Luís Claire Pierre Ana Carlos Yuki Kenji Omar Sara David Ruth Chidi Ama Liam Emma Noah "
    "Ava Lucas Mia Oliver Sophia Elias Hannah Felix Clara Hugo Alice"
)
GIVEN = GIVEN_TEXT.split(" ")
ACCENTS = str.maketrans({"e": "é", "o": "ö", "a": "á"})
TAILS = (
    " © 2015 Elsevier Ltd. All rights reserved.",
    " Copyright (C) 2011 S. Karger AG, Basel.",
    " This article is protected by copyright.",
    " (PsycINFO Database Record (c) 2016 APA, all rights reserved).",
)
SWAPS = (
    ("randomized", "randomised"), ("tumor", "tumour"), ("behavior", "behaviour"),
    ("center", "centre"), ("pediatric", "paediatric"), ("using", "with"), ("patients", "people"),
    ("evaluation", "assessment"), ("effects", "effect"), ("analysis", "analyses"),
    ("study", "trial"), ("role", "roles"), ("software", "Software"), ("versus", "vs."),
)  # fmt: skip
OPPOSITES = (
    ("men", "women"), ("adults", "children"), ("rats", "mice"), ("acute", "chronic"),
    ("with", "without"), ("high", "low"), ("short", "long"), ("early", "late"), ("oral", "topical"),
    ("type", "subtype"), ("static", "dynamic"), ("type 1", "type 2"), ("cost", "safety"),
)  # fmt: skip
GENERIC = ("Editorial", "Introduction", "Book review", "Letter to the editor", "Foreword")


class Labelled(NamedTuple):
    """Records in random order; the paper that each id is of, and how it came about."""

    records: list[Record]
    papers: dict[str, str]
    kinds: dict[str, str]


def halves(folder: Path) -> tuple[list[Path], list[Path]]:
    """The reviews to tune on, and those to report: every other one by name."""
    reviews = sorted(path for path in folder.iterdir() if path.is_dir())
    return reviews[::2], reviews[1::2]


def labelled(review: Path, seed: int) -> Labelled:
    draw = random.Random(f"{seed} {review.name}")
    base = _base(review, draw)
    making = _Making(draw, base)
    for record in base:
        making.keep(record, record["id"], "original")
        if draw.random() < COPIED:
            for kind in draw.sample(list(COPIES), 2 if draw.random() < 0.15 else 1):
                making.keep(COPIES[kind](making, record), record["id"], kind)
        if draw.random() < LOOKALIKES:
            kind = draw.choice(list(OTHERS))
            for number, other in enumerate(OTHERS[kind](making, record)):
                making.keep(other, f"{record['id']} {kind} {number}", kind)
    draw.shuffle(making.records)
    return Labelled(making.records, making.papers, making.kinds)


def _base(review: Path, draw: random.Random) -> list[Record]:
    """Records with a title of their own: those that share one may be duplicates already."""
    with gzip.open(review / "records.jsonl.gz", "rt") as lines:
        found = [json.loads(line) for line in lines]
    names = [re.sub(r"\W+", "", (one["title"] or "").lower()) for one in found]
    alone = [one for one, name in zip(found, names, strict=True) if name and names.count(name) == 1]
    chosen = draw.sample(alone, min(MOST, len(alone)))
    return [_with_people(one, number, draw) for number, one in enumerate(chosen)]


def _with_people(record: Record, number: int, draw: random.Random) -> Record:
    doi = {"doi": f"10.1000/{number}.{draw.randrange(10**6)}"} if draw.random() < 0.6 else {}
    text = {"abstract": record["abstract"]} if record["abstract"] else {}
    return {
        "id": f"r{number}",
        "title": record["title"].strip(),
        **text,
        "authors": _people(draw),
        "year": draw.randint(1990, 2022),
        "journal": f"Journal {draw.randrange(50)}",
        **doi,
    }


def _people(draw: random.Random) -> list[str]:
    return [f"{draw.choice(SURNAMES)}, {draw.choice(GIVEN)}" for _ in range(draw.randint(1, 6))]


class _Making:
    def __init__(self, draw: random.Random, base: Sequence[Record]) -> None:
        self.draw, self.base = draw, base
        self.records: list[Record] = []
        self.papers: dict[str, str] = {}
        self.kinds: dict[str, str] = {}

    def keep(self, record: Record, paper: str, kind: str) -> None:
        id = f"{self.draw.randrange(16**12):012x}"
        self.records.append({**record, "id": id})
        self.papers[id], self.kinds[id] = paper, kind

    # Copies of the same paper

    def database(self, record: Record) -> Record:
        """Another database: case, punctuation, initials, labels and a notice in the abstract."""
        copy = self._initials(self._without_doi(record))
        copy["title"] = self._punctuated(self._case(copy["title"]))
        if "abstract" in copy:
            label = self.draw.choice(["", "BACKGROUND: ", "Objective. "])
            copy["abstract"] = label + copy["abstract"] + self.draw.choice(["", *TAILS])
        return copy

    def no_abstract(self, record: Record) -> Record:
        copy = self._initials(self._without_doi(record))
        copy.pop("abstract", None)
        return {**copy, "title": self._punctuated(self._case(copy["title"]))}

    def bare(self, record: Record) -> Record:
        """No abstract, and no authors or no year either."""
        copy = self.no_abstract(record)
        copy.pop(self.draw.choice(["authors", "year"]))
        return copy

    def preprint(self, record: Record) -> Record:
        """An earlier version: another DOI, a word or two of the title, an edited abstract."""
        copy = {**record, "doi": f"10.1101/{self.draw.randrange(10**9)}", "journal": "bioRxiv"}
        copy["title"] = self._reworded(copy["title"])
        copy["year"] = record["year"] - self.draw.choice([0, 0, 1, 1, 2])
        if "abstract" in copy:
            copy["abstract"] = self._edited(copy["abstract"], 0.85)
        return copy

    def truncated(self, record: Record) -> Record:
        copy = self._without_doi(record)
        copy["title"] = self._marked_up(copy["title"])
        if "abstract" in copy:
            words = copy["abstract"].split()
            copy["abstract"] = (
                " ".join(words[: int(len(words) * self.draw.uniform(0.4, 0.7))]) + "…"
            )
        return copy

    def slips(self, record: Record) -> Record:
        copy = self._initials(self._without_doi(record))
        for _ in range(self.draw.randint(1, 2)):
            copy["title"] = self._slip(copy["title"])
        if self.draw.random() < 0.5:
            copy.pop("abstract", None)
        return copy

    def subtitle(self, record: Record) -> Record:
        """Another mark between title and subtitle, or the subtitle before the title's end."""
        copy = self._initials(self._without_doi(record))
        mark = self.draw.choice([" - ", ". ", " — ", " / ", ":"])
        copy["title"] = re.sub(r"\s*[:.]\s+", mark, copy["title"].rstrip("."), count=1)
        if self.draw.random() < 0.3:
            copy.pop("abstract", None)
        return copy

    # Other papers that look alike

    def parts(self, record: Record) -> Iterator[Record]:
        one, other = self.draw.choice([("I", "II"), ("1", "2"), ("A", "B"), ("one", "two")])
        for number in (one, other):
            yield self._other(record, f"{record['title'].rstrip('.')}: part {number}", text=0.0)

    def updates(self, record: Record) -> Iterator[Record]:
        """A review that was done again has most of its abstract again, too."""
        first = self.draw.randint(2005, 2018)
        for year in (first, first + self.draw.randint(2, 5)):
            title = (
                f"{record['title'].rstrip('.')}: {self.draw.choice(['an update', 'update'])} {year}"
            )
            yield {
                **self._other(record, title, text=0.8),
                "year": year,
                "authors": record["authors"],
            }

    def about(self, record: Record) -> Iterator[Record]:
        title = record["title"].rstrip(".")
        made = self.draw.choice(
            [
                f"Comment on: {title}", f"Comment on “{title}”", f"Reply to: {title}",
                f"Erratum: {title}", f"Correction to: {title}", f"{title}: reply",
                f"Corrigendum to “{title}”", f"{title} (erratum)", f"Re: {title}",
                f"Retraction: {title}", f"Response to {title}",
            ]
        )  # fmt: skip
        other = self._other(record, made, text=None)
        own = self.draw.random() < 0.5
        yield {**other, "authors": record["authors"] if own else _people(self.draw)}

    def companion(self, record: Record) -> Iterator[Record]:
        """Another paper of the same people and year: one word is another, half the abstract."""
        words = record["title"].split()
        lower = [word.lower().strip(".,:;") for word in words]
        for one, other in [*OPPOSITES, *(pair[::-1] for pair in OPPOSITES)]:
            if one in lower:
                words[lower.index(one)] = other
                break
        else:
            long = [i for i, word in enumerate(words) if len(word) > 5]
            spare = [w for w in self.draw.choice(self.base)["title"].split() if len(w) > 5]
            spare = [w for w in spare if w.lower().strip(".,:;") not in lower] or ["otherwise"]
            at = self.draw.choice(long or [len(words) - 1])
            words[at] = self.draw.choice(spare)
        yield self._other(record, " ".join(words), text=0.5)

    def same_title(self, record: Record) -> Iterator[Record]:
        """Somebody else's paper of another year under the same title."""
        year = record["year"] - self.draw.randint(3, 12)
        other = self._other(record, record["title"], text=self.draw.choice([0.0, None]))
        yield {**other, "authors": _people(self.draw), "year": year}

    def generic(self, record: Record) -> Iterator[Record]:
        title = self.draw.choice(GENERIC)
        yield {"title": title, "authors": _people(self.draw), "year": record["year"]}

    def _other(self, record: Record, title: str, text: float | None) -> Record:
        """The same people; a share of the sentences, the rest from another record's abstract."""
        made = {**record, "title": title, "doi": f"10.1000/x{self.draw.randrange(10**9)}"}
        if self.draw.random() < 0.5:
            del made["doi"]
        made.pop("abstract", None)
        if text is not None and "abstract" in record:
            others = [
                one["abstract"] for one in self.base if one.get("abstract") and one is not record
            ]
            rest = self._edited(self.draw.choice(others), 1 - text) if others else ""
            made["abstract"] = f"{self._edited(record['abstract'], text)} {rest}".strip()
        return made

    # Small changes

    def _without_doi(self, record: Record) -> Record:
        return {key: value for key, value in record.items() if key != "doi"}

    def _initials(self, record: Record) -> Record:
        """Doe, Jane as Doe J, J. Doe, Jane Doe or "Doe, J."."""
        style = self.draw.randrange(4)
        made = []
        for name in record["authors"]:
            family, given = name.split(", ")
            made.append(
                [f"{family} {given[0]}", f"{given[0]}. {family}", f"{given} {family}",
                 f"{family}, {given[0]}."][style]
            )  # fmt: skip
        return {**record, "authors": made[:3] if len(made) > 3 and style == 0 else made}

    def _case(self, title: str) -> str:
        return self.draw.choice([str.upper, str.title, str.lower, str.capitalize, str])(title)

    def _punctuated(self, title: str) -> str:
        changes: list[Callable[[str], str]] = [
            lambda t: f"{t.rstrip('.')}.",
            lambda t: t.rstrip("."),
            lambda t: f"[{t.rstrip('.')}]",
            lambda t: t.replace("-", "‐"),
            lambda t: t.replace("-", " "),
            lambda t: t.replace(",", ""),
            lambda t: t.replace("'", "’"),
            lambda t: f"“{t}”",
        ]
        for change in self.draw.sample(changes, 2):
            title = change(title)
        return title

    def _marked_up(self, title: str) -> str:
        words = title.split()
        at = self.draw.randrange(len(words))
        words[at] = self.draw.choice(
            [f"<i>{words[at]}</i>", words[at].translate(ACCENTS), f"&lt;b&gt;{words[at]}&lt;/b&gt;"]
        )
        return " ".join(words).replace("&", "&amp;" if "&lt;" not in " ".join(words) else "&")

    def _reworded(self, title: str) -> str:
        for one, other in self.draw.sample(SWAPS, len(SWAPS)):
            if re.search(rf"\b{one}\b", title):
                return re.sub(rf"\b{one}\b", other, title, count=1)
        start = self.draw.choice(["The ", "On ", "", ""])
        return f"{start}{title}"

    def _slip(self, title: str) -> str:
        long = list(re.finditer(r"[^\W\d]{5,}", title))
        if not long:
            return title
        word = self.draw.choice(long)
        at = self.draw.randrange(word.start() + 1, word.end() - 1)
        change = self.draw.randrange(3)
        middle = [title[at + 1] + title[at], title[at] * 2, ""][change]
        return title[:at] + middle + title[at + (2 if change == 0 else 1) :]

    def _edited(self, text: str, share: float) -> str:
        """About a share of the sentences, in their order."""
        sentences = re.split(r"(?<=[.!?])\s+", text)
        keep = round(len(sentences) * share)
        if not keep:
            return ""
        chosen = sorted(self.draw.sample(range(len(sentences)), keep))
        return " ".join(sentences[i] for i in chosen)


COPIES = {
    "database": _Making.database,
    "no abstract": _Making.no_abstract,
    "bare": _Making.bare,
    "preprint": _Making.preprint,
    "truncated": _Making.truncated,
    "slips": _Making.slips,
    "subtitle": _Making.subtitle,
}
OTHERS = {
    "parts": _Making.parts,
    "update": _Making.updates,
    "comment or erratum": _Making.about,
    "companion": _Making.companion,
    "same title": _Making.same_title,
    "generic title": _Making.generic,
}
