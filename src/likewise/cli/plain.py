"""`likewise search INDEX WORDS` without an option: done without typer, which takes long to import.

What is unusual, and whatever fails before something is printed, is left to the command, which does
it again and says what there is to say. Both print the same.
"""

from __future__ import annotations

import gc
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPLETING = "_LIKEWISE_COMPLETE"  # a shell asks what could follow
BLAS = "OPENBLAS_NUM_THREADS"
K = 10  # as many as the command shows by default


def is_plain(arguments: Sequence[str]) -> bool:
    """Whether these are an index and words, and nothing else."""
    return (
        len(arguments) > 1
        and not any(one.startswith("-") for one in arguments)
        and COMPLETING not in os.environ
        and os.name == "posix"  # elsewhere words may be patterns of files
    )


def search(directory: str, words: Sequence[str]) -> bool:
    """Print the best documents; False where the command must do it, and nothing was printed."""
    gc.disable()  # modules are no garbage, but would be looked through again and again
    os.environ.setdefault(BLAS, "1")  # its threads wait busily, and words need none
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = _table(directory, " ".join(words))
    except Exception:  # the command says what it is
        return False
    finally:
        gc.enable()
    if not text:
        return False
    from likewise.cli.printing import colours, stdout
    from likewise.errors import LikewiseError

    try:
        stdout.put_coloured(text, colours.headed)
    except LikewiseError as error:
        from likewise.cli.failures import FAILED, fail

        fail(str(error))
        raise SystemExit(FAILED) from error
    return True


def _table(directory: str, words: str) -> str:
    from likewise.index import Index  # isort: skip, as it imports numpy early (see there)
    from likewise.cli.printing.hits import Results, as_table
    from likewise.search.keywords import parse

    if parse(words).asks:
        return ""
    hits = Index.open(Path(directory)).search(words, K)
    return as_table(Results(directory, {}, hits))
