"""What each part of an index takes on disk, largest first.

    python tools/index_sizes.py papers.idx

The share is that of the documents as JSON lines.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

from likewise.store import Snapshot


def sizes(snapshot: Snapshot) -> Counter[str]:
    """Bytes by section of segments, and by view."""
    found: Counter[str] = Counter()
    for segment in snapshot.segments:
        for name, file in segment.files().items():
            views = segment.entry.views.items()
            kind = next((view for view, rows in views if rows.file == name), "")
            for section in file.names:
                dtype, _ = file.layout(section)
                size = file.size(section) * np.dtype(dtype).itemsize
                found[f"{kind} {section}".strip()] += size
    for name, view in snapshot.manifest.views.items():
        found[f"{name} model"] += view.bytes
    return found


def main(path: Path) -> None:
    snapshot = Snapshot.open(path)
    source = max(1, sum(segment.records.size for segment in snapshot.segments))
    found = sizes(snapshot)
    for name, size in [*found.most_common(), ("all", found.total())]:
        print(f"{name:24} {size:14,} {size / source:8.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
