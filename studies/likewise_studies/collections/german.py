"""Writes corpora/debian-german/docs.jsonl.gz from apt's translations, read from standard input.

    apt-get -o Acquire::Languages=de -o Dir::State::Lists=LISTS update
    /usr/lib/apt/apt-helper cat-file LISTS/*_Translation-de* |
        python -m likewise_studies.collections.german DATA

Descriptions of Debian's packages in German, by translators; a package's tags and source are those
in corpora/debian-packages.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

FOLDER = "corpora/debian-german"
PACKAGES = "corpora/debian-packages"
DESCRIPTION = "Description-de: "


def translations(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Each package with its title and text; the first of those with one name."""
    met: set[str] = set()
    name, title = "", ""
    text: list[str] = []
    for line in (*lines, ""):
        if line.startswith("Package: "):
            name = line.removeprefix("Package: ").strip()
        elif line.startswith(DESCRIPTION):
            title = line.removeprefix(DESCRIPTION).strip()
        elif line.startswith(" "):
            text.append(line.strip().removeprefix("."))
        elif not line.strip() and name:
            if title and name not in met:
                met.add(name)
                yield name, title, " ".join(" ".join(text).split())
            name, title, text = "", "", []


def joined(lines: Iterable[str], packages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Packages with a translation, in their order."""
    known = {name: (title, text) for name, title, text in translations(lines)}
    for one in packages:
        if one["id"] in known:
            title, text = known[one["id"]]
            yield one | {"title": f"{one['id']} - {title}", "text": text}


def main(data: Path) -> None:
    with gzip.open(data / PACKAGES / "docs.jsonl.gz", "rb") as file:
        packages = [msgspec.json.decode(line) for line in file]
    made = list(joined(sys.stdin, packages))
    folder = data / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    # Without a date in it, the same descriptions give the same checksum.
    with (folder / "docs.jsonl.gz").open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
        file.writelines(msgspec.json.encode(one) + b"\n" for one in made)
    print(f"{len(made):,} descriptions in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
