"""What tells that a PDF and a record belong together: a link, a DOI, a title."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from likewise.readers.fieldvalues import bare_doi
from likewise.readers.mapping import compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LINK = re.compile(r"[^:;{}]*\.pdf", re.IGNORECASE)
LEAST_TITLE = 20  # characters that tell one title from another


def doi_of(values: Mapping[str, Any]) -> str:
    return (bare_doi(values.get("doi")) or "").lower()


def title_of(values: Mapping[str, Any]) -> str:
    """A title as it is compared; empty if it is too short to tell papers apart."""
    title = compared(values.get("title") or values.get("primary_title"))
    return title if len(title) >= LEAST_TITLE else ""


class Papers:
    """The names of PDFs, and which of them a record's links mean."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = defaultdict(list)
        for name in names:
            self._names[_base(name)].append(name)

    def linked(self, files: Any) -> Iterator[str]:
        """The PDFs among a record's files, however a program wrote them."""
        for one in files if isinstance(files, list) else [files]:
            if isinstance(one, str):
                for link in LINK.findall(one.replace("\\", "/")):
                    if meant := _nearest(link, self._names.get(_base(link), [])):
                        yield meant


def _nearest(link: str, names: list[str]) -> str:
    """Of the PDFs of that name, the one whose path ends most like the link."""
    parts = _parts(link)

    def alike(name: str) -> int:
        pairs = list(zip(parts, _parts(name), strict=False))
        return next((n for n, (a, b) in enumerate(pairs) if a != b), len(pairs))

    best = sorted(names, key=alike, reverse=True)
    if len(best) > 1 and alike(best[0]) == alike(best[1]):
        return ""
    return best[0] if best else ""


def _parts(name: str) -> tuple[str, ...]:
    """The folders of a path, from its end; what lies in an archive lies in a folder."""
    return PurePosixPath(name.strip().lower().replace("!", "/")).parts[::-1]


def _base(name: str) -> str:
    return next(iter(_parts(name)), "")
