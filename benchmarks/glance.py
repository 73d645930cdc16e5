"""The first table of RESULTS.md, made of its sections: all that was asked for, on one screen."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rows import COLUMNS, NEEDS, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SHORT = ("section", "work", "asked for", "figure", "peer", "reached")
TITLE = "At a glance"
HEAD = f"""## {TITLE}

{{reached}} of {{asked}} numbers asked for are reached, as measured by the sections below; each says
when and where.{{more}} A figure is a ratio to the peer where one is asked for, otherwise likewise's
own. Where a section asks for the same beside the same peer several times, the worst is shown.
"""


class Asked(NamedTuple):
    """A number that was asked for; `figure` as it is shown, `reached` as in the section's table."""

    section: str
    work: str
    bound: str
    figure: str
    peer: str
    reached: str

    @property
    def elsewhere(self) -> bool:
        """Whether it needs another machine than the section's."""
        return self.reached.startswith(NEEDS)

    @property
    def there(self) -> str:
        """The section of that machine."""
        return f"{self.section} ({self.reached.removeprefix(NEEDS)})"

    @property
    def kind(self) -> tuple[str, ...]:
        """What rows have in common that are shown as one: all but the work and its figure."""
        unit = self.figure.partition(" ")[2]
        return (self.section, self.bound, unit, self.peer, self.reached if self.elsewhere else "")

    @property
    def merit(self) -> float:
        """The larger the better."""
        value = float(self.figure.partition(" ")[0].strip("*").replace(",", ""))
        return -value if self.bound.startswith("≤") else value


def summary(sections: Iterable[str]) -> list[str]:
    """The table of sections as they are written; none if nothing is asked for."""
    found = list(dict.fromkeys(one for text in sections for one in _asked(text)))
    names = {one.section for one in found}
    found = [one for one in found if not (one.elsewhere and one.there in names)]
    if not found:
        return []
    here = [one for one in found if not one.elsewhere]
    reached = sum(one.reached == "yes" for one in here)
    more = (
        f" {len(found) - len(here)} more need a larger machine." if len(here) < len(found) else ""
    )
    lines = [HEAD.format(reached=reached, asked=len(here), more=more)]
    lines += [line(SHORT), line(["---"] * len(SHORT))]
    order = list(dict.fromkeys(one.kind for one in found))
    found.sort(key=lambda one: order.index(one.kind))
    lines += [line(_shown(list(alike))) for _, alike in groupby(found, lambda one: one.kind)]
    return ["\n".join([*lines, ""])]


def _shown(alike: Sequence[Asked]) -> Asked:
    if len(alike) == 1 or alike[0].elsewhere:
        return alike[0]
    worst = min(alike, key=lambda one: one.merit)
    reached = sum(one.reached == "yes" for one in alike)
    told = "yes" if reached == len(alike) else f"**{reached} of {len(alike)}**"
    return worst._replace(work=f"{worst.work} (worst of {len(alike)})", reached=told)


def _asked(text: str) -> Iterator[Asked]:
    """A section's rows in which something is asked for."""
    name, header = text.splitlines()[0].removeprefix("## "), line(COLUMNS)
    ours = False
    for row in text.splitlines():
        ours = row == header or (ours and row.startswith("|"))
        if not ours or row == header:
            continue
        work, unit, figure, _, peer, _, ratio, bound, reached = row.strip("| ").split(" | ")
        peer = peer.partition(", ε")[0]  # the tolerance is that of the run
        if reached.startswith(NEEDS):
            yield Asked(name, work, bound, "–", peer, reached)
        elif reached in ("yes", "**no**") and bound.endswith("×"):
            yield Asked(name, work, bound, f"{ratio.split()[0]} ×", peer, reached)
        elif reached in ("yes", "**no**"):
            yield Asked(name, work, bound, f"{figure.split()[0]} {unit}", "–", reached)
