"""Documents with topics, and the inputs of all methods: an index, and matrices for peers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from likewise.document import Document
from likewise.evaluation import cache
from likewise.evaluation.by_example.minilm import minilm
from likewise.index import Index
from likewise.text.stopwords import stop_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

ENGLISH = "english"


class Bm25(NamedTuple):
    """bm25s' index, the documents' terms by number, and how many documents have each."""

    retriever: Any
    tokens: Sequence[Sequence[int]]
    df: NDArray[np.int64]


@dataclass(frozen=True)
class Collection:
    """`topics` has the numbers of each topic's documents; `checksum` identifies the data."""

    name: str
    checksum: str
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    topics: Mapping[str, NDArray[np.int64]]
    language: str = ENGLISH  # of stemming and stop words, of ours and of peers

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Index:
        return Index.open(cache.kept_index(f"{self.name}-index", self.checksum, self._build))

    @cached_property
    def untitled_index(self) -> Index:
        """The same without the view of titles; the words of titles are among the words."""

        def build(place: Path) -> None:
            self._build(place, titles=False)

        return Index.open(cache.kept_index(f"{self.name}-untitled", self.checksum, build))

    def _build(self, place: Path, *, titles: bool | None = None) -> None:
        Index.create(place / "index", language=self.language, titles=titles).add(
            Document(id=id, title=title, text=text)
            for id, title, text in zip(self.ids, self.titles, self.texts, strict=True)
        )

    @cached_property
    def embedded_index(self) -> Index:
        """The same with embeddings as a view of the documents."""
        vectors = self.embeddings

        def build(place: Path) -> None:
            self._build(place)
            Index.open(place / "index").embed(vectors, source="all-MiniLM-L6-v2")

        return Index.open(cache.kept_index(f"{self.name}-embedded", self.checksum, build))

    @cached_property
    def plain_texts(self) -> list[str]:
        """Title and text joined, for peers without fields."""
        return [f"{title}\n{text}" for title, text in zip(self.titles, self.texts, strict=True)]

    @cached_property
    def tfidf(self) -> Any:
        """scikit-learn's tf-idf of words and pairs, as arxiv-sanity-lite sets it up."""
        return self._tfidf("tfidf", 2)

    @cached_property
    def tfidf_words(self) -> Any:
        """The same without pairs."""
        return self._tfidf("tfidf-words", 1)

    def _tfidf(self, what: str, longest: int) -> Any:
        from scipy.sparse import load_npz

        def make(place: Path) -> None:
            self._make_tfidf(place, longest)

        return load_npz(cache.kept(f"{self.name}-{what}", self.checksum, make) / "tfidf.npz")

    def _make_tfidf(self, place: Path, longest: int) -> None:
        from scipy.sparse import save_npz
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(
            strip_accents="unicode",
            stop_words=self._stop_words(),
            token_pattern=r"(?u)\b[a-zA-Z_][a-zA-Z0-9_]+\b",
            ngram_range=(1, longest),
            max_features=20_000,
            sublinear_tf=True,
            max_df=0.1,
            min_df=5,
            dtype=np.float32,
        )
        save_npz(place / "tfidf.npz", vectorizer.fit_transform(self.plain_texts))

    def _stop_words(self) -> str | list[str]:
        """scikit-learn has a list for English only; others get ours, without accents as it does."""
        if self.language == ENGLISH:
            return ENGLISH
        from sklearn.feature_extraction.text import strip_accents_unicode

        return sorted({strip_accents_unicode(word) for word in stop_words(self.language)})

    @cached_property
    def latent(self) -> NDArray[np.float64]:
        """200 dimensions of that tf-idf by scikit-learn's TruncatedSVD, rows of unit length."""
        place = cache.kept(f"{self.name}-latent", self.checksum, self._make_latent)
        return cast("NDArray[np.float64]", np.load(place / "latent.npy"))

    def _make_latent(self, place: Path) -> None:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.preprocessing import normalize

        vectors = TruncatedSVD(200, random_state=0).fit_transform(self.tfidf)
        np.save(place / "latent.npy", normalize(vectors))

    @cached_property
    def bm25(self) -> Bm25:
        """An index of bm25s with its stop words of the language, and stems."""
        import bm25s
        import Stemmer

        tokens = bm25s.tokenize(
            self.plain_texts,
            stopwords=self.language,
            stemmer=Stemmer.Stemmer(self.language),
            show_progress=False,
        )
        retriever = bm25s.BM25()
        retriever.index(tokens, show_progress=False)
        distinct = np.concatenate([np.unique(ids) for ids in tokens.ids])
        df = np.bincount(distinct.astype(np.int64), minlength=len(tokens.vocab))
        return Bm25(retriever, tokens.ids, df)

    @cached_property
    def embeddings(self) -> NDArray[np.float32]:
        def make(place: Path) -> None:
            np.save(place / "vectors.npy", minilm(self.plain_texts))

        place = cache.kept(f"{self.name}-embeddings", self.checksum, make)
        return cast("NDArray[np.float32]", np.load(place / "vectors.npy"))
