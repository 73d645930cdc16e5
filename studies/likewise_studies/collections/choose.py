"""Writes topics.json: `python -m likewise_studies.collections.choose DATA`.

Of each collection the topics with enough documents, at most MOST, evenly spread over their names in
order: chosen without a look at any result.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import msgspec

from likewise_studies.arxiv import data as arxiv
from likewise_studies.collections.data import FOLDERS, JUDGED, NAMES, records
from likewise_studies.collections.data import chosen as known

MOST = 80
# Documents of a topic; 2 for judged ones.
LEAST = {"debian": 20, "news20": 20, "reuters": 20, "german": 20}
LARGEST = {"debian": 2_000, "german": 2_000}


def choose(name: str, data: Path) -> dict[str, int]:
    if name == "arxiv":
        return {topic: part for topic, (_, part) in arxiv.CATEGORIES.items()}
    found = Counter(
        topic for record in records(name, data / FOLDERS[name]) for topic in record.topics
    )
    least, largest = LEAST.get(name, 2), LARGEST.get(name, 10**9)
    enough = sorted((t for t, n in found.items() if least <= n <= largest), key=_natural)
    step = max(1.0, len(enough) / MOST)
    spread = [enough[int(i * step)] for i in range(min(MOST, len(enough)))]
    return {topic: found[topic] for topic in spread}


def _natural(name: str) -> list[tuple[int, str]]:
    """Numbers in their order."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def main(data: Path) -> None:
    found = {name: choose(name, data) for name in NAMES if (data / FOLDERS[name]).is_dir()}
    chosen = {name: found[name] if name in found else known()[name] for name in NAMES}
    text = msgspec.json.format(msgspec.json.encode(chosen))
    Path(__file__).with_name("topics.json").write_bytes(text + b"\n")
    for name in NAMES:
        print(f"{name}: {len(chosen[name])} topics{' judged' if name in JUDGED else ''}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
