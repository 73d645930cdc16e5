"""The options of Index' methods for type checkers and editors: names and types, as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

MethodName = Literal[
    "auto", "centroid", "1c", "rocchio", "ba", "pr", "p@k", "r@k", "f1", "prbep", "rank", "steady"
]
WeightingName = Literal["tfidf", "smooth", "counts", "pivoted", "damped", "unit", "raw"]
TargetName = Literal[
    "lucene", "elasticsearch", "opensearch", "qdrant", "vespa",
    "boolean", "pubmed", "ovid", "scopus", "wos", "fts5",
]  # fmt: skip
ViewName = Literal["words", "titles", "latent", "embeddings"]


class LearnOptions(TypedDict, total=False):
    """Those of likewise.search.methods.Options."""

    C: float | None
    C_per_example: float | None
    at: int | None
    scaling: Literal["balanced", "printed"] | None
    tol: float | None
    max_passes: int | None
    sample_unlabeled: int | None
    seed: int | None
    weights: Sequence[float] | None
    views: str | Sequence[str] | Mapping[str, float] | None
    budget: Literal["online", "offline"] | float | None


class ReadingOptions(TypedDict, total=False):
    """Those of likewise.readers.ReadOptions that a caller may give."""

    text_column: str | None
    title_column: str | None
    id_column: str | None
    format: str | None
    encoding: str | None
    ids_file: str | Path | None
    ids: Iterable[str] | None
    only: frozenset[Path] | None


def method_name(name: str) -> MethodName:
    """A name from a program's user, who is told by `learn` if there is no such method."""
    return cast("MethodName", name)


def weighting_name(name: str | None) -> WeightingName | None:
    """The same for a weighting."""
    return cast("WeightingName | None", name)
