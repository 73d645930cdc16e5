"""Labels of screening that stand in records, in the spellings of the programs that wrote them.

A label is relevant, not (relevant) or unsure. It is found in columns such as `included` or
`decision`, in notes that ASReview and Rayyan write, and among tags. This table is also what files
of judgements and simulations are read by.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from likewise.readers.fieldnames import squeezed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

LabelName = Literal["relevant", "not", "unsure"]

# Fields that may have a label, squeezed, the likeliest first.
FIELDS = (
    "asreviewlabel",  # what was decided there, beside what a record had before
    "label",
    "labelincluded",
    "finalincluded",
    "finalinclusion",
    "included",
    "include",
    "inclusion",
    "decision",
    "finaldecision",
    "screeningdecision",
    "screening",
    "screeningstatus",
    "screeningresult",
    "judgement",
    "judgment",
    "relevant",
    "includedfinal",
    "abstractdecision",
    "fulltextdecision",
    "fulltextscreening",
)
REASONS = (
    "exclusionreason",
    "exclusionreasons",
    "reasonforexclusion",
    "reasonsforexclusion",
    "excludereason",
    "reasonexcluded",
)
SPELLINGS: dict[LabelName, frozenset[str]] = {
    "relevant": frozenset(
        [
            "1",
            "yes",
            "y",
            "true",
            "include",
            "included",
            "relevant",
            "in",
            "accept",
            "accepted",
            "eligible",
            "keep",
        ]
    ),
    "not": frozenset(
        [
            "0",
            "no",
            "n",
            "false",
            "exclude",
            "excluded",
            "irrelevant",
            "notrelevant",
            "nonrelevant",
            "not",
            "notincluded",
            "out",
            "reject",
            "rejected",
            "ineligible",
            "noteligible",
        ]
    ),
    "unsure": frozenset(["maybe", "unsure", "uncertain", "undecided", "unclear", "conflict"]),
}
UNSEEN = frozenset(
    [
        "na",
        "nan",
        "none",
        "null",
        "unknown",
        "notseen",
        "unseen",
        "unlabeled",
        "unlabelled",
        "unscreened",
        "notscreened",
        "pending",
        "todo",
        "asreviewnotseen",
    ]
)
BY_SPELLING = {spelling: label for label, all in SPELLINGS.items() for spelling in all}
NUMBERS: dict[float, LabelName] = {1: "relevant", 0: "not"}

ASREVIEW = re.compile(r"ASReview_(relevant|irrelevant|not_seen)\b")
IN_ASREVIEW: dict[str, LabelName] = {"relevant": "relevant", "irrelevant": "not"}
RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^{}]*)\}")
RAYYAN_DECISION = re.compile(r"=>\s*\"?(\w+)")
RAYYAN_REASONS = re.compile(r"RAYYAN-EXCLUSION-REASONS:\s*([^|]*)")
TAGGED: dict[str, LabelName] = {
    "included": "relevant",
    "include": "relevant",
    "excluded": "not",
    "exclude": "not",
    "maybe": "unsure",
    "asreviewrelevant": "relevant",
    "asreviewirrelevant": "not",
}
LONGEST_TAG = 24
TAGS_BEGIN = frozenset("iIeEmMaA_#!")


class Label(NamedTuple):
    """A label, the field that it was found in, and why a document was excluded."""

    name: LabelName
    field: str
    reason: str = ""


def spelled(value: Any) -> LabelName | None:
    """The label that a value stands for; None if it is none, or says that there is none yet."""
    if isinstance(value, bool):
        return "relevant" if value else "not"
    if isinstance(value, (int, float)):
        return NUMBERS.get(value)
    if not isinstance(value, str) or len(value) > 40:
        return None
    text = value.strip()
    if re.fullmatch(r"[01]\.0+", text):
        text = text[0]
    return BY_SPELLING.get(text if text.isdigit() else squeezed(text.strip("+-0123456789")))


def is_unseen(value: Any) -> bool:
    """Whether a value says that nobody has judged yet."""
    if value is None or value == -1 or (isinstance(value, (list, str)) and not value):
        return True
    return isinstance(value, str) and (value.strip() in ("", "-1") or squeezed(value) in UNSEEN)


class _Fields(NamedTuple):
    labels: tuple[str, ...]
    reason: str | None


@lru_cache(maxsize=1_000)
def _fields(keys: tuple[str, ...]) -> _Fields:
    by_name = {squeezed(key): key for key in reversed(keys) if len(key) <= 40}
    reason = next((by_name[name] for name in REASONS if name in by_name), None)
    return _Fields(tuple(by_name[name] for name in FIELDS if name in by_name), reason)


def label_fields(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the keys that may hold a label, the likeliest first."""
    return _fields(keys).labels


