"""Notes about the current state of an index' views, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.store.views import later
from likewise.views import EMBEDDINGS, LATENT

if TYPE_CHECKING:
    from collections.abc import Container

    from likewise.store.manifest import Manifest

MANY = 0.1  # note if more than this share of a latent space's documents was deleted since


def notes(manifest: Manifest, views: Container[str]) -> list[str]:
    """Notes to show beside results that used these views."""
    found = []
    if LATENT in views and LATENT in manifest.views:
        found.append(_about_latent(manifest))
    if EMBEDDINGS in views and EMBEDDINGS in manifest.views:
        found.append(_about_embeddings(manifest))
    return list(filter(None, found))


def way_to_embed(count: int, *, by_model: bool, model: str, index: str = "") -> str:
    """How to embed this many documents like the others."""
    them, command = ("it" if count == 1 else "them"), f"likewise embed {index}".strip()
    if not by_model:
        return f"give a file with vectors for {them} ({command} --embeddings, --embeddings-ids)"
    if not model:
        return "call index.embed_with(model) in a program that has the others' model"
    return f"{command} embeds {them}"


def without(count: int, *, by_model: bool, model: str, index: str = "") -> str:
    have = "1 document has" if count == 1 else f"{count:,} documents have"
    way = way_to_embed(count, by_model=by_model, model=model, index=index)
    return f"{have} no embedding: {way}"


def _about_latent(manifest: Manifest) -> str:
    made, now = manifest.views[LATENT].documents, manifest.documents
    new = later(manifest, LATENT)
    gone = made + new - now
    if new:
        state = f"and the index has {now:,} now, {new:,} of them folded in"
    elif gone > MANY * made:
        state = f"of which {gone:,} are deleted"
    else:
        return ""
    learned = f"the latent space was learned from {made:,} documents"
    return f"{learned}{' ' if new else ', '}{state}: likewise merge learns it again"


def _about_embeddings(manifest: Manifest) -> str:
    view, count = manifest.views[EMBEDDINGS], later(manifest, EMBEDDINGS)
    return without(count, by_model=bool(view.probe), model=view.model) if count else ""
