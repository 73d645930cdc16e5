"""How documents get into an index: by this process, as a whole or in shards, or by a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.engines import writing
from likewise.errors import UsageError
from likewise.readers import read
from likewise.search.carried import Carried
from likewise.search.index_roots import for_adding
from likewise.store import clustered, sharding
from likewise.store.papers import KeptPapers

if TYPE_CHECKING:
    from likewise.readers.options import ReadOptions
    from likewise.readers.problems import Problems
    from likewise.readers.reading import Input, Progress
    from likewise.search.open_index import OpenIndex
    from likewise.store.adding import Added
    from likewise.text import Analyzer


def add(
    index: OpenIndex,
    analyzer: Analyzer,
    documents: Input,
    options: ReadOptions,
    problems: Problems,
    progress: Progress | None,
    cluster: str | None,
    **given: Any,
) -> tuple[Carried, Added]:
    """Add documents, and the vectors that they bring with them."""
    snapshot, carried = index.searcher.snapshot, Carried(index)
    roots = for_adding(index.path, snapshot)
    given |= {"threads": index.threads, "engine": writing(index.engine), "problems": problems}
    if cluster is not None:
        if given.pop("on_duplicate") != "error":
            raise UsageError(
                "on_duplicate is for one process, and a cluster builds shards side by side: "
                "remove duplicates before, or index without a cluster"
            )
        given |= {"roots": roots, "progress": progress}
        return carried, clustered.add(index.path, documents, options, cluster, **given)
    kept = KeptPapers(index.path)
    share = None
    if snapshot.manifest.sharding is not None:
        share = sharding.Share(progress, documents)
        progress = share.watch
    batches = read(carried.watch(documents), options, problems, progress, roots, kept)
    given |= {"roots": roots, "renewed": kept.renewed}
    return carried, sharding.add(index.path, batches, analyzer, share, **given)
