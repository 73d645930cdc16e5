"""Notes about the views of an index as it is now: documents that came later, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.store.views import later
from likewise.views import EMBEDDINGS, LATENT

if TYPE_CHECKING:
    from collections.abc import Container

    from likewise.store.manifest import Manifest

MANY = 0.1  # of the documents that a latent space was learned from, deleted since: worth a note


def notes(manifest: Manifest, views: Container[str]) -> list[str]:
    """Notes to show beside results that used these views."""
    found = []
    if LATENT in views and LATENT in manifest.views:
        found.append(_about_latent(manifest))
    if EMBEDDINGS in views and EMBEDDINGS in manifest.views:
        found.append(_about_embeddings(manifest))
    return list(filter(None, found))


def way_to_embed(count: int, *, by_model: bool, model: str, index: str = "") -> str:
    """How so many documents come by an embedding like those of the others."""
    them, command = ("it" if count == 1 else "them"), f"likewise embed {index}".strip()
    if not by_model:
        return f"bring a file with vectors for {them} ({command} --embeddings, --embeddings-ids)"
    if not model:
        return f"index.embed_with(model) makes {them}, in a program that has the others' model"
    return f"{command} makes {them}"


def without(count: int, *, by_model: bool, model: str, index: str = "") -> str:
    have = "1 document has" if count == 1 else f"{count:,} documents have"
    way = way_to_embed(count, by_model=by_model, model=model, index=index)
    return f"{have} no embedding: {way}"


def _about_latent(manifest: Manifest) -> str:
    made, now = manifest.views[LATENT].documents, manifest.documents
    new = later(manifest, LATENT)
    gone = made + new - now
    if new:
        state = f"and there are {now:,} now, {new:,} of them folded in"
    elif gone > MANY * made:
        state = f"of which {gone:,} are deleted"
    else:
        return ""
    learned = f"the latent space was learned from {made:,} documents"
    return f"{learned}{' ' if new else ', '}{state}: likewise merge learns it anew"


def _about_embeddings(manifest: Manifest) -> str:
    view, count = manifest.views[EMBEDDINGS], later(manifest, EMBEDDINGS)
    return without(count, by_model=bool(view.probe), model=view.model) if count else ""
