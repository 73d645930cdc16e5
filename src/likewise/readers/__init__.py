"""Files and documents in, batches out; `formats.py` lists what can be read."""

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
