"""The fields of an index, as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.printing import stdout
from likewise.cli.printing.text import one_line

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.store.fields import FieldSummary

SHOWN, LISTED = 4, 20  # values in the table and in JSON
HEADER = ("field", "documents", "kind", "values", "range or most frequent")


def print_fields(index: Index, *, json: bool) -> None:
    from likewise.readers.fieldlabels import label_of  # here, as help needs no readers

    found, texts = index.fields(LISTED), index.text_fields()
    if json:
        listed = [
            {
                "name": one.name,
                "label": label_of(one.name),
                "documents": one.documents,
                "kind": one.kind,
                "distinct": one.distinct,
                "least": one.least,
                "most": one.most,
                "values": [{"value": value, "documents": n} for value, n in one.values],
            }
            for one in found
        ]
        stdout.put(stdout.as_json({"fields": listed, "texts": texts}), "utf-8")
        return
    if found:
        stdout.put_table([HEADER, *map(_row, found)], right=0)
    if texts:
        stdout.put(f"long texts: {', '.join(map(one_line, texts))}\n")


def _row(one: FieldSummary) -> tuple[str, ...]:
    if one.kind in ("number", "date") and one.distinct > 1:
        examples = f"{one.least} … {one.most}"
    else:
        more = ", …" if one.distinct > SHOWN else ""
        examples = ", ".join(str(value) for value, _ in one.values[:SHOWN]) + more
    return (
        one_line(one.name),
        f"{one.documents:,}",
        one.kind,
        f"{one.distinct:,}",
        one_line(examples),
    )
