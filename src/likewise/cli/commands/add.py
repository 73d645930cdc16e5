"""`likewise add`: adds files and folders to an index."""

from typing import Annotated

import typer

from likewise.cli.commands.embed import print_unembedded
from likewise.cli.commands.index import without_warning_twice
from likewise.cli.options import common, reading
from likewise.cli.options.groups import grouped
from likewise.cli.printing.index import print_added
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx more/ --on-duplicate replace", "papers.idx - < new.jsonl")

Merge = Annotated[
    bool,
    typer.Option("--merge/--no-merge", help="Merge small segments in the same step, or not."),
]


@grouped
def add(
    directory: common.Directory,
    paths: common.Paths,
    how: reading.Reading = reading.DEFAULT,
    merge: Merge = True,
    threads: common.Threads = None,
) -> None:
    """Add files and folders to an index.

    Files are read as by likewise index, with the language and fields chosen there. All documents
    appear in the index at once, at the end; if anything fails, the index stays as it was.
    """
    from likewise.index import Index

    index = Index.open(directory, threads=threads)
    with Bar("adding") as bar, without_warning_twice():
        added = index.add(paths, merge=merge, progress=bar, **how.arguments())
    print_unembedded(index, directory)
    print_added(added, directory, paths)
