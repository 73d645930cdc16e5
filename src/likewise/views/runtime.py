"""Embedding models run by ONNX Runtime, in bytes, straight from the weights: no torch is needed.

A model is converted once and kept among what can be made again. It is given the first and the last
tokens of a text: more of them cost time in proportion and hardly change what is found
(docs/views.md).
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from likewise.datasets import arxiv_sample
from likewise.engines.cores import cores
from likewise.views import bert
from likewise.views.finding import MARK, own_cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

NEEDED = ("onnx", "onnxruntime", "safetensors", "tokenizers")
TOKENS = 64  # of a text; where it has more,
LAST = 24  # of them are its last ones, which in an abstract say what was found
CHARACTERS = 16  # a token at most, of those that are looked at
STEP = 16  # texts are filled up to a multiple of so many tokens
AT_ONCE = 1024  # tokens at a time in each thread: what a processor's cache holds
CALIBRATE, CHECK = 64, 32  # texts
MARGIN = 1.05  # of what an input was for these texts
FAITHFUL = 0.98  # mean cosine with the vectors in float32
MOSTS = (127, 63)  # of weights; processors without VNNI instructions need the smaller one
VERSION = 1  # of converted models
NICE = 10  # of threads with many texts


class UnsupportedError(Exception):
    """This model needs sentence-transformers."""


class _Config(msgspec.Struct):
    model_type: str = ""
    hidden_act: str = "gelu"
    position_embedding_type: str = "absolute"
    hidden_size: int = 0
    num_attention_heads: int = 0
    num_hidden_layers: int = 0
    layer_norm_eps: float = 1e-12
    max_position_embeddings: int = 512


class _Module(msgspec.Struct):
    type: str
    path: str = ""


class _Pooling(msgspec.Struct):
    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = True
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False


class _Limits(msgspec.Struct):
    max_seq_length: int | None = None


class Settings(NamedTuple):
    """What a model's files say of it."""

    shape: bert.Shape
    most: int  # tokens of a text that the model was made for
    first: bool  # a text's vector is that of its first token, not the mean of all
    tokens: int = TOKENS  # of a text that it is given


def is_installed() -> bool:
    """Whether all packages are there, without importing them."""
    return all(find_spec(name) is not None for name in NEEDED)


