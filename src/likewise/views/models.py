"""Models that make vectors of texts: found on this machine, loaded once, told from one another.

A model is known by what it makes of one sentence, its probe: wherever its files are, and whatever
they are called, another model gives another vector.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from likewise.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

PROBE = "One sentence tells which model this is."
PROBED = 16  # numbers of its vector that are kept
SAME = 1e-3  # what they may differ by: other machines round otherwise
MOST_LOADED = 2  # models that are kept in memory
MARK = "modules.json"  # the file by which a folder is known to hold a model
INSTALL = "making embeddings needs sentence-transformers: pip install 'likewise[embed]'"


class Encodes(Protocol):
    """Whatever makes a vector of each text, such as a SentenceTransformer."""

    def encode(self, texts: list[str], /) -> Any: ...


class Source(NamedTuple):
    """Where embeddings come from; without a place, only programs that have the model go on."""

    name: str
    place: str = ""
    probe: tuple[float, ...] = ()

    def is_like(self, other: Source) -> bool:
        """Whether both make the same vectors; of a file, only its name is known."""
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
        """A vector of unit length for each text; one of only zeros stays so."""
        with self._lock:
            found = np.array(self._model.encode(list(texts)), np.float32)
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
            raise UsageError(
                f"{self.name} made an array of shape {found.shape} of {len(texts)} texts: "
                "a model makes one vector a text"
            )
        return unit(found, f"what {self.name} made")


def unit(vectors: NDArray[np.number], name: str, first: int = 0) -> Rows:
    """Vectors brought to unit length, in a new array; `first` is the number of the first one."""
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        rows = np.array(vectors, np.float32)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        row = first + int(wrong[0]) + 1
        raise InputError(f"{name}, row {row:,}: a number is missing, infinite or too large")
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    filled = lengths > 0
    rows[filled] /= lengths[filled, None]
    return rows


_loaded: list[Encoder] = []  # the one last used at the end
_loading = Lock()


def loaded(source: Source) -> Encoder | None:
    """The model of this source, if it is in memory."""
    return next((one for one in _loaded if one.source.is_like(source)), None)


def load(model: str | Encodes) -> Encoder:
    """A model by its folder or name, or one that a program has; nothing is fetched."""
    if not isinstance(model, str):
        return _remember(Encoder(model, type(model).__name__))
    with _loading:  # a second thread finds what the first has loaded
        place = find(model)
        for one in _loaded:
            if one.source.place == str(place):
                return one
        return _remember(Encoder(_Quiet(_sentence_transformer(place)), _name(place), str(place)))


def find(model: str) -> Path:
    """Where a model is, or a sentence on what is missing; loading it takes seconds."""
    if not is_installed():
        raise UsageError(INSTALL)
    return folder_of(model)


def load_again(source: Source) -> Encoder:
    """The model that embeddings were made with; raises UsageError where it is not to be had."""
    there = loaded(source)
    if there is not None:
        return there
    if not source.place:
        raise UsageError(f"the model that made them ({source.name}) was a program's own")
    if not Path(source.place).is_dir():
        raise UsageError(f"the model that made them is not at {source.place} any more")
    found = load(source.place)
    if not found.source.is_like(source):
        raise UsageError(f"the model at {source.place} is not the one that made them")
    return found


def folder_of(model: str) -> Path:
    """The folder that a model is in: as given, or where a model of this name was kept before."""
    given = Path(model).expanduser()
    if given.is_dir():
        if (given / MARK).is_file():
            return given.resolve()
        inside = sorted(path.parent for path in given.glob(f"*/{MARK}"))
        hint = f"perhaps {inside[0]} is meant" if inside else "give the folder that holds one"
        raise UsageError(f"{model} holds no model of sentence-transformers, no {MARK}: {hint}")
    for name in (model, f"sentence-transformers/{model}"):
        kept = _kept(name)
        if kept is not None:
            return kept
    raise UsageError(
        f"there is no model {model!r} on this machine, and nothing is fetched: "
        "give the folder of a model of sentence-transformers"
    )


def is_installed() -> bool:
    """Whether there is what models need; importing it takes seconds."""
    try:
        return find_spec("sentence_transformers") is not None
    except ValueError:  # somebody has forbidden it
        return False


def _kept(name: str) -> Path | None:
    """Where models fetched earlier, by other programs, are."""
    try:
        from huggingface_hub import snapshot_download

        found = Path(snapshot_download(name, local_files_only=True))
    except (ImportError, OSError, ValueError):  # not there, or no name that a model could have
        return None
    return found if (found / MARK).is_file() else None


def _name(place: Path) -> str:
    """What a model is called: its folder, or the one around it where that says nothing.

    Models that were fetched are in models--OWNER--NAME/snapshots/COMMIT.
    """
    if place.parent.name == "snapshots":
        return place.parent.parent.name.removeprefix("models--").replace("--", "/")
    if place.name in ("model", "models", "snapshot"):
        return f"{place.parent.name}/{place.name}"
    return place.name


def _remember(made: Encoder) -> Encoder:
    kept = [one for one in _loaded if not one.source.is_like(made.source)]
    _loaded[:] = [*kept[-MOST_LOADED + 1 :], made]
    return made


def _sentence_transformer(place: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer

        with _without_bars():
            return SentenceTransformer(str(place), local_files_only=True)
    except Exception as error:  # whatever a model's own code raises
        first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".: ")
        raise UsageError(f"the model in {place} cannot be loaded: {first}") from error


class _Quiet:
    """A SentenceTransformer that draws no bars of its own."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def encode(self, texts: list[str], /) -> Any:
        return self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Loading says nothing, unless something is wrong."""
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
