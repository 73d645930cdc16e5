"""`likewise merge`: brings the segments of an index into one."""

from likewise.cli.options import common
from likewise.cli.printing.index import print_merged
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx",)


def merge(directory: common.Directory, threads: common.Threads = None) -> None:
    """Merge the segments of an index into one.

    This also removes deleted documents from disk. Each likewise add makes a new segment. After many
    of them, or after deleting many documents, merging makes search faster and the index smaller.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    before = index.info()
    with Bar("merging"):
        index.merge()
    print_merged(directory, before, index.info())
