"""Keys as they are pressed, without waiting for Enter."""

from __future__ import annotations

import os
import sys
from typing import Self

from likewise.errors import UsageError

CLOSED = ""
ESCAPE = b"\x1b"
FOLLOWING = ((0xF0, 3), (0xE0, 2), (0xC0, 1), (0, 0))  # bytes of UTF-8 behind the first
TOGETHER = 0.02  # seconds within which the bytes of one key come
NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    " ": "space",
    "\x04": CLOSED,
}


def refuse_no_terminal() -> None:
    """Refuse to begin a review in a pipe."""
    if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise UsageError(
            "review needs a terminal: import judgements made elsewhere with likewise judgements "
            "--import, or use Index.session in a program"
        )


class Keyboard:
    """`with Keyboard() as keys: keys.read()`; the terminal is put back as it was."""

    def __enter__(self) -> Self:
        import termios
        import tty

        self._descriptor = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._descriptor)
        tty.setcbreak(self._descriptor)  # Ctrl-C still interrupts
        return self

    def __exit__(self, *error: object) -> None:
        import termios
        from contextlib import suppress

        with suppress(termios.error):  # of a terminal that is gone
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        """The next key: a character, or a name as in NAMES; CLOSED if there will be no more."""
        try:
            first = os.read(self._descriptor, 1)
        except OSError:  # the terminal was closed
            return CLOSED
        if not first:
            return CLOSED
        key = (first + self._rest(first)).decode("utf-8", "replace")
        return NAMES.get(key, key)

    def line(self, prompt: str, given: str = "") -> str | None:
        """A line of text, edited with Backspace; None if Escape ends it."""
        text = given
        while True:
            sys.stdout.write(f"\r\x1b[K{prompt}{text}")
            sys.stdout.flush()
            key = self.read()
            if key == "enter":
                return text
            if key in ("escape", CLOSED):
                return None
            if key in ("\x7f", "\b"):
                text = text[:-1]
            elif key == "\x15":  # Ctrl-U
                text = ""
            elif key == "space" or key.isprintable():
                text += " " if key == "space" else key if len(key) == 1 else ""

    def _rest(self, first: bytes) -> bytes:
        """What belongs to the same key and has come with it: of an arrow, of a letter like é."""
        import select

        length = next(more for least, more in FOLLOWING if first[0] >= least)
        if first == ESCAPE:
            length = 2
        rest = b""
        while len(rest) < length and select.select([self._descriptor], [], [], TOGETHER)[0]:
            more = os.read(self._descriptor, length - len(rest))
            if not more:
                break
            rest += more
        return rest
