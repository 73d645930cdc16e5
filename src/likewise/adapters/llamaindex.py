"""A retriever for LlamaIndex.

retriever = LikewiseRetriever("papers.idx", k=5)
nodes = retriever.retrieve("robot arms")
better = retriever.refined(like=nodes[:2], unlike=nodes[4:])
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from likewise.adapters.retrieving import By, Retrieving, as_index, each

if TYPE_CHECKING:
    import os

    from llama_index.core.callbacks.base import CallbackManager
    from llama_index.core.schema import QueryBundle

    from likewise.index import Index

__all__ = ["LikewiseRetriever"]


class LikewiseRetriever(BaseRetriever):
    """Documents of an index by words or, with by="example", by their likeness to examples.

    By example, the query's text is one more liked example beside `examples`; `options` are those of
    `Index.like`, such as method="ba".
    """

    def __init__(
        self,
        index: Index | str | os.PathLike[str],
        k: int = 10,
        *,
        by: By = "words",
        examples: Any = (),
        unlike: Any = (),
        filter: str | None = None,
        callback_manager: CallbackManager | None = None,
        **options: Any,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._retrieving = Retrieving(
            as_index(index), k, by, each(examples), each(unlike), filter, options
        )

    def __repr__(self) -> str:
        asked = self._retrieving
        return f"LikewiseRetriever({asked.index!r}, k={asked.k}, by={asked.by!r})"

    def refined(self, like: Any = (), unlike: Any = ()) -> LikewiseRetriever:
        """A retriever that has learned from nodes that were good and from others."""
        new = self._retrieving.refined(like, unlike)
        return type(self)(
            new.index,
            new.k,
            by=new.by,
            examples=new.examples,
            unlike=new.unlike,
            filter=new.filter,
            callback_manager=self.callback_manager,
            **new.options,
        )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(
                node=TextNode(id_=one.hit.id, text=one.text, metadata=one.metadata),
                score=one.hit.score,
            )
            for one in self._retrieving(query_bundle.query_str)
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