def settings_of(place: Path) -> Settings:
    """Raises UnsupportedError for what is no BERT encoder with a mean or a first token."""
    modules = _read(place / MARK, list[_Module])
    kinds = [one.type.rpartition(".")[2] for one in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise UnsupportedError(f"it consists of {', '.join(kinds) or 'nothing'}")
    config = _read(place / "config.json", _Config)
    kind = (config.model_type, config.hidden_act, config.position_embedding_type)
    if kind != ("bert", "gelu", "absolute"):
        raise UnsupportedError(f"its type is {' '.join(kind)}")
    for name in ("model.safetensors", "tokenizer.json"):
        if not (place / name).is_file():
            raise UnsupportedError(f"it has no {name}")
    pooling = _read(place / modules[1].path / "config.json", _Pooling)
    if pooling.pooling_mode_max_tokens or pooling.pooling_mode_mean_sqrt_len_tokens:
        raise UnsupportedError("it pools by other than the mean or the first token")
    if pooling.pooling_mode_cls_token == pooling.pooling_mode_mean_tokens:
        raise UnsupportedError("it pools by other than the mean or the first token")
    limit = None
    with suppress(UnsupportedError):
        limit = _read(place / "sentence_bert_config.json", _Limits).max_seq_length
    most = min(limit or config.max_position_embeddings, config.max_position_embeddings)
    shape = bert.Shape(
        config.hidden_size,
        config.num_attention_heads,
        config.num_hidden_layers,
        config.layer_norm_eps,
    )
    return Settings(shape, most, pooling.pooling_mode_cls_token)


class OnnxModel:
    """A model that makes a vector of each text, in as many threads as there are cores."""

    def __init__(self, place: Path, threads: int | None = None) -> None:
        self._settings = settings_of(place)
        self._tokenizer = tokenizer_of(place, self._settings.most)
        self._threads = threads or cores()
        self._session = session_of(_converted(place, self._settings, self._tokenizer))

    def encode(self, texts: list[str], /) -> Rows:
        return encode(self._session, self._tokenizer, texts, self._settings, self._threads)


def encode(
    session: Any, tokenizer: Any, texts: Sequence[str], settings: Settings, threads: int = 1
) -> Rows:
    """Texts of like length together; each is filled up to a length that only it decides."""
    made = np.zeros((len(texts), settings.shape.width), np.float32)
    tokens = _tokens(tokenizer, texts, settings)

    def run(some: list[int]) -> None:
        inputs = _inputs([tokens[i] for i in some], settings)
        made[some] = session.run([bert.POOLED], inputs)[0]

    with ThreadPoolExecutor(threads, initializer=_step_back if len(texts) > 1 else None) as pool:
        for _ in pool.map(run, _batches(tokens)):
            pass
    return made


def _tokens(tokenizer: Any, texts: Sequence[str], settings: Settings) -> list[list[int]]:
    """Of each text the first and the last ones; the very last marks the end."""
    begun = [text[: CHARACTERS * settings.most] for text in texts]
    found = (one.ids for one in tokenizer.encode_batch(begun))
    most, first = settings.tokens, settings.tokens - LAST
    return [ids if len(ids) <= most else ids[:first] + ids[-LAST:] for ids in found]


def _batches(tokens: list[list[int]]) -> Iterator[list[int]]:
    by_length: dict[int, list[int]] = {}
    for number, ids in enumerate(tokens):
        by_length.setdefault(_filled(len(ids)), []).append(number)
    for length in sorted(by_length, reverse=True):
        some, step = by_length[length], max(AT_ONCE // length, 1)
        yield from (some[first : first + step] for first in range(0, len(some), step))


def _filled(length: int) -> int:
    return -(-max(length, 1) // STEP) * STEP


def _inputs(tokens: list[list[int]], settings: Settings) -> dict[str, NDArray[Any]]:
    width = _filled(max(map(len, tokens)))
    ids = np.zeros((len(tokens), width), np.int64)
    pool = np.zeros((len(tokens), width), np.float32)
    for row, found in enumerate(tokens):
        ids[row, : len(found)] = found
        pool[row, : 1 if settings.first else len(found)] = 1
    lengths = np.array([max(len(found), 1) for found in tokens], np.int32)
    return {bert.IDS: ids, bert.LENGTHS: lengths, bert.POOL: pool}


def _converted(place: Path, settings: Settings, tokenizer: Any) -> bytes:
    """The model in bytes, from the cache if it was made before."""
    kept = own_cache() / "models" / f"{_state(place)}.onnx"
    with suppress(OSError):
        return kept.read_bytes()
    made = _convert(place, settings, tokenizer)
    with suppress(OSError):  # it is only made again, then
        kept.parent.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(dir=kept.parent)
        with os.fdopen(file, "wb") as out:
            out.write(made)
        Path(name).replace(kept)
    return made


def _state(place: Path) -> str:
    """Tells files apart that give another model; their content is too long to read each time."""
    digest = hashlib.sha256(f"{VERSION} {TOKENS} {LAST} {_processor()}".encode())
    for name in (MARK, "config.json", "tokenizer.json", "model.safetensors"):
        known = (place / name).resolve().stat()
        digest.update(f"{place} {name} {known.st_size} {known.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def _convert(place: Path, settings: Settings, tokenizer: Any) -> bytes:
    """In bytes if its vectors stay what they are, in float32 otherwise."""
    weights = weights_of(place)
    exact = bert.graph(settings.shape, weights)
    session, texts = session_of(exact), _texts(CALIBRATE + CHECK)
    ranges = _ranges(session, tokenizer, texts[:CALIBRATE], settings)
    wanted = encode(session, tokenizer, texts[CALIBRATE:], settings)
    for most in MOSTS:
        made = bert.graph(settings.shape, weights, ranges, most)
        found = encode(session_of(made), tokenizer, texts[CALIBRATE:], settings)
        lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(wanted, axis=1)
        if float(((found * wanted).sum(axis=1) / lengths).mean()) >= FAITHFUL:
            return made
    return exact


def _ranges(
    session: Any, tokenizer: Any, texts: Sequence[str], settings: Settings
) -> dict[str, tuple[float, float]]:
    """The least and the largest number in each input of a layer, and 0."""
    names = [one.name for one in session.get_outputs() if one.name != bert.POOLED]
    found: dict[str, tuple[float, float]] = dict.fromkeys(names, (0.0, 0.0))
    tokens = _tokens(tokenizer, texts, settings)
    for some in _batches(tokens):
        inputs = _inputs([tokens[i] for i in some], settings)
        there = np.arange(inputs[bert.IDS].shape[1]) < inputs[bert.LENGTHS][:, None]
        for name, values in zip(names, session.run(names, inputs), strict=True):
            low, high = found[name]
            seen = values[there]
            found[name] = min(low, float(seen.min())), max(high, float(seen.max()))
    return {name: (low * MARGIN, high * MARGIN) for name, (low, high) in found.items()}


def weights_of(place: Path) -> dict[str, Rows]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        found = load_file(place / "model.safetensors")
    except (SafetensorError, KeyError, TypeError) as error:  # such as numbers that NumPy lacks
        raise UnsupportedError(f"its weights cannot be read ({error})") from error
    return {
        name.removeprefix("bert."): np.asarray(values, np.float32)
        for name, values in found.items()
        if values.dtype.kind == "f"
    }


def _texts(count: int) -> list[str]:
    with gzip.open(arxiv_sample(), "rb") as lines:
        records = [msgspec.json.decode(line) for line in islice(lines, count)]
    return [f"{record['title']}\n{record['text']}" for record in records]


def tokenizer_of(place: Path, most: int) -> Any:
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(place / "tokenizer.json"))
    made.no_padding()
    made.enable_truncation(most)
    return made


def session_of(model: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts are shared out to threads instead
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _read(path: Path, type: Any) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes(), type=type)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UnsupportedError(f"its {path.name} cannot be read") from error


def _processor() -> str:
    """What decides which instructions are used."""
    import platform

    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return platform.processor() or platform.machine()


def _step_back() -> None:
    """Let others go first, such as the searches of a server: many texts take long."""
    if sys.platform == "linux":
        with suppress(OSError):
            own = threading.get_native_id()
            polite = max(NICE, os.getpriority(os.PRIO_PROCESS, own))
            os.setpriority(os.PRIO_PROCESS, own, polite)
