"""Zotero on this computer: a collection in, results back as items with tags.

zotero = Zotero()
index.add(zotero.documents("Robots"))
zotero.save(index.like(hits[:3], k=20), collection="Robots", tags=["found by likewise"])

Items are read by Zotero's local API. What is saved goes the way of its browser connector, since the
local API of most versions cannot write.
"""

from __future__ import annotations

import json
import re
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

from likewise.document import Document
from likewise.errors import InputError, UsageError, sentence
from likewise.readers.fieldvalues import whole_year
from likewise.readers.reftypes import csl_type
from likewise.search.found import Hits
from likewise.writers import Record, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from likewise.reviews import Session

__all__ = ["Collection", "Zotero"]

ADDRESS = "http://localhost:23119"
SECONDS = 60.0  # for one request
PAGE = 100  # items of a request
NO_PAPERS = ("attachment", "note", "annotation")
ALLOW = "allow other applications to communicate with Zotero in its settings, under Advanced"
FIELDS = {
    "doi": ("DOI",),
    "url": ("url",),
    "journal": ("publicationTitle",),
    "journal_abbreviation": ("journalAbbreviation",),
    "booktitle": ("bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle"),
    "series": ("series",),
    "volume": ("volume",),
    "issue": ("issue",),
    "pages": ("pages",),
    "edition": ("edition",),
    "publisher": ("publisher", "university", "institution"),
    "place": ("place",),
    "issn": ("ISSN",),
    "isbn": ("ISBN",),
    "language": ("language",),
    "date": ("date",),
    "notes": ("extra",),
}  # canonical names, and what Zotero calls them
PMID = re.compile(r"^PMID:\s*(\d+)\s*$", re.MULTILINE | re.IGNORECASE)


class Collection(NamedTuple):
    """`path` is its name after those of the collections that it is in, as in "Thesis/Robots"."""

    key: str
    name: str
    path: str
    items: int


class Zotero:
    """`library` is users/0, one's own, or groups/ and the number of a group."""

    def __init__(self, address: str = ADDRESS, library: str = "users/0") -> None:
        if not re.fullmatch(r"(users|groups)/\d+", library):
            raise UsageError(f"library is {library!r}: it must be users/0, or groups/ and a number")
        if not re.match(r"https?://[^/]", address):
            raise UsageError(f"address is {address!r}: it must be one such as {ADDRESS}")
        self._address, self._library = address.rstrip("/"), library
        self._opener = build_opener(ProxyHandler({}))  # it is on this computer

    def collections(self) -> list[Collection]:
        """All collections, by their paths."""
        found = {one["key"]: one for one in self._pages("collections")}

        def path(one: Mapping[str, Any]) -> str:
            above = found.get(one["data"].get("parentCollection") or "")
            return f"{path(above)}/{one['data']['name']}" if above else str(one["data"]["name"])

        made = (
            Collection(key, one["data"]["name"], path(one), one.get("meta", {}).get("numItems", 0))
            for key, one in found.items()
        )
        return sorted(made, key=lambda one: one.path)

    def documents(self, collection: str | None = None) -> Iterator[Document]:
        """The papers of a collection and those below it, or of the whole library, for `Index.add`.

        It is named by its name, its path or its key. Ids are those of Zotero's items.
        """
        if collection is None:
            places = ["items/top"]
        else:
            chosen, all = self._collection(collection), self.collections()
            below = [one for one in all if one.path.startswith(f"{chosen.path}/")]
            places = [f"collections/{one.key}/items/top" for one in (chosen, *below)]
        seen: set[str] = set()  # an item may be in several collections
        for place in places:
            for item in self._pages(place):
                if item["key"] not in seen and item["data"].get("itemType") not in NO_PAPERS:
                    seen.add(item["key"])
                    yield _document(item)

    def save(
        self,
        results: Hits[Any] | Session | Iterable[Record],
        *,
        collection: str | None = None,
        tags: Iterable[str] = (),
    ) -> int:
        """Make items of hits or of what a session judged; returns how many.

        They go into the collection that is selected in Zotero, or into the one named. Each has the
        `tags`, and of a session also what it was judged, as in "likewise: relevant". Items that are
        there already are not looked for: Zotero's list of duplicates merges them.
        """
        given = [tags] if isinstance(tags, str) else list(tags)
        target = None if collection is None else self._target(collection)
        body = b"".join(written("ris", _tagged(_records(results), given)))
        if not body:
            return 0
        session = uuid.uuid4().hex
        where = f"connector/import?{urlencode({'session': session})}"
        made = self._ask(where, body, "application/x-research-info-systems")
        if target is not None:
            change = json.dumps({"sessionID": session, "target": target})
            self._ask("connector/updateSession", change.encode(), "application/json")
        return len(made)

    def _collection(self, name: str) -> Collection:
        all = self.collections()
        for part in ("key", "path", "name"):
            found = [one for one in all if getattr(one, part) == name]
            if len(found) == 1:
                return found[0]
            if found:
                paths = " or ".join(one.path for one in found)
                raise UsageError(f"there are {len(found)} collections {name!r}: say {paths}")
        known = ", ".join(one.path for one in all[:20]) or "none"
        raise UsageError(f"no collection {name!r} in Zotero: there is {known}")

    def _target(self, name: str) -> str:
        """What the connector calls a collection; it knows their levels, but no keys."""
        if not self._library.startswith("users/"):
            raise UsageError("collection goes with one's own library: select a group's in Zotero")
        chosen = self._collection(name)
        listed = self._ask("connector/getSelectedCollection", b"{}", "application/json")["targets"]
        path: list[str] = []
        for one in listed:
            if one["level"] == 0 and path:
                break  # one's own library is the first
            path = [*path[: one["level"]], one["name"]]
            if "/".join(path[1:]) == chosen.path:
                return str(one["id"])
        raise InputError(f"Zotero does not let others save into {chosen.path!r}: choose another")

    def _pages(self, place: str) -> Iterator[dict[str, Any]]:
        start = 0
        while True:
            asked = urlencode({"format": "json", "v": 3, "limit": PAGE, "start": start})
            found = self._ask(f"api/{self._library}/{quote(place)}?{asked}")
            yield from found
            start += PAGE
            if len(found) < PAGE:
                return

    def _ask(self, place: str, body: bytes | None = None, kind: str = "") -> Any:
        headers = {"Zotero-API-Version": "3", "X-Zotero-Connector-API-Version": "3"}
        if body is not None:
            headers["Content-Type"] = kind
        request = Request(f"{self._address}/{place}", body, headers)
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                return json.loads(answer.read() or b"null")
        except HTTPError as error:
            said = sentence(error.read().decode("utf-8", "replace")) or error.reason
            if error.code == 403:
                raise InputError(f"Zotero refuses to answer: {ALLOW}") from error
            raise InputError(
                f"Zotero says {error.code}, {said}: {place.partition('?')[0]}"
            ) from error
        except (URLError, TimeoutError, ConnectionError) as error:
            raise InputError(
                f"Zotero does not answer at {self._address}: start it, and {ALLOW}"
            ) from error
        except ValueError as error:
            raise InputError(f"what answers at {self._address} is not Zotero") from error


