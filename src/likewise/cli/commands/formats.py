"""`likewise formats`: lists the formats that can be read."""

from likewise.cli.options import common

EXAMPLES = ("", "--json")


def formats(json: common.Json = False) -> None:
    """List the formats that can be read.

    Each has its suffixes, what becomes of a file, and the library that reads it, if it needs one
    and whether that is installed. All libraries come with pip install 'likewise[formats]'. Any
    file may be compressed, as .gz, .bz2, .xz or .zst.
    """
    from likewise.cli.printing.formats import print_formats

    print_formats(json=json)
