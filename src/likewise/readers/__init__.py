"""From files, folders, standard input and Python objects to batches of documents.

`formats.py` lists the formats. Nothing here knows an index or how text is analysed. RIS and TREC
files are also written here.
"""

from likewise.readers.batch import AnyBatch, Batch, DenseBatch, SparseBatch, VectorBatch
from likewise.readers.formats import FORMATS, Format, Reader
from likewise.readers.options import ReadOptions
from likewise.readers.preview import Limits, Preview, preview
from likewise.readers.problems import Problem, Problems
from likewise.readers.reading import read
from likewise.readers.streams import Source

__all__ = [
    "FORMATS",
    "AnyBatch",
    "Batch",
    "DenseBatch",
    "Format",
    "Limits",
    "Preview",
    "Problem",
    "Problems",
    "ReadOptions",
    "Reader",
    "Source",
    "SparseBatch",
    "VectorBatch",
    "preview",
    "read",
]
