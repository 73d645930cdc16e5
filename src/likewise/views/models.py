"""Embedding models: find them on this machine, load them once, and recognise them.

A model is recognised by its probe, its vector for one fixed sentence: this does not depend on the
path or name of its files, and another model gives another vector.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from likewise.errors import InputError, UsageError
from likewise.views.finding import folder_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

PROBE = "One sentence tells which model this is."
PROBED = 16  # numbers of the probe that are stored
SAME = 0.03  # tolerance of the probe: machines and precisions round differently
MOST_LOADED = 2  # models kept in memory
INSTALL = "making embeddings needs ONNX Runtime: pip install 'likewise[embed]'"


class Encodes(Protocol):
    """An object that makes a vector of each text, such as a SentenceTransformer."""

    def encode(self, texts: list[str], /) -> Any: ...


class Source(NamedTuple):
    """Where embeddings come from; `place` is empty if the model was an object of a program."""

    name: str
    place: str = ""
    probe: tuple[float, ...] = ()

    def is_like(self, other: Source) -> bool:
        """Whether both give the same vectors; files are compared by name."""
        if not self.probe or not other.probe:
            return (self.name, bool(self.probe)) == (other.name, bool(other.probe))
        own, theirs = np.array(self.probe), np.array(other.probe)
        return len(own) == len(theirs) and bool(np.abs(own - theirs).max() <= SAME)


class Encoder:
    """A loaded model. One thread at a time uses it."""

    def __init__(self, model: Encodes, name: str, place: str = "") -> None:
        self._model, self._lock = model, Lock()
        self.name = name
        probe = self([PROBE])[0]
        self.dimensions = len(probe)
        kept = tuple(round(float(number), 6) for number in probe[:PROBED])
        self.source = Source(name, place, kept)

    def __call__(self, texts: Sequence[str]) -> Rows:
        """A vector of unit length for each text; zero vectors stay zero."""
        with self._lock:
            found = np.array(self._model.encode(list(texts)), np.float32)
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
            raise UsageError(
                f"{self.name} made an array of shape {found.shape} of {len(texts)} texts: "
                "a model must make one vector per text"
            )
        return unit(found, f"what {self.name} made")


def unit(vectors: NDArray[np.number], name: str, first: int = 0) -> Rows:
    """Vectors scaled to unit length, in a new array; `first` is the number of the first one."""
    with np.errstate(over="ignore"):  # too large numbers become infinite, and raise below
        rows = np.array(vectors, np.float32)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        row = first + int(wrong[0]) + 1
        raise InputError(f"{name}, row {row:,}: a number is missing, infinite or too large")
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    filled = lengths > 0
    rows[filled] /= lengths[filled, None]
    return rows


_loaded: list[Encoder] = []  # the last used one is at the end
_loading = Lock()


def loaded(source: Source) -> Encoder | None:
    """The model of this source, if it is in memory."""
    return next((one for one in _loaded if one.source.is_like(source)), None)


def load(model: str | Encodes) -> Encoder:
    """A model by its folder or name, or an object of a program; nothing is downloaded."""
    if not isinstance(model, str):
        return _remember(Encoder(model, type(model).__name__))
    with _loading:  # a second thread finds what the first has loaded
        place = find(model)
        for one in _loaded:
            if one.source.place == str(place):
                return one
        return _remember(Encoder(_opened(place), name_of(place), str(place)))


def find(model: str) -> Path:
    """The folder of a model, without loading it; raises UsageError if something is missing."""
    from likewise.views import runtime

    if not runtime.is_installed() and not has_sentence_transformers():
        raise UsageError(INSTALL)
    return folder_of(model)


def load_again(source: Source) -> Encoder:
    """The model that made some embeddings; raises UsageError if it is not available."""
    there = loaded(source)
    if there is not None:
        return there
    if not source.place:
        raise UsageError(f"the model that made them ({source.name}) was an object of a program")
    if not Path(source.place).is_dir():
        raise UsageError(f"the model that made them is no longer at {source.place}")
    found = load(source.place)
    if not found.source.is_like(source):
        raise UsageError(f"the model at {source.place} is not the one that made them")
    return found


def has_sentence_transformers() -> bool:
    """Whether sentence-transformers is installed, without importing it, which takes seconds."""
    try:
        return find_spec("sentence_transformers") is not None
    except ValueError:  # a module without a spec is in its place
        return False


def _remember(made: Encoder) -> Encoder:
    kept = [one for one in _loaded if not one.source.is_like(made.source)]
    _loaded[:] = [*kept[-MOST_LOADED + 1 :], made]
    return made


def _opened(place: Path) -> Encodes:
    """By ONNX Runtime if it can run this model, or else by sentence-transformers."""
    from likewise.views import runtime

    why = "ONNX Runtime is not installed (pip install 'likewise[embed]')"
    if runtime.is_installed():
        try:
            return runtime.OnnxModel(place)
        except runtime.UnsupportedError as error:
            why = str(error)
        except Exception as error:  # what is in the files may fail anywhere
            raise _not_loaded(place, error) from error
    if not has_sentence_transformers():
        raise UsageError(
            f"the model in {place} needs sentence-transformers, since {why}: "
            "pip install sentence-transformers"
        )
    return _Quiet(_sentence_transformer(place))


def _not_loaded(place: Path, error: Exception) -> UsageError:
    first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".: ")
    return UsageError(f"the model in {place} cannot be loaded: {first}")


def _sentence_transformer(place: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer

        with _without_bars():
            return SentenceTransformer(str(place), local_files_only=True)
    except Exception as error:  # a model's code may raise anything
        raise _not_loaded(place, error) from error


class _Quiet:
    """A SentenceTransformer without progress bars."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def encode(self, texts: list[str], /) -> Any:
        return self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Load without progress bars."""
    from transformers import utils

    logging: Any = utils.logging
    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
