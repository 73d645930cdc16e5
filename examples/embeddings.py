"""Embeddings: vectors of your own model beside the words, and one query over both.

The model here is a small one, learned from the abstracts by scikit-learn. Any object with a
method `encode` will do, such as one of sentence-transformers; for one that is on your machine,
give its folder or name: `index.embed_with("all-MiniLM-L6-v2")`.

Prints:
    2000 documents embedded
    words              20 of 20 right
    words, embeddings  20 of 20 right
"""

import gzip
import json

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from likewise import Index
from likewise.datasets import arxiv_sample, topics


class Model:
    def __init__(self, texts: list[str]) -> None:
        words = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2)
        self._steps = make_pipeline(words, TruncatedSVD(100, random_state=0)).fit(texts)

    def encode(self, texts: list[str]) -> np.ndarray:
        return self._steps.transform(texts)


with gzip.open(arxiv_sample(), "rt") as lines:
    texts = [json.loads(line)["text"] for line in lines]
index = Index.create("arxiv.idx", latent=0)
index.add(arxiv_sample())
print(index.embed_with(Model(texts)), "documents embedded")

robots = topics()["cs.RO"]
for views in ("words", "words,embeddings"):
    hits = index.like(robots[:3], views=views, k=20)
    print(f"{views.replace(',', ', '):18} {sum(id in robots for id in hits.ids)} of 20 right")
