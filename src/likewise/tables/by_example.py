"""Documents of a topic from a few of its own: the experiment behind the tables by example.

Of each topic some documents are drawn as examples; all others are unlabeled, and the topic's
others among them are to be found. With the same seed, more examples include the fewer ones, and
all contenders get the same.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise import measures
from likewise.tables.by_example_sections import sections
from likewise.tables.contenders import ask

if TYPE_CHECKING:
    from likewise.tables.collection import Collection
    from likewise.tables.values import Job, Numbers

__all__ = ["draw", "run", "sections"]

MEASURES = [measures.parse(name) for name in ("P@10", "nDCG@20", "R@1000", "AP")]


def run(job: Job, collection: Collection) -> Numbers:
    members = collection.topics[job["topic"]]
    examples = draw(members, job["size"], job["topic"], job["seed"])
    answer = ask(job["method"], collection, examples)
    relevant = np.zeros(len(collection), np.bool_)
    relevant[members] = True
    rest = np.setdiff1d(np.arange(len(collection)), examples)
    ranking = measures.ranked(answer.scores[rest], relevant[rest])
    hidden = len(members) - len(examples)
    values = {str(measure): measure(ranking, hidden) for measure in MEASURES}
    return {
        **values,
        "seconds": answer.seconds,
        "converged": float(answer.converged),
        "relevant": hidden,
        "documents": len(rest),
    }


def draw(members: Any, size: int, topic: str, seed: int) -> Any:
    """The examples: the first so many of a permutation that topic and seed decide."""
    generator = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return np.sort(generator.permutation(members)[:size])
