"""The command line as a process of its own, with pipes or at a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

LIKEWISE = [sys.executable, "-m", "likewise"]
PATIENCE = 60  # seconds until a test gives up
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def run(*arguments, **options):
    command = [*LIKEWISE, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, timeout=PATIENCE, check=False, **(pipes | options))


def run_program(file, *arguments):
    """A Python file, which may import these helpers, in a process of its own."""
    return subprocess.run(
        [sys.executable, file, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )


def read_terminal(ours, until=None):
    """What a process writes there, up to some text or to its end."""
    shown = b""
    give_up = time.monotonic() + PATIENCE
    while until is None or until not in shown:
        ready, _, _ = select.select([ours], [], [], PATIENCE)
        assert ready, f"waited in vain for {until!r}, got {shown!r}"
        assert time.monotonic() < give_up, f"waited in vain for {until!r}, got {shown!r}"
        try:
            shown += os.read(ours, 4096)
        except OSError:  # on Linux, the last writer has closed its end
            break
    return shown


class Terminal:
    """A reviewer at a terminal of 80 columns."""

    def __init__(self, *arguments, lines):
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
        environment = {n: v for n, v in os.environ.items() if n not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [*LIKEWISE, "review", *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment | {"TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)

    def see(self, text):
        """Wait until it is shown; what was shown up to it, without colours."""
        return ESCAPES.sub("", self.raw(text).decode())

    def raw(self, text):
        shown = read_terminal(self._ours, until=text.encode())
        assert text.encode() in shown, shown.decode()
        return shown

    def press(self, *keys):
        """One after another, each when the page is there."""
        for key in keys:
            os.write(self._ours, key.encode())
            if key != keys[-1]:
                self.see("q quit")

    def end(self):
        status = self.process.wait(PATIENCE)
        os.close(self._ours)
        return status

    def hang_up(self):
        os.close(self._ours)
        return self.process.wait(PATIENCE)
