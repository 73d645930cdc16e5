"""Collections that come with likewise, to try it on without a download."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

# Topics of the bundled collection: arXiv categories whose members are all marked as such.
ARXIV_TOPICS = {
    "cond-mat.quant-gas": "Quantum Gases",
    "cs.CR": "Cryptography and Security",
    "cs.IR": "Information Retrieval",
    "cs.RO": "Robotics",
    "math.GT": "Geometric Topology",
    "physics.ao-ph": "Atmospheric and Oceanic Physics",
    "q-bio.PE": "Populations and Evolution",
    "q-fin.ST": "Statistical Finance",
}


class _Member(msgspec.Struct):
    id: str
    cats: list[str]


def arxiv_sample() -> Path:
    """2,000 arXiv abstracts (CC0), JSON lines: id, title, text, cats, primary, created."""
    return Path(__file__).parent / "data" / "arxiv2k.jsonl.gz"


def topics(path: Path | None = None, names: Iterable[str] = ARXIV_TOPICS) -> dict[str, list[str]]:
    """The ids of each topic's documents in the order of the file, the bundled one by default."""
    members: dict[str, list[str]] = {name: [] for name in names}
    with gzip.open(path or arxiv_sample(), "rb") as lines:
        documents = msgspec.json.Decoder(_Member).decode_lines(lines.read())
    for document in documents:
        for category in document.cats:
            if category in members:
                members[category].append(document.id)
    return members
