"""The examples of the README and the manual pass a type checker, as does what editors complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, get_args

import pytest

from likewise.readers.options import GIVEN
from likewise.search import typed
from likewise.search.methods import ABOUT, Options
from likewise.views import EMBEDDINGS, LATENT, TITLES, WORDS
from likewise.weighting import WEIGHTINGS
from test_docs import MANUAL, RESULT, ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

CHECKED = ["--strict", "--allow-redefinition", "--local-partial-types", "--no-error-summary"]
# An example shows a value by writing its name, and may be cut off.
ALLOWED = [
    "--disable-error-code=import-untyped",
    "--disable-error-code=no-untyped-def",
    "--disable-error-code=no-untyped-call",
]


def written(folder: Path) -> None:
    """The Python of each page as one module; a line has the same number in both."""
    for page in MANUAL:
        lines = [""] * page.read_text().count("\n")
        for block in blocks(page):
            if block.language == "python":
                code = block.code.splitlines()
                lines[block.line : block.line + len(code)] = [c.partition(RESULT)[0] for c in code]
        name = re.sub(r"\W", "_", page.stem.lower())
        (folder / f"page_{name}.py").write_text("\n".join(lines) + "\n")


def checked(folder: Path) -> list[str]:
    """What mypy says; it keeps what it learned of likewise between runs."""
    pytest.importorskip("mypy", reason="needs mypy, of the extra `check`")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *CHECKED, *ALLOWED, "--config-file", ROOT / "pyproject.toml",
         "--cache-dir", ROOT / ".mypy_cache" / "docs", *sorted(folder.glob("*.py"))],
        capture_output=True, text=True, cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return [line for line in done.stdout.splitlines() if ": error:" in line]


def test_the_manual_passes_a_type_checker(tmp_path):
    written(tmp_path)
    assert checked(tmp_path) == []


WRONG = """
from likewise import Index
index = Index.open("papers.idx")
index.like(["a"], method="steddy")
index.like(["a"], tolerance=1)
index.like(["a"], scaling="none")
index.search("a", weighting="tf-idf")
index.add("a", id_colum="id")
index.search("a").query.learned
reveal_type(index.like(["a"]).query)
reveal_type(index.like(["a"])[:2].query)
reveal_type(index.run(index.learn(["a"])).query)
reveal_type(index.search("a").query)
"""


def test_wrong_options_are_found_and_a_learned_query_is_there(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    pytest.importorskip("mypy", reason="needs mypy, of the extra `check`")
    found = checked(tmp_path)
    assert [int(line.split(":")[1]) for line in found] == [4, 5, 6, 7, 8, 9]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir",
         ROOT / ".mypy_cache" / "docs", tmp_path / "wrong.py"],
        capture_output=True, text=True,
    )  # fmt: skip
    revealed = re.findall(r'Revealed type is "([^"]+)"', done.stdout)
    learned = "likewise.search.bound.LearnedQuery"
    assert revealed == [learned, learned, learned, "None"]


def test_types_name_what_can_be_chosen():
    assert set(get_args(typed.MethodName)) == set(ABOUT)
    assert set(get_args(typed.WeightingName)) == set(WEIGHTINGS)
    assert set(get_args(typed.ViewName)) == {WORDS, TITLES, LATENT, EMBEDDINGS}
    assert typed.LearnOptions.__annotations__.keys() == {field.name for field in fields(Options)}
    assert typed.ReadingOptions.__annotations__.keys() == set(GIVEN)
