"""Watching: papers come into a folder; those that match a saved query go into a feed.

`likewise watch` does the same from the terminal, every 30 seconds.

Prints:
    first look: 0 entries
    second look: 1 entry
    hands.txt: Soft hands
    new.xml is a feed: True
"""

from pathlib import Path

from likewise import Index
from likewise.datasets import arxiv_sample, topics
from likewise.watching import Watch
from likewise.watching.watch import Settings

index = Index.create("arxiv.idx", latent=0)
index.add(arxiv_sample())
index.learn(topics()["cs.RO"][:5], method="rocchio").portable.save("robots.json")

inbox = Path("inbox")
inbox.mkdir()
# A file is read once it has been left alone for `settle` seconds.
settings = Settings(min_score=0.02, settle=0)
watch = Watch(index, inbox, ["robots.json"], ["new.xml"], settings)
print("first look:", len(watch.look().entries), "entries")  # what is there is no news

(inbox / "hands.txt").write_text("Soft hands\nA robot hand of rubber grasps what it is given.")
(inbox / "pie.txt").write_text("Apple pie\nButter, flour, sugar and six apples.")
entries = watch.look().entries
print("second look:", len(entries), "entry")
for entry in entries:
    print(f"{entry.id}: {entry.title}")
print("new.xml is a feed:", "<feed" in Path("new.xml").read_text())
