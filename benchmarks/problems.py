"""Problems to learn: some examples and a collection of unlabeled documents."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise import Index

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.corpus import Corpus
    from workspace import Workspace

GROUP = "rec.sport.hockey"
CATEGORY = "math.FA"
PER_EXAMPLE = 1.5  # C for each example: as a plain hinge loss, a slack weight of 3


class Problem(NamedTuple):
    """`labels` has a 1 for an example and a 0 for an unlabeled document."""

    name: str
    corpus: Corpus
    labels: NDArray[np.int64]
    C: float


class Labelled(msgspec.Struct):
    """What the collections say about a document."""

    id: str
    label: str = ""
    split: str = ""
    cats: list[str] = []
    title: str = ""
    text: str = ""


def labelled(source: Path) -> list[Labelled]:
    return msgspec.json.Decoder(Labelled).decode_lines(source.read_bytes())


def news_problem(workspace: Workspace) -> Problem:
    """One group's training messages as examples, all test messages unlabeled."""
    lines = workspace.news.read_bytes().splitlines(keepends=True)
    documents = labelled(workspace.news)
    chosen = [
        (line, document.split == "train")
        for line, document in zip(lines, documents, strict=True)
        if document.split == "test" or document.label == GROUP
    ]
    labels = np.array([is_example for _, is_example in chosen], np.int64)
    corpus = indexed(workspace, "news-problem", [line for line, _ in chosen])
    return Problem("20 Newsgroups", corpus, labels, PER_EXAMPLE * int(labels.sum()))


def arxiv_problem(
    workspace: Workspace, documents: int | None = None, examples: int = 100
) -> Problem:
    """Members of a category as examples, all else of the first so many documents unlabeled."""
    lines = workspace.arxiv.read_bytes().splitlines(keepends=True)[:documents]
    known = labelled(workspace.arxiv)[: len(lines)]
    members = [i for i, document in enumerate(known) if CATEGORY in document.cats]
    # Many examples are of all documents, few of the first, which smaller collections have, too.
    first_members = [i for i in members if i < 10_000 or examples > 1000]
    labels = np.zeros(len(lines), np.int64)
    labels[random.Random(0).sample(first_members, min(examples, len(first_members)))] = 1
    corpus = indexed(workspace, f"arxiv-problem-{len(lines)}", lines)
    return Problem("arXiv abstracts", corpus, labels, PER_EXAMPLE * int(labels.sum()))


def indexed(workspace: Workspace, name: str, lines: list[bytes]) -> Corpus:
    """The documents of these lines, numbered in their order."""
    source = workspace.directory / f"{name}.jsonl"
    source.write_bytes(b"".join(lines))
    path = workspace.fresh(f"{name}.idx")
    Index.create(path, latent=0).add(source)
    source.unlink()
    corpus = Index.open(path).corpus(weighting="tfidf")
    if corpus.shape[0] != len(lines):
        raise RuntimeError(f"{path} has {corpus.shape[0]} documents, not {len(lines)}")
    return corpus
