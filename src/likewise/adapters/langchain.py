"""A retriever for LangChain.

retriever = LikewiseRetriever(index="papers.idx", k=5)
documents = retriever.invoke("robot arms")
better = retriever.refined(like=documents[:2], unlike=documents[4:])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr, field_validator

from likewise.adapters.retrieving import By, Retrieving, as_index, each
from likewise.index import Index

__all__ = ["LikewiseRetriever"]


class LikewiseRetriever(BaseRetriever):
    """Documents of an index by words or, with by="example", by their likeness to examples.

    `index` is an Index or its path. By example, the query's text is one more liked example beside
    `examples`; `options` are those of `Index.like`, such as {"method": "ba"}.
    """

    index: Any
    k: int = 10
    by: By = "words"
    examples: Any = Field(default=())
    unlike: Any = Field(default=())
    filter: str | None = None
    options: Mapping[str, Any] = Field(default_factory=dict)
    _retrieving: Retrieving = PrivateAttr()

    @field_validator("index")
    @classmethod
    def _opened(cls, index: Any) -> Index:
        return as_index(index)

    @field_validator("examples", "unlike")
    @classmethod
    def _several(cls, examples: Any) -> tuple[Any, ...]:
        return each(examples)

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        names = ("index", "k", "by", "examples", "unlike", "filter", "options")
        self._retrieving = Retrieving(**{name: getattr(self, name) for name in names})

    def refined(
        self, like: Iterable[Document | Any] = (), unlike: Iterable[Document | Any] = ()
    ) -> LikewiseRetriever:
        """A retriever that has learned from documents that were good and from others."""
        new = self._retrieving.refined(like, unlike)
        values = {name: getattr(new, name) for name in ("by", "examples", "unlike")}
        kept = {name: getattr(self, name) for name in type(self).model_fields if name not in values}
        return type(self)(**kept, **values)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [
            Document(id=one.hit.id, page_content=one.text, metadata=one.metadata)
            for one in self._retrieving(query)
        ]
