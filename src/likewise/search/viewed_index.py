"""An open index with its views: latent space and embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.search.open_index import OpenIndex

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from likewise.readers.reading import Progress
    from likewise.search.index_views import IndexViews
    from likewise.search.project import Project
    from likewise.store.embeddings import Brought
    from likewise.views.models import Encodes


class ViewedIndex(OpenIndex):
    @property
    def views(self) -> IndexViews:
        """The views beside the words: latent space and embeddings."""
        from likewise.search.index_views import IndexViews

        return IndexViews(self)

    @property
    def project(self) -> Project:
        """What people call the index, whether it is archived, and which files it came from."""
        from likewise.search.project import Project

        return Project(self)

    def learn_latent(self, dimensions: int | None = None, *, seed: int | None = None) -> None:
        """Learn the latent space again, see IndexViews.learn_latent."""
        self.views.learn_latent(dimensions, seed=seed)

    def drop_latent(self) -> None:
        """Remove the latent space, see IndexViews.drop_latent."""
        self.views.drop_latent()

    def embed(
        self,
        vectors: NDArray[np.number] | str | os.PathLike[str],
        ids: Iterable[str] | str | os.PathLike[str] | None = None,
        *,
        source: str | None = None,
        replace: bool = False,
    ) -> Brought:
        """Add embeddings of the documents, see IndexViews.embed."""
        return self.views.embed(vectors, ids, source=source, replace=replace)

    def embed_with(
        self, model: str | Encodes | None = None, *, progress: Progress | None = None
    ) -> int:
        """Embed documents with a model, see IndexViews.embed_with."""
        return self.views.embed_with(model, progress=progress)

    def drop_embeddings(self) -> None:
        """Remove the embeddings, see IndexViews.drop_embeddings."""
        self.views.drop_embeddings()
