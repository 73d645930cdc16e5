"""The command line: one library call a command; results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import sys

WIDTH = 80  # of a terminal; the help is no wider in a wider one
HELP = os.path.join(os.path.dirname(__file__), "help.txt")  # noqa: PTH118, PTH120  (pathlib takes time)


def main() -> None:
    try:
        if sys.argv[1:] in (["--help"], ["-h"]) and _columns() >= WIDTH:
            with open(HELP, encoding="utf-8") as text:  # noqa: PTH123
                sys.stdout.write(text.read())
            return
        if sys.argv[1:2] == ["search"] and _searched(sys.argv[2:]):
            return
        from likewise.cli.app import app

        app(prog_name="likewise")
    except KeyboardInterrupt:  # before a command began, which would have said so
        raise SystemExit(130) from None


def _searched(arguments: list[str]) -> bool:
    from likewise.cli import plain

    try:
        return plain.is_plain(arguments) and plain.search(arguments[0], arguments[1:])
    except KeyboardInterrupt:
        from likewise.cli.failures import INTERRUPTED, fail

        fail("interrupted; the index is unchanged")
        raise SystemExit(INTERRUPTED) from None


def _columns() -> int:
    """As shutil.get_terminal_size, which takes longer to import than all else here."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or WIDTH  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # it is no terminal
        return WIDTH
