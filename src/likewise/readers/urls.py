"""Files at URLs, by fsspec: s3, gs, abfs, https and whatever else it has a driver for."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import lru_cache
from io import BufferedIOBase, BufferedReader
from typing import TYPE_CHECKING, Any

from likewise.errors import InputError, LikewiseError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

URL = re.compile(r"[a-z][a-z0-9+.-]+:/{1,3}(?=[^/])")
DRIVERS = "pip install 'likewise[s3]', or likewise[cluster] and fsspec's driver of another store"
TELLING = ("size", "mtime", "LastModified", "ETag", "etag")  # what changes when a file does
BUFFER = 1 << 20  # bytes
PATTERN = re.compile(r"[*?\[]")


def url_of(path: object) -> str | None:
    """The URL that a path is, also one in which a double slash was lost; None if it is none."""
    text = str(path)
    start = URL.match(text)
    if start is None or "::" in text:  # one file system on top of another is not asked for
        return None
    scheme = start[0].rstrip("/")
    slashes = "///" if scheme == "file:" else "//"
    return f"{scheme}{slashes}{text[start.end() :].rstrip('/')}"


def expanded(url: str) -> list[str]:
    """The files that a URL names: itself, those of a pattern, or those of a folder; in order."""
    with reached(url, InputError):
        files, path = _opened(url)
        if PATTERN.search(path):
            found = sorted(files.glob(path))
        elif files.isdir(path):
            found = sorted(files.find(path))
        else:
            files.info(path)
            return [url]
    if not found:
        raise InputError(f"there is no file at {url}")
    return [files.unstrip_protocol(name) for name in found]


@lru_cache(maxsize=65_536)
def size_of(url: str) -> int:
    """Bytes; 0 if the store does not say."""
    with reached(url, InputError):
        files, path = _opened(url)
        return int(files.info(path).get("size") or 0)


def state_of(url: str) -> tuple[str, ...]:
    """What changes when a file does, as far as the store says."""
    with reached(url, InputError):
        files, path = _opened(url)
        told = files.info(path)
    return tuple(str(told.get(name, "")) for name in TELLING)


def open_url(url: str) -> BinaryIO:
    with reached(url, InputError):
        files, path = _opened(url)
        opened: Any = files.open(path, "rb")
    if not isinstance(opened, BufferedIOBase):  # readline of drivers' own files takes no limit
        opened = BufferedReader(opened, BUFFER)
    file: BinaryIO = opened
    return file


def _opened(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    files, path = url_to_fs(url)
    return files, str(path)


@contextmanager
def reached(url: str, failed: type[LikewiseError]) -> Iterator[None]:
    """Whatever a driver raises fails as somebody expects it, in one sentence; our own errors and
    what is there already are raised as they are.
    """
    try:
        yield
    except (LikewiseError, FileExistsError):
        raise
    except FileNotFoundError as error:
        raise failed(f"there is no file at {url}") from error
    except ImportError as error:
        raise failed(f"cannot reach {url} ({sentence(error)}): {DRIVERS}") from error
    except Exception as error:
        raise failed(f"cannot reach {url}: {sentence(error) or type(error).__name__}") from error
