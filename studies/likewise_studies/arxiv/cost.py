"""What `auto` costs: `python -m likewise_studies.arxiv.cost DATA`.

CPU seconds from examples to the ten best of 40,000 abstracts, beside one SVM for balanced accuracy;
each query twice, and the faster counts.
"""

from __future__ import annotations

import sys
from pathlib import Path

from likewise.evaluation.by_example.contenders import ask
from likewise.evaluation.by_example.experiment import draw
from likewise_studies.arxiv import data as arxiv

ABSTRACTS = 40_000
SIZES = (1, 2, 5, 10, 20, 50, 100, 300)
CATEGORIES = 8
METHODS = ("ba", "auto")


def main(data: Path) -> None:
    collection = arxiv.collection(data, ABSTRACTS)
    print("| examples | categories | ba | auto | auto / ba |\n|---|---|---|---|---|")
    for size in SIZES:
        enough = [t for t in arxiv.topics("development") if len(collection.topics[t]) >= 2 * size]
        seconds = dict.fromkeys(METHODS, 0.0)
        for topic in enough[:CATEGORIES]:
            examples = draw(collection.topics[topic], size, topic, 0)
            for method in METHODS:
                twice = [ask(method, collection, examples).seconds for _ in range(2)]
                seconds[method] += min(twice) / len(enough[:CATEGORIES])
        ba, auto = seconds.values()
        print(f"| {size} | {len(enough[:CATEGORIES])} | {ba:.3f} | {auto:.3f} | {auto / ba:.1f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
