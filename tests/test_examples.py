"""Each script in examples/ runs in an empty folder and prints what its first lines say."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(path for path in EXAMPLES.glob("*.py") if path.name != "demo.py")
SUBJECTS = {
    "embeddings", "folder_of_papers", "negatives_only", "own_learner", "rag", "ranking", "review",
    "watching",
}  # fmt: skip


def promised(script):
    """What stands below "Prints:"; "..." is any text."""
    about = ast.get_docstring(ast.parse(script.read_text()), clean=True)
    _, _, shown = about.partition("\nPrints:\n")
    return dedent(shown).strip()


def test_every_subject_has_a_short_script_that_the_page_lists():
    assert {script.stem for script in SCRIPTS} >= SUBJECTS
    page = (EXAMPLES / "README.md").read_text()
    assert all(f"({script.name})" in page for script in SCRIPTS)
    assert all(len(script.read_text().splitlines()) <= 50 for script in SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_prints_what_it_says(script, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert promised(script)
    pieces = map(re.escape, promised(script).split("..."))
    assert re.fullmatch(".*".join(pieces), done.stdout.strip(), re.DOTALL), done.stdout
