"""`likewise info`: what an index holds."""

from typing import Annotated

import typer

from likewise.cli import options
from likewise.cli.progress import Bar
from likewise.cli.reports import write_info

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Verify = Annotated[
    bool, typer.Option("--verify", help="Check every byte on disk against its checksum, too.")
]


def info(directory: options.Directory, json: Json = False, verify: Verify = False) -> None:
    """Tell what an index holds."""
    from likewise.index import Index

    index = Index.open(directory)
    if verify:
        with Bar("verifying"):
            index.verify()
    write_info(index.info(), verified=verify, json=json)
