"""Documents and what was found or said of them, as files for other programs.

`formats.py` lists the formats. Nothing here knows an index, a search or a review.
"""

from likewise.writers.formats import FORMATS, Format, format_of, written
from likewise.writers.record import FOUND, SAID, Record

__all__ = ["FORMATS", "FOUND", "SAID", "Format", "Record", "format_of", "written"]
