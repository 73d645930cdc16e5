"""Find a topic's documents from a few of them: the experiment behind the tables by example.

Some documents of each topic are drawn as examples; all others are unlabeled. The task is to find
the topic's other documents among them. With the same seed, a larger set of examples includes the
smaller ones, and all methods and programs get the same.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.evaluation import measures
from likewise.evaluation.by_example.contenders import ask
from likewise.evaluation.by_example.sections import sections

if TYPE_CHECKING:
    from likewise.evaluation.by_example.collection import Collection
    from likewise.evaluation.studies import Job, Numbers

__all__ = ["draw", "run", "sections"]

MEASURES = [measures.parse(name) for name in ("P@10", "nDCG@20", "R@100", "R@1000", "AP")]


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
    """The examples: the first ones of a permutation given by topic and seed."""
    generator = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return np.sort(generator.permutation(members)[:size])