def _document(item: Mapping[str, Any]) -> Document:
    data = item["data"]
    names = (
        (name, next((data[key] for key in keys if data.get(key)), None))
        for name, keys in FIELDS.items()
    )
    fields: dict[str, Any] = {name: value for name, value in names if value}
    for role in ("author", "editor"):
        people = [_name(one) for one in data.get("creators", ()) if one.get("creatorType") == role]
        if people:
            fields[f"{role}s"] = people
    if (year := whole_year(data.get("date", ""))) is not None:
        fields["year"] = year
    if pmid := PMID.search(data.get("extra", "")):
        fields["pmid"] = pmid[1]
    if tags := [one["tag"] for one in data.get("tags", ())]:
        fields["keywords"] = tags
    if "notes" in fields:
        fields["notes"] = [fields["notes"]]
    fields["type"] = csl_type(data["itemType"]) or data["itemType"]
    return Document(item["key"], data.get("abstractNote", ""), data.get("title", ""), **fields)


def _name(creator: Mapping[str, Any]) -> str:
    parts = creator.get("lastName"), creator.get("firstName")
    return creator.get("name") or ", ".join(part for part in parts if part)


def _records(results: Any) -> Iterable[Record]:
    if isinstance(results, Hits):
        return (Record(record.values) for record in results.records())
    if hasattr(results, "judgements"):
        labels = results.labels()
        documents = results.documents(labels)
        said = (
            "likewise: relevant" if labels[one.id] else "likewise: not relevant"
            for one in documents
        )
        return (
            Record(document.values(), {"tags": [label]})
            for document, label in zip(documents, said, strict=True)
        )
    return results  # type: ignore[no-any-return]


def _tagged(records: Iterable[Record], tags: list[str]) -> Iterator[Record]:
    for record in records:
        if not isinstance(record, Record):
            raise UsageError(
                f"{type(record).__name__} is no result: give hits, a session or records"
            )
        yield record._replace(
            beside={**record.beside, "tags": [*record.beside.get("tags", ()), *tags]}
        )
