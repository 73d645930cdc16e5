"""A feed of a saved search: what came into an index and matches, the newest first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from likewise.watching.arrivals import Arrivals, Entry, remember
from likewise.watching.digest import as_atom
from likewise.watching.watch import KEPT, SUMMARY, link_of

if TYPE_CHECKING:
    from likewise.index import Index
    from likewise.reviews.saved import SavedSearches

NEWEST = "SELECT * FROM entries WHERE query = ? ORDER BY updated DESC, score DESC, id LIMIT ?"


def feed(index: Index, searches: SavedSearches, name: str) -> str:
    """Atom; what is in the index when a feed is first asked for is no news."""
    found = entries(index, searches, name)
    return as_atom(f"{name}: new in {index.path.name}", f"{index.path}/{name}", found)


def entries(index: Index, searches: SavedSearches, name: str) -> list[Entry]:
    """What came since the feed was asked for last joins what came before."""
    kept = searches.get(name)
    key = f"saved {kept.name} {kept.created}"  # one that was deleted has another feed
    with Arrivals(index) as arrivals:
        look, last = arrivals.meet(), arrivals.last(key)
        came = [] if last is None else arrivals.since(last)
        found = _entries(index, searches, name, came) if came else []
        with arrivals.changing() as database:
            remember(database, key, look)
            database.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)",
                [one._replace(query=key) for one in found],
            )
            rows = database.execute(NEWEST, (key, KEPT)).fetchall()
    return [Entry(*row)._replace(query=name) for row in rows]


def _entries(index: Index, searches: SavedSearches, name: str, ids: list[str]) -> list[Entry]:
    hits = searches.run(name, KEPT, among=ids)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    documents = index.documents(hit.id for hit in hits)
    return [
        Entry(name, hit.id, hit.title, hit.score, now, link_of(one), one.text[:SUMMARY])
        for hit, one in zip(hits, documents, strict=True)
    ]
