"""`likewise upgrade`: rewrites an index of an older format."""

from likewise.cli.options import common
from likewise.cli.printing.index import print_upgraded
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx",)


def upgrade(directory: common.Directory) -> None:
    """Rewrite an index of an older format in the format of this version.

    Indexes of older formats can be used as they are. The newest one is smaller, and damage to a
    document is found whenever it is read. Documents keep their ids and order, views and judgements
    stay, and deleted documents are removed from disk. If anything fails, the index stays as it was.
    """
    from likewise.index import Index

    index = Index.open(directory)
    before = index.info()
    with Bar("upgrading"):
        index.upgrade()
    print_upgraded(directory, before, index.info())
