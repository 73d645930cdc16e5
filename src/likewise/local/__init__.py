"""The engine of one machine: a Corpus over mapped segments, on all cores."""

from likewise.local.assemble import assemble
from likewise.local.corpus import LocalCorpus
from likewise.local.parts import CountMatrix, CountPart, Part
from likewise.local.segments import Segment, Stored
from likewise.local.vectors import DensePart, ValuePart

__all__ = [
    "CountMatrix",
    "CountPart",
    "DensePart",
    "LocalCorpus",
    "Part",
    "Segment",
    "Stored",
    "ValuePart",
    "assemble",
]