def label_of(values: Mapping[str, Any], ignored: Collection[str] = ()) -> Label | None:
    """The label that a record has, if it has one; `ignored` fields have other values."""
    labels, reason_field = _fields(tuple(values))
    given = values[reason_field] if reason_field is not None else None
    reason = given.strip() if isinstance(given, str) else ""
    for field in labels:
        label = spelled(values[field]) if field not in ignored else None
        if label is not None and label != "relevant":
            noted = None if reason else in_notes(values.get("notes"))
            return Label(label, field, noted.reason if noted else reason)
        if label is not None:
            return Label(label, field)
    if reason and reason_field is not None:
        return Label("not", reason_field, reason)
    return in_notes(values.get("notes")) or _in_tags(values.get("keywords"))


def note_of(values: Mapping[str, Any]) -> str:
    """What ASReview's user wrote beside a record."""
    note = values.get("asreview_note")
    return note if isinstance(note, str) else ""


def in_notes(notes: Any) -> Label | None:
    """What the last note of ASReview or Rayyan says."""
    if not notes:
        return None
    found = None
    for note in notes if isinstance(notes, list) else [notes]:
        if not isinstance(note, str):
            continue
        for match in ASREVIEW.finditer(note):
            name = IN_ASREVIEW.get(match[1])
            found = Label(name, "notes") if name else None
        if said := RAYYAN.search(note):
            names = [spelled(decision) for decision in RAYYAN_DECISION.findall(said[1])]
            why = RAYYAN_REASONS.search(note)
            reason = why[1].strip() if why else ""
            together = _together([name for name in names if name is not None])
            found = Label(together, "notes", reason) if together else found
    return found


def _together(names: list[LabelName]) -> LabelName | None:
    """What several reviewers say: unsure unless they agree."""
    if not names:
        return None
    return names[0] if len(set(names)) == 1 else "unsure"


def _in_tags(tags: Any) -> Label | None:
    if not isinstance(tags, list):
        return None
    texts = (tag for tag in tags if isinstance(tag, str) and len(tag) <= LONGEST_TAG)
    likely = (tag for tag in texts if tag[:1] in TAGS_BEGIN)  # most keywords are none
    names = {TAGGED[name] for tag in likely if (name := squeezed(tag)) in TAGGED}
    return Label(names.pop(), "keywords") if len(names) == 1 else None


class LabelCounts:
    """Counts labels by field while records are read.

    A field with values that are no labels, such as classes from 0 to 9, has none.
    """

    def __init__(self) -> None:
        self._counts: dict[str, Counter[LabelName]] = {}
        self._others: set[str] = set()

    def add(self, values: Mapping[str, Any], times: int = 1) -> None:
        """Count a record's label, or that of several with the same values."""
        for field in _fields(tuple(values)).labels:
            if spelled(values[field]) is None and not is_unseen(values[field]):
                self._others.add(field)
        found = label_of(values)
        if found is not None:
            self._counts.setdefault(found.field, Counter())[found.name] += times

    def add_rows(self, fields: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Count the labels of records by their values in these fields, most of which are the same
        few: each is looked at once.
        """
        try:
            same = Counter(rows)
        except TypeError:  # a list or an object among the values
            for row in rows:
                self.add(dict(zip(fields, row, strict=True)))
            return
        for row, times in same.items():
            self.add(dict(zip(fields, row, strict=True)), times)

    @property
    def others(self) -> frozenset[str]:
        """Fields that are called like a label and hold something else."""
        return frozenset(self._others)

    def counted(self) -> tuple[dict[str, dict[str, int]], list[str]]:
        """The counts by field, and the fields that have other values, as plain data."""
        counts = {field: {**counted} for field, counted in self._counts.items()}
        return counts, sorted(self._others)  # type: ignore[return-value]  # names are text

    def merge_counted(self, counts: Mapping[str, Mapping[str, int]], others: list[str]) -> None:
        """Add what another process has counted."""
        for field, counted in counts.items():
            known = {name: counted[name] for name in SPELLINGS if name in counted}
            self._counts.setdefault(field, Counter()).update(known)
        self._others.update(others)

    def total(self) -> dict[str, int]:
        """How many records have each label."""
        total: Counter[str] = Counter()
        for field in self._counts.keys() - self._others:
            total.update(self._counts[field])
        return dict(total)
