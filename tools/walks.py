"""How far a reader has to walk: the functions and files that one call goes through.

    python tools/walks.py

Counts the distinct functions of the package that run (hops) and the files they are in, for five
walks: a product, a search by example, JSON lines into an index, a job of a study, and a review turn
(judging ten documents and fetching the next page). Python code only.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import likewise
from likewise import Index
from likewise.datasets import arxiv_sample, topics

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = str(Path(likewise.__file__).parent)


def walked(call: Callable[[], Any]) -> tuple[int, int]:
    """Distinct functions and files of the package that a call goes through, after a first one."""
    call()
    seen: set[tuple[str, str]] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name[0] != "<":
            seen.add((code.co_filename, code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return len(seen), len({file for file, _ in seen})


def walks(folder: Path) -> dict[str, Callable[[], Any]]:
    index = Index.create(folder / "walks.idx")
    index.add(arxiv_sample())
    liked = topics()["cs.RO"][:5]
    corpus = index.corpus()
    w = np.ones(corpus.shape[1])
    numbers = iter(range(10**6))
    session = index.session("walk", query="robot arm")

    def add() -> None:
        Index.create(folder / f"{next(numbers)}.idx", latent=0).add(arxiv_sample())

    def turn() -> None:
        labels = dict.fromkeys((hit.id for hit in session.next(10).hits), "not")
        session.judge_all(labels)
        session.next(10)

    return {
        "scores()": lambda: corpus.scores(w),
        "like()": lambda: index.like(liked),
        "JSON lines to index": add,
        "a job of a study": job(folder),
        "a judgement to the next page": turn,
    }


def job(folder: Path) -> Callable[[], Any]:
    """The bundled study, one job, wherever this version keeps it."""
    cli = importlib.import_module("likewise.cli.app")
    from typer.testing import CliRunner

    numbers = iter(range(10**6))

    def run() -> None:
        place = folder / f"tables{next(numbers)}"
        place.mkdir()
        arguments = ["tables", "sample", "--runs", str(place), "--only", "size=5"]
        arguments += ["--only", "method=rocchio"]
        found = CliRunner().invoke(cli.app, arguments)
        assert found.exit_code in (0, 1), found.output

    return run


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for name, call in walks(Path(place)).items():
            try:
                hops, files = walked(call)
                print(f"{name:32} {hops:4} functions in {files:3} files")
            except Exception as error:
                print(f"{name:32} {error}")
