"""How far an exported query ranks elsewhere as here: renews the tables of docs/elsewhere.md.

Queries learned from five examples of each topic of the bundled collection, exported with 10, 20,
50, 100 and 200 terms, run on tantivy, Lucene (where LIKEWISE_LUCENE names its jars) and Qdrant's
local mode; Boolean queries on SQLite. Run: python tools/elsewhere_table.py
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from helpers.elsewhere_engines import (  # noqa: E402
    Lucene,
    Qdrant,
    Sqlite,
    Tantivy,
    bm25_vectors,
    lucene_is_there,
    mean,
    overlap,
    own_vectors,
    texts,
)
from likewise import Index  # noqa: E402
from likewise.datasets import arxiv_sample, topics  # noqa: E402

PAGE = ROOT / "docs" / "elsewhere.md"
SIZES = (10, 20, 50, 100, 200)
DEPTHS = (10, 100)
EXAMPLES = 5
DEEP = 400  # hits asked for, as examples among them do not count
MARKS = "<!-- {} -->", "<!-- end -->"


def weighted(index: Index, folder: Path) -> list[str]:
    learned = [index.learn(ids[:EXAMPLES]) for ids in topics().values()]
    ours = [index.run(query, max(DEPTHS)).ids for query in learned]
    documents = texts(index)
    tantivy, lucene = Tantivy(documents), Lucene(documents, folder)
    models = {
        "Qdrant, BM25": ("bm25", Qdrant(bm25_vectors(index), idf=True)),
        "Qdrant, vectors of the index": ("index", Qdrant(own_vectors(index), idf=False)),
    }
    rows: dict[str, list[str]] = {}
    for size in SIZES:
        texts_of = [index.export_query(query, "lucene", terms=size) for query in learned]
        rankings = {
            "told by the export": None,
            "tantivy": [tantivy.by_text(one.text, DEEP) for one in texts_of],
        }
        if lucene_is_there():
            rankings["Lucene"] = lucene.by_text([one.text for one in texts_of], DEEP)
        for name, (scoring, engine) in models.items():
            bodies = [
                index.export_query(query, "qdrant", terms=size, scoring=scoring).body
                for query in learned
            ]
            rankings[name] = [engine.by_body(body, DEEP) for body in bodies]
        for name, found in rankings.items():
            for depth in DEPTHS:
                share = mean(
                    texts_of[i].kept[depth]
                    if found is None
                    else overlap(ours[i], found[i], query.exclude, depth)
                    for i, query in enumerate(learned)
                )
                rows.setdefault(f"{name} | {depth}", []).append(f"{share:.0%}")
    for _, engine in models.values():
        engine.close()
    head = "| | of the first | " + " | ".join(f"{size} terms" for size in SIZES) + " |"
    return [head, "|---" * (len(SIZES) + 2) + "|", *(
        f"| {name} | {' | '.join(values)} |" for name, values in rows.items()
    )]  # fmt: skip


def boolean(index: Index) -> list[str]:
    """Each topic's documents are relevant and all others not; half of them are held back."""
    sqlite, whole = Sqlite(texts(index)), []
    for beta in (1.0, 2.0, 4.0):
        told = []
        for ids in topics().values():
            query = index.learn(ids[:EXAMPLES])
            half = ids[::2]
            others = [id for id in index.ids()[::2] if id not in ids]
            exported = index.export_query(query, "fts5", relevant=half, others=others, beta=beta)
            found, unseen = sqlite.found(exported.text), set(ids[1::2])
            rest = set(index.ids()[1::2]) - set(ids) - set(others) - set(half)
            true = len(found & unseen)
            result, held = exported.found, exported.found.held_out
            told.append((
                len(exported.terms), result.recall, result.precision, held.recall, held.precision,
                true / len(unseen), true / max(true + len(found & rest), 1),
            ))  # fmt: skip
        means = [mean(column) for column in zip(*told, strict=True)]
        figures = " | ".join(f"{value:.2f}" for value in means[1:])
        whole.append(f"| {beta:g} | {means[0]:.0f} | {figures} |")
    head = (
        "| β | terms | recall, judged | precision | by cross-validation: recall | precision "
        "| SQLite, documents not judged: recall | precision |"
    )
    return [head, "|---" * 8 + "|", *whole]


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        index = Index.create(Path(place) / "papers.idx")
        index.add(arxiv_sample())
        tables = {"ranking": weighted(index, Path(place)), "boolean": boolean(index)}
    page = PAGE.read_text()
    for name, lines in tables.items():
        print("\n".join(lines), "\n")
        begin, end = MARKS[0].format(name), MARKS[1]
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = "\n".join([before.rstrip(), "", begin, *lines, end, "", after.lstrip()])
    PAGE.write_text(page.rstrip() + "\n")


if __name__ == "__main__":
    main()
