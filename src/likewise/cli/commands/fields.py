"""`likewise fields`: what can be filtered by."""

from likewise.cli.options import common
from likewise.cli.printing.fields import print_fields

EXAMPLES = ("papers.idx", "papers.idx --json")


def fields(directory: common.Directory, json: common.Json = False) -> None:
    """List the fields of the documents in an index, for --filter.

    Each has the number of documents that have it, its kind, how many different values there are,
    and the range or the most frequent ones. Long texts are named at the end.
    """
    from likewise.index import Index

    print_fields(Index.open(directory), json=json)
