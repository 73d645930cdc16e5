"""`make demo`: index 2,000 abstracts, search by words and by example, and judge what was found.

The abstracts are from arXiv. Those in the category Populations and Evolution are to be found, so
that each hit is known to be right or wrong.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from likewise import Document, Hit, Index
from likewise.datasets import ARXIV_TOPICS, arxiv_sample, topics

PLACE = Path("demo.idx")
TOPIC = "q-bio.PE"
WORDS = "spread of epidemics"


def main() -> None:
    index = build()
    by_words(index)
    wanted = topics()[TOPIC]
    judged = by_example(index, wanted)
    by_feedback(index, wanted, judged)
    by_review(index, wanted)
    add_and_delete(index)
    print(f"\nThe index stays in {PLACE}. Try: .venv/bin/likewise search {PLACE} quantum gases")


def build() -> Index:
    if (PLACE / "manifest.json").exists():  # from an earlier run
        shutil.rmtree(PLACE)
        for file in PLACE.parent.glob(f"{PLACE}.sessions.sqlite*"):
            file.unlink()
    began = time.perf_counter()
    index = Index.create(PLACE)
    index.add(arxiv_sample())
    seconds, size = time.perf_counter() - began, index.info().bytes_on_disk / 1e6
    print(f"Indexed {len(index):,} abstracts in {seconds:.2f} s; {PLACE} takes {size:.1f} MB.")
    return index


def by_words(index: Index) -> None:
    heading(f'Search by words: "{WORDS}"')
    for hit in index.search(WORDS, k=5):
        print(f"  {hit.score:.3f}  {hit.title}")


def by_example(index: Index, wanted: list[str]) -> tuple[list[str], list[str]]:
    """Returns the ids that turned out right, the examples among them, and those that did not."""
    examples = wanted[:3]
    heading(f"Search by example: three papers on {ARXIV_TOPICS[TOPIC]}")
    for id in examples:
        print(f"  like   {index.document(id).title}")
    hits = index.like(examples, k=10)
    report(hits, wanted)
    right = [hit.id for hit in hits if hit.id in wanted]
    wrong = [hit.id for hit in hits if hit.id not in wanted]
    return examples + right, wrong


def by_feedback(index: Index, wanted: list[str], judged: tuple[list[str], list[str]]) -> None:
    right, wrong = judged
    heading(f"The same, told which were right and wrong: {len(right)} liked, {len(wrong)} not")
    hits = index.like(right, unlike=wrong, k=10)
    report(hits, wanted)
    up, down = hits.query.portable.heaviest(8)
    words = index.words_of(weight.term for weight in (*up, *down))
    print("  words that count for it:     ", ", ".join(words[weight.term] for weight in up))
    print("  words that count against it: ", ", ".join(words[weight.term] for weight in down))


def by_review(index: Index, wanted: list[str]) -> None:
    """Pages as `likewise review` shows them, judged by their category."""
    heading(f'A review that begins with "{WORDS}", ten documents a page')
    session = index.session("demo", query=WORDS, reviewer="demo")
    for _ in range(4):
        page = session.page
        right = sum(id in wanted for id in page.ids)
        print(f"  page {page.number}: {right:2} of {len(page.ids)} right")
        session.judge_all({id: "relevant" if id in wanted else "not" for id in page.ids})
    plain = sum(hit.id in wanted for hit in index.search(WORDS, k=40))
    print(f"  {session.stats().relevant} found in 40 judged; the words alone find {plain}")
    print(f"  the judgements are kept: .venv/bin/likewise judgements {PLACE} --name demo")


def add_and_delete(index: Index) -> None:
    heading("Adding a document and deleting it again")
    index.add([Document("note-1", "Zebrafish and their stripes.", title="A note on zebrafish")])
    print(f'  found "zebrafish stripes": {index.search("zebrafish stripes", k=1)[0].title}')
    index.delete("note-1")
    print(f"  deleted; {len(index):,} documents are left")


def report(hits: list[Hit], wanted: list[str]) -> None:
    for hit in hits:
        print(f"  {'right' if hit.id in wanted else 'wrong'}  {hit.title}")
    print(f"  {sum(hit.id in wanted for hit in hits)} of {len(hits)} are on the topic")


def heading(text: str) -> None:
    print(f"\n{text}")


if __name__ == "__main__":
    main()
