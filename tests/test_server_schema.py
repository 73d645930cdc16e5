"""schemathesis asks whatever the description allows, and what it does not, and finds nothing.

Its other phases ask for every value at every edge and take minutes: `make test-schema` has them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from helpers.server_client import process
from likewise import Index

HERE = str(Path(__file__).parent)
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
PHASES = os.environ.get("LIKEWISE_SCHEMA_PHASES", "examples,fuzzing")
LIKED = ("1806.07419", "1907.02555")  # the description's examples name these


def test_schemathesis_finds_nothing(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add({"id": id, "text": f"robot arm {id}", "created": "2018-06-19"} for id in LIKED)
    with process(index.path, "--rate-limit", "0", "--quiet") as (_, address):
        done = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                f"--config-file={CONFIGURATION}",
                "run",
                f"{address}/openapi.json",
                "--checks=all",
                f"--phases={PHASES}",
                "--max-examples=3",
                "--seed=1",
                "--no-color",
            ],
            cwd=tmp_path,
            env=os.environ | {"SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": HERE},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout
    selected, tested = (
        re.search(pattern, done.stdout)[1] for pattern in (r"Selected: (\d+)/", r"Tested: (\d+)")
    )
    assert selected == tested, done.stdout
