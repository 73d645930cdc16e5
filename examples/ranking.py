"""Ranking: learn the order itself, and measure it by the AUC on documents that were not seen.

Prints:
    RankSVM      AUC 0.996
    WeightedSVM  AUC 0.970
    BalancedSVM  AUC 0.996
    method rank: 10 of 10 right
"""

import numpy as np
from sklearn.metrics import roc_auc_score

from likewise import Index
from likewise.datasets import arxiv_sample, topics
from likewise.estimators import BalancedSVM, RankSVM, WeightedSVM

index = Index.create("arxiv.idx", latent=0)
index.add(arxiv_sample())
wanted = topics()["q-fin.ST"]

ids = index.ids()
y = np.array([1 if id in wanted else 0 for id in ids])
X = index.matrix()  # documents as rows of a sparse matrix, weighted by tf-idf
train = np.arange(len(ids)) % 2 == 0
for model in (RankSVM(), WeightedSVM(), BalancedSVM()):
    scores = model.fit(X[train], y[train]).decision_function(X[~train])
    print(f"{type(model).__name__:12} AUC {roc_auc_score(y[~train], scores):.3f}")

hits = index.like(wanted[:5], method="rank", k=10)  # the same on an index, in one call
print("method rank:", sum(id in wanted for id in hits.ids), "of 10 right")
