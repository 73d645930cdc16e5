"""How long a user waits for a command."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness import take_turns
from likewise import Index
from likewise.datasets import arxiv_sample
from rows import Row, times

if TYPE_CHECKING:
    from workspace import Workspace

METHOD = (
    "Wall time of a new process, its files in the page cache and its modules compiled, as they are "
    "after an installation; the search is on an index of the 2,000 abstracts that come with "
    "likewise, with the table printed to a pipe. `--help` is to be no slower than `import numpy`, "
    "the search at most twice as slow (0.5 ×)."
)
PACKAGES = ("likewise", "numpy")
ROUNDS = 25
COMMAND = str(Path(sys.executable).parent / "likewise")
FLOOR = 'python -c "import numpy"'


def rows(workspace: Workspace) -> list[Row]:
    path = workspace.fresh("small.idx")
    Index.create(path, latent=0).add(arxiv_sample())
    commands = {
        "likewise --help": [COMMAND, "--help"],
        'likewise search small.idx "words"': [COMMAND, "search", str(path), "robot motion"],
        FLOOR: [sys.executable, "-c", "import numpy"],
    }
    # Compiled modules are written to a folder of their own by the round that warms up, also where
    # Python is told not to write any.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(workspace.fresh("compiled"))}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    timings = take_turns(
        {name: partial(run, command, environment) for name, command in commands.items()},
        workspace.rounds(ROUNDS),
    )
    goals = dict(zip(commands, (times(1), times(0.5)), strict=False))
    floor = timings[FLOOR].scaled(1)
    return [
        Row(name, "s", timings[name].scaled(1), FLOOR, floor, goal) for name, goal in goals.items()
    ]


def run(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env=environment)
