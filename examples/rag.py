"""RAG: find passages for a question, more like those that helped, and make a prompt of them.

A language model would get the prompt; any client of one will do.

Prints:
    Answer from these passages, and name them by their ids.
    ...
    [1706.08560#2] book grasping, grasping of objects of different sizes by ...
    Question: How do robots learn to grasp objects?
"""

from likewise import Document, Index
from likewise.datasets import arxiv_sample

QUESTION = "How do robots learn to grasp objects?"
HELPED = "1907.02555"  # a paper that the reader found useful

papers = Index.create("papers.idx")
papers.add(arxiv_sample())


def passages(document: Document) -> list[Document]:
    """Three sentences each, with an id that leads back to the paper."""
    sentences = document.text.replace("\n", " ").split(". ")
    pieces = [". ".join(sentences[start : start + 3]) for start in range(0, len(sentences), 3)]
    return [Document(f"{document.id}#{n}", piece) for n, piece in enumerate(pieces)]


found = papers.search(QUESTION, k=10).ids + papers.like(HELPED, k=10).ids
index = Index.create("passages.idx", latent=0)
for document in papers.documents(sorted({*found, HELPED})):
    index.add(passages(document))

print("Answer from these passages, and name them by their ids.\n")
for hit in index.search(QUESTION, k=4):
    print(f"[{hit.id}] {index.document(hit.id).text}\n")
print(f"Question: {QUESTION}")
