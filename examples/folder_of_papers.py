"""A folder of papers: index it, search it by words, then by one of its own files.

Prints:
    9 documents from 9 files
    by words:   robots.txt, walking.txt
    like both:  grasping.txt
    the words:  grasp, robot
"""

from pathlib import Path

from likewise import Index

PAPERS = {
    "robots.txt": "Robot arms\nA robot arm learns to pick up parts by trial and error.",
    "walking.txt": "Legged robots\nA robot with four legs learns to walk on snow.",
    "grasping.txt": "Grasping\nHow a robot arm grasps objects that it has never seen.",
    "gripper.txt": "A soft gripper\nA gripper of rubber holds fruit; the arm moves it slowly.",
    "gases.txt": "Cold gases\nBosons in an optical lattice condense at low temperature.",
    "lattice.txt": "Lattices\nFermions in a lattice of light behave as a superfluid.",
    "knots.txt": "Knots\nAn invariant of knots from the fundamental group.",
    "finance.txt": "Volatility\nReturns of stocks have heavy tails and clustered volatility.",
    "storms.txt": "Storms\nTropical storms draw energy from the warm ocean.",
}

folder = Path("papers")
folder.mkdir(exist_ok=True)
for name, text in PAPERS.items():
    (folder / name).write_text(text)

index = Index.create("papers.idx")
added = index.add(folder)  # PDF, Word, HTML and references are read as well
print(f"{added.documents} documents from {len(PAPERS)} files")

found = index.search("robot learns", k=2)
print("by words:  ", ", ".join(found.ids))
hits = index.like(found, k=1)  # hits are examples; so are ids and paths of files
print("like both: ", ", ".join(hits.ids))
terms = index.explain(hits[0], hits.query).terms
print("the words: ", ", ".join(term for term, weight in terms[:2]))
