"""Excel: one sheet, a line of names that stays in sight, and no formulas."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from likewise.errors import UsageError
from likewise.readers.cells import FORMULA
from likewise.writers.spool import cell, spooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.writers.record import Record

ROWS, COLUMNS, CHARACTERS = 1_048_576, 16_384, 32_767  # what a sheet and a cell hold
CUT = " … (cut: a cell holds no more)"
NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")  # for which XML has no place
EXACT = 2**53  # numbers in Excel are doubles
PIECE = 1 << 20
WIDTHS = {"title": 60, "authors": 30, "abstract": 60, "text": 60, "id": 20}
PLAIN = {"in_memory": False, "constant_memory": True, "nan_inf_to_errors": True} | dict.fromkeys(
    ("strings_to_urls", "strings_to_formulas", "strings_to_numbers"), False
)


def write_xlsx(records: Iterable[Record], always: Sequence[str]) -> Iterator[bytes]:
    import xlsxwriter

    with spooled(records, always) as spool, TemporaryFile() as file:
        names = list(spool.columns)
        if len(names) > COLUMNS:
            raise UsageError(f"an Excel sheet has {COLUMNS:,} columns at most: choose jsonl or csv")
        with xlsxwriter.Workbook(file, PLAIN) as book:
            sheet = book.add_worksheet("documents")
            bold, quoted = (book.add_format({one: True}) for one in ("bold", "quote_prefix"))
            for place, name in enumerate(names):
                sheet.set_column(place, place, WIDTHS.get(name, 12))
                sheet.write_string(0, place, _text(name), bold)
            sheet.freeze_panes(1, 0)
            for number, row in enumerate(spool.rows(), 1):
                if number == ROWS:
                    raise UsageError(f"an Excel sheet has {ROWS:,} rows at most: choose csv")
                for place, name in enumerate(names):
                    _write(sheet, number, place, cell(row.get(name), name), quoted)
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _write(sheet: Any, row: int, column: int, value: Any, quoted: Any) -> None:
    """Text as text, whatever it looks like: `quoted` keeps it so when somebody edits the cell."""
    if value is None or value == "":
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, float) or (isinstance(value, int) and abs(value) <= EXACT):
        sheet.write_number(row, column, value)
    else:
        text = _text(str(value))
        sheet.write_string(row, column, text, quoted if FORMULA.match(text) else None)


def _text(text: str) -> str:
    """Text that a cell can hold; control characters are escaped by xlsxwriter."""
    valid = text.encode("utf-8", "replace").decode().translate(NO_CHARACTERS)
    return valid if len(valid) <= CHARACTERS else valid[: CHARACTERS - len(CUT)] + CUT
