"""Embeddings by a model on this machine: how fast, and what is found with them."""

from __future__ import annotations

from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from harness import Figure, take_turns
from likewise import Document, Index
from likewise.errors import UsageError
from likewise.evaluation import measures
from likewise.evaluation.by_example.experiment import draw
from likewise.evaluation.by_example.minilm import exact
from likewise.evaluation.scores import all_scores
from likewise.views import runtime
from likewise.views.finding import DEFAULT, folder_of
from rows import Row, at_least, at_most, times
from workspace import LeftOutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workspace import Workspace

METHOD = (
    "all-MiniLM-L6-v2 as likewise runs it (in bytes, at most 64 tokens of a text) and the same "
    "model in float32 with up to 256 tokens, whose vectors are those of sentence-transformers; "
    "titles and abstracts of arXiv. Average precision by example: `auto` with words, latent space "
    "and embeddings on four collections with relevance judgements, 1, 2, 5 and 10 examples of "
    "each topic of the development halves, at most 160 searches a collection."
)
PACKAGES = ("likewise", "onnxruntime", "tokenizers")
WHOLE = "float32, 256 tokens"
ABSTRACTS, QUICK_ABSTRACTS = 256, 64
SEARCHES = 160
COLLECTIONS = ("cisi", "cranfield", "med", "time")  # small: float32 takes half a minute each
SMALL, QUICK_LETTERS = ("time",), 200  # of which its texts have thousands
AP = measures.parse("AP")


def rows(workspace: Workspace) -> Iterator[Row]:
    try:
        place = folder_of(DEFAULT)
    except UsageError as error:
        raise LeftOutError(str(error)) from error
    model, whole = runtime.OnnxModel(place), exact(place)
    number = QUICK_ABSTRACTS if workspace.quick else ABSTRACTS
    with workspace.arxiv.open("rb") as lines:
        records = [msgspec.json.decode(line) for line in islice(lines, number)]
    texts = [f"{record['title']}\n{record['text']}" for record in records]
    timings = take_turns(
        {"ours": lambda: model.encode(texts), "whole": lambda: whole(texts)}, workspace.rounds(3)
    )
    ours, theirs = (timings[name].rate(len(texts)) for name in ("ours", "whole"))
    yield Row("abstracts embedded", "a second", ours, WHOLE, theirs, times(4), more=True)
    yield Row("abstracts embedded", "a second", ours, goal=at_least(300), more=True)
    ratios = []
    for name in SMALL if workspace.quick else COLLECTIONS:
        ours, theirs = (mean_ap(workspace, name, one) for one in (model.encode, whole))
        ratios.append(ours / theirs)
        yield Row(name, "MAP", Figure(ours, ours), WHOLE, Figure(theirs, theirs), more=True)
    lost = 100 * (1 - fmean(ratios))
    yield Row("lost, mean of the collections", "%", Figure(lost, lost), goal=at_most(2))


def mean_ap(workspace: Workspace, name: str, encode: Callable[[list[str]], Any]) -> float:
    from likewise_studies.collections import data

    collection = data.collection(name, workspace.data)
    index = Index.create(workspace.fresh(f"embedded-{name}"))
    parts = zip(collection.ids, collection.titles, collection.texts, strict=True)
    index.add(Document(id=id, title=title, text=text) for id, title, text in parts)
    letters = QUICK_LETTERS if workspace.quick else None
    texts = [text.strip()[:letters] for text in collection.plain_texts]
    index.embed(encode(texts), source="model")
    jobs = [
        (size, topic)
        for size in (1, 2, 5, 10)
        for topic in data.topics(name, "development")
        if data.chosen()[name][topic] >= 2 * size
    ]
    some = np.random.default_rng(0).permutation(len(jobs))[:SEARCHES]
    return fmean(average_precision(index, collection, *jobs[i]) for i in sorted(some.tolist()))


def average_precision(index: Index, collection: Any, size: int, topic: str) -> float:
    members = collection.topics[topic]
    examples = draw(members, size, topic, 0)
    query = index.learn([collection.ids[number] for number in examples], method="auto")
    relevant = np.zeros(len(collection), np.bool_)
    relevant[members] = True
    rest = np.setdiff1d(np.arange(len(collection)), examples)
    ranking = measures.ranked(all_scores(query)[rest], relevant[rest])
    return AP(ranking, len(members) - len(examples))
