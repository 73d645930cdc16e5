"""The peers, each doing what likewise does in the same benchmark, as its own manual has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TANTIVY_HEAP = 500_000_000


class Record(msgspec.Struct):
    """The fields of a document that count for its vector."""

    id: str
    text: str
    title: str = ""

    @property
    def all_text(self) -> str:
        return f"{self.title}\n{self.text}"


def records(source: Path) -> Iterator[Record]:
    decoder = msgspec.json.Decoder(Record)
    with source.open("rb") as lines:
        yield from map(decoder.decode, lines)


def tantivy_index(source: Path, directory: Path, *, joined: bool = False) -> Any:
    """An index on disk, made by one writer thread; `joined` makes one field of title and text."""
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("id", stored=True, tokenizer_name="raw")
    for field in ("title", "text"):
        schema = schema.add_text_field(field, stored=True, tokenizer_name="en_stem")
    directory.mkdir()
    index = tantivy.Index(schema.build(), path=str(directory))
    writer = index.writer(heap_size=TANTIVY_HEAP, num_threads=1)
    for record in records(source):
        text = record.all_text if joined else record.text
        writer.add_document(tantivy.Document(id=record.id, title=record.title, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def sklearn_matrix(source: Path) -> Any:
    """The weighted matrix, in memory."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer().fit_transform(record.all_text for record in records(source))


def bm25s_tokens(texts: Sequence[str], *, return_ids: bool = True) -> Any:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    return bm25s.tokenize(
        texts, stemmer=stemmer, stopwords="en", return_ids=return_ids, show_progress=False
    )


def bm25s_index(source: Path) -> Any:
    tokens = bm25s_tokens([record.all_text for record in records(source)])
    return bm25s_from_tokens(tokens, len(tokens.ids))


def bm25s_from_tokens(tokens: Any, documents: int) -> Any:
    """An index of so many documents: the same again where there are too few."""
    import bm25s

    copies = -(-documents // len(tokens.ids))
    retriever = bm25s.BM25(backend="auto")
    retriever.index(tokens._replace(ids=(tokens.ids * copies)[:documents]), show_progress=False)
    return retriever
