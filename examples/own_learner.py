"""One's own learner: a model of scikit-learn, and one in a few lines, as queries on an index.

Prints:
    logistic regression: 9 of 10 right, since 2015
    lines of NumPy:      9 of 10 right
    the words:           robot, end, assess, featur
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

from likewise import Index
from likewise.datasets import arxiv_sample, topics

index = Index.create("arxiv.idx", latent=0)
index.add(arxiv_sample())
wanted = topics()["cs.RO"]
liked = wanted[:10]
others = [id for id in index.ids()[:300] if id not in wanted]

# A fitted linear model runs with filters, explanations and saving.
model = LogisticRegression().fit(index.matrix(liked + others), [1] * 10 + [0] * len(others))
hits = index.run(index.as_query(model, exclude=liked), filter="created>=2015", k=10)
print("logistic regression:", sum(id in wanted for id in hits.ids), "of 10 right, since 2015")

# Two products with the documents are enough for a learner of one's own, of any size of index.
corpus = index.corpus()
y = np.where(np.isin(index.ids(), liked), 1.0, -1.0)
cost = np.where(y > 0, 1 / (y > 0).sum(), 1 / (y < 0).sum())
w = np.zeros(corpus.shape[1])
for _ in range(30):
    slope = cost * y / (1 + np.exp(y * corpus.scores(w)))  # of the logistic loss
    w -= 2.0 * (0.01 * w - corpus.weighted_sum(slope))
hits = index.run(index.as_query(w, exclude=liked), k=10)
print("lines of NumPy:     ", sum(id in wanted for id in hits.ids), "of 10 right")
terms = index.explain(hits[0], hits.query).terms
print("the words:          ", ", ".join(term for term, weight in terms[:4]))
