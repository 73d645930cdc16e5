"""Results on standard output: a terminal, a file, or a pipe that may be closed."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likewise.cli.printing import colours
from likewise.cli.printing.text import table, why
from likewise.errors import LikewiseError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from likewise.writers import Record


def put(text: str, encoding: str | None = None) -> None:
    """Print results; what the encoding (by default the terminal's) cannot express becomes ?."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding or sys.stdout.encoding, errors="replace")
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:  # the reader has closed it, as `| head` does
        _abandon_stdout()
    except OSError as error:
        _abandon_stdout()
        raise LikewiseError(f"cannot write the results: {why(error)}") from error


def put_table(rows: Sequence[Sequence[str]], right: int = 1) -> None:
    """Rows below a heading, which is bold on a terminal; see `table`."""
    put_coloured(table(rows, width(), right), colours.headed)


def put_coloured(text: str, colour: Callable[[str], str]) -> None:
    """Text in colours where there is somebody to see them."""
    put(colour(text) if colours.wanted(sys.stdout) else text)


def put_file(format: str, records: Iterable[Record], always: Sequence[str] = ()) -> None:
    """Records as a file of this format."""
    from likewise.writers import written

    refuse_terminal(format)
    put_pieces(written(format, records, always))


def refuse_terminal(format: str) -> None:
    """What is no text is not for a terminal."""
    from likewise.writers import FORMATS

    if format in FORMATS and not FORMATS[format].text and sys.stdout.isatty():
        raise UsageError(f"{format} is no text: send it to a file, as in > documents.{format}")


def put_pieces(pieces: Iterable[bytes]) -> None:
    """Bytes as they come."""
    for piece in pieces:
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            _abandon_stdout()
            return
        except OSError as error:
            _abandon_stdout()
            raise LikewiseError(f"cannot write the results: {why(error)}") from error


def as_json(value: dict[str, Any]) -> str:
    """JSON for people and programs."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def valid(text: str) -> str:
    """An argument as text that can be written as UTF-8: it may have come as any bytes."""
    return text.encode("utf-8", "replace").decode()


def width() -> int | None:
    """The terminal's width, or None for a file or a pipe."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def _abandon_stdout() -> None:
    """Discard what is still buffered."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
