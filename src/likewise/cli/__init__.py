"""The command line: one library call a command; results on stdout, everything else on stderr."""

from __future__ import annotations


def main() -> None:
    try:
        from likewise.cli.app import app

        app(prog_name="likewise")
    except KeyboardInterrupt:  # before a command began, which would have said so
        raise SystemExit(130) from None
