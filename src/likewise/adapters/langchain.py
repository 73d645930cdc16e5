"""A retriever for LangChain.

retriever = LikewiseRetriever(index="papers.idx", k=5)
documents = retriever.invoke("robot arms")
better = retriever.refined(like=documents[:2], unlike=documents[4:])
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, field_validator, model_validator

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
    model_config = ConfigDict(extra="forbid")

    @field_validator("index")
    @classmethod
    def _opened(cls, index: Any) -> Index:
        return as_index(index)

    @field_validator("examples", "unlike")
    @classmethod
    def _several(cls, examples: Any) -> tuple[Any, ...]:
        return each(examples)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        self._retrieving()
        return self

    def refined(self, like: Any = (), unlike: Any = ()) -> LikewiseRetriever:
        """A retriever that has learned from documents that were good and from others."""
        new = self._retrieving().refined(like, unlike)
        values = {name: getattr(new, name) for name in ("by", "examples", "unlike")}
        kept = {name: getattr(self, name) for name in type(self).model_fields if name not in values}
        return type(self)(**kept, **values)

    def _retrieving(self, **instead: Any) -> Retrieving:
        """The settings as they are now, and for one call those given `instead`."""
        values = {field.name: getattr(self, field.name) for field in fields(Retrieving)}
        given = {name: value for name, value in instead.items() if value is not None}
        return Retrieving(**values | given)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: str | None = None,
    ) -> list[Document]:
        """`k` and `filter` are those of this call, as in invoke("robot arms", k=3)."""
        return [
            Document(id=one.hit.id, page_content=one.text, metadata=one.metadata)
            for one in self._retrieving(k=k, filter=filter)(query)
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **instead: Any
    ) -> list[Document]:
        manager = run_manager.get_sync()
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=manager, **instead
        )
