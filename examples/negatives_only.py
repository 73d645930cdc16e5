"""Negatives only: nothing on the first page is wanted, and that is all that is known.

The sea's surface is meant, but "surface" leads to mathematics and materials.

Prints:
    none: first found on page 4
    away: first found on page 2
    Lagrangian study of temporal changes of a surface flow through the Kamchatka Strait
    least like those rejected: ...
"""

from likewise import Index
from likewise.datasets import arxiv_sample, topics
from likewise.feedback import Ranker, Start

index = Index.create("arxiv.idx")
index.add(arxiv_sample())
wanted = set(topics()["physics.ao-ph"])

for method in ("none", "auto"):
    ranker = Ranker(index.searcher, Start(words="surface"), method=method)
    rejected: dict[str, bool] = {}
    page = ranker.page(10)
    number = 1
    while not wanted & set(page.hits.ids):
        rejected |= dict.fromkeys(page.hits.ids, False)
        ranker.judge(rejected)  # all judgements so far
        page = ranker.page(10)
        number += 1
    print(f"{page.method}: first found on page {number}")
print(next(hit.title for hit in page.hits if hit.id in wanted))

# Without any words: the document that is least like those rejected.
away = index.like([], unlike=list(rejected), k=1)
print("least like those rejected:", away[0].title)
