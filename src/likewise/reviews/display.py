"""A session as a notebook shows it: how far it has come, and what was judged last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.search.highlights import MOST, Highlights
from likewise.search.html import LEFT, marked, paragraphs, plain

if TYPE_CHECKING:
    from likewise.reviews.session import Session

LAST = 10  # judged documents that are shown


def session(shown: Session) -> str:
    """Counts, and the documents judged last, the words marked that count now; all text escaped."""
    stats = shown.stats()
    head = f"<p><b>{plain(shown.name)}</b>, reviewer {plain(shown.reviewer)}</p>"
    counts = (
        f"{stats.judged:,} of {stats.documents:,} documents judged: {stats.relevant:,} relevant, "
        f"{stats.others:,} not, {stats.undecided:,} undecided"
    )
    judged = shown.judgements(shown.reviewer)
    last = list(judged)[-LAST:][::-1]
    rows = "".join(
        f"<tr><td>{plain(judged[id])}</td><td style='{LEFT}'>{_title(shown, id)} "
        f"<code>{plain(id)}</code></td></tr>"
        for id in last
    )
    return head + paragraphs([counts]) + (f"<table><tbody>{rows}</tbody></table>" if rows else "")


def _title(shown: Session, id: str) -> str:
    """A document's title, with the words that its score comes from."""
    from likewise.errors import UnknownIdError

    try:
        (document,) = shown.documents([id])
    except UnknownIdError:  # deleted since
        return ""
    query, title = shown.query, document.title
    if query is None:
        return plain(title)
    weights = dict(shown.explain(id, query).terms[:MOST])
    return marked(title, Highlights(shown.analyzer)(title, weights))
