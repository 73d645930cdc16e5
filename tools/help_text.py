"""Write what `likewise --help` says to src/likewise/cli/help.txt.

Made of 39 commands, it takes longer than everything else a command does. tests/test_cli_help.py
says when this must run again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from likewise.cli import HELP, WIDTH

MADE = "from likewise.cli.app import app; app(prog_name='likewise')"


def text() -> str:
    command = [sys.executable, "-c", MADE, "--help"]
    environment = {**os.environ, "COLUMNS": str(WIDTH)}
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    Path(HELP).write_text(text(), encoding="utf-8")
