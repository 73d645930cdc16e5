"""A review: judge page by page; each page is learned from all judgements so far.

Here the categories of the abstracts say what is relevant. A person would be asked.

Prints:
    page 1, by none: 8 of 10 relevant
    page 2, by two-class: 6 of 10 relevant
    page 3, by two-class: 7 of 10 relevant
    page 4, by two-class: 7 of 10 relevant
    28 found in 40 judged
    written to found.ris
"""

from likewise import Index
from likewise.datasets import arxiv_sample, topics

index = Index.create("arxiv.idx", latent=0)
index.add(arxiv_sample())
wanted = topics()["q-bio.PE"]

session = index.session("epidemics", query="spread of epidemics", reviewer="ann")
for _ in range(4):
    page = session.page
    labels = {hit.id: "relevant" if hit.id in wanted else "not" for hit in page.hits}
    relevant = list(labels.values()).count("relevant")
    print(f"page {page.number}, by {page.method}: {relevant} of {len(labels)} relevant")
    session.judge_all(labels)  # kept from now on, also if the program crashes

stats = session.stats()
print(f"{stats.relevant} found in {stats.judged} judged")
session.export("found.ris", records="relevant")
print("written to found.ris")
