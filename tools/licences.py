"""The licences of what likewise depends on, as its packages state them: writes docs/licences.md.

    python tools/licences.py

Run it where the extras are installed. What is needed is read from pyproject.toml, and what that
needs in turn from the packages themselves.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from packaging.requirements import Requirement

if TYPE_CHECKING:
    from email.message import Message

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
EXTRAS = ("adapters", "cluster", "embed", "eval", "formats", "mcp", "postgres", "server")
OWN = "likewise"
UNKNOWN = "not installed where this was written"
LONGEST = 60  # characters of a licence; a whole text is no name
BEGINNING = """# Licences

likewise is under the [BSD 3-Clause License](../LICENSE). The packages below are installed beside
it by pip; they state these licences. *For* names the extra that needs a package, core is needed
always. `make licences` writes this page.

| Package | Licence | For |
| --- | --- | --- |
"""


class Package(NamedTuple):
    name: str
    licence: str
    extras: list[str]


def main() -> None:
    found = packages()
    rows = [f"| {one.name} | {one.licence} | {', '.join(one.extras)} |\n" for one in found]
    PAGE.write_text(BEGINNING + "".join(rows))
    print(f"{PAGE.relative_to(ROOT)}: {len(found)} packages", file=sys.stderr)


def packages() -> list[Package]:
    """Everything that is needed, by name."""
    wanted = requirements()
    extras: dict[str, list[str]] = {}
    for extra, needed in wanted.items():
        for name in closure(needed):
            if "core" not in extras.setdefault(name, []):
                extras[name].append(extra)
    others = sorted(extras.keys() - {OWN})  # an extra may ask for another one of ours
    return [Package(name, licence(name), extras[name]) for name in others]


def requirements() -> dict[str, list[Requirement]]:
    """What pyproject.toml asks for, by extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    asked = {"core": project["dependencies"]} | {extra: optional[extra] for extra in EXTRAS}
    return {extra: list(map(Requirement, lines)) for extra, lines in asked.items()}


def closure(needed: list[Requirement]) -> set[str]:
    """The names of packages, and of those that they need in turn."""
    found: set[str] = set()
    waiting = list(needed)
    while waiting:
        one = waiting.pop()
        name = normal(one.name)
        if name in found:
            continue
        found.add(name)
        waiting += [r for r in needs(name) if applies(r, one.extras)]
    return found


def needs(name: str) -> list[Requirement]:
    try:
        return list(map(Requirement, distribution(name).requires or ()))
    except PackageNotFoundError:
        return []


def applies(requirement: Requirement, extras: set[str]) -> bool:
    """Whether a package is needed here, given the extras that were asked for."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, ""))


def licence(name: str) -> str:
    """As the package states it: by an expression, else in its classifiers, else in words."""
    try:
        said = cast("Message", distribution(name).metadata)
    except PackageNotFoundError:
        return UNKNOWN
    if expression := said.get("License-Expression"):
        return str(expression)
    kinds = [line for line in said.get_all("Classifier") or () if line.startswith("License ::")]
    named = [line.rpartition(" :: ")[2] for line in kinds if not line.endswith("OSI Approved")]
    words = (said.get("License") or "").strip().partition("\n")[0]
    return " or ".join(named) or (words if len(words) <= LONGEST else "") or "see the package"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
