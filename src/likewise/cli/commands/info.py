"""`likewise info`: prints what an index holds."""

from typing import Annotated

import typer

from likewise.cli.options import common
from likewise.cli.printing.index import print_info
from likewise.cli.progress import Bar

EXAMPLES = ("papers.idx", "papers.idx --verify --json")

Verify = Annotated[
    bool, typer.Option("--verify", help="Also check every byte on disk against its checksum.")
]


def info(directory: common.Directory, json: common.Json = False, verify: Verify = False) -> None:
    """Show documents, views, settings and sizes of an index."""
    from likewise.index import Index

    index = Index.open(directory)
    if verify:
        with Bar("verifying"):
            index.verify()
    print_info(index.info(), verified=verify, json=json)
