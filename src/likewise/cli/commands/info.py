"""`likewise info`: prints what an index holds."""

from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli.options import common
from likewise.cli.printing.index import print_info
from likewise.cli.progress import Bar
from likewise.errors import LikewiseError

if TYPE_CHECKING:
    from likewise.index import Index

EXAMPLES = ("papers.idx", "papers.idx --verify --json")

Verify = Annotated[
    bool, typer.Option("--verify", help="Also check every byte on disk against its checksum.")
]


def info(directory: common.Directory, json: common.Json = False, verify: Verify = False) -> None:
    """Show documents, settings and views of an index, with their sizes and the time of a pass."""
    from likewise.index import Index

    index = Index.open(directory)
    if verify:
        with Bar("verifying"):
            index.verify()
    print_info(index.info(), _seconds(index), verified=verify, json=json)


def _seconds(index: "Index") -> dict[str, float]:
    """Of one pass over each view; what is damaged has none."""
    try:
        return {name: cost.seconds for name, cost in index.views.costs().items()}
    except LikewiseError:
        return {}
