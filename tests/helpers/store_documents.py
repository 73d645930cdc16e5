"""Documents for the tests of the store, and what an index holds as plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import msgspec
import numpy as np

from likewise import _core
from likewise.readers.batch import Batch, DenseBatch, SparseBatch, pack
from likewise.store import Snapshot, add
from likewise.store.arrays import all_rows
from likewise.text import Analyzer, AnalyzerSettings

PLAIN = AnalyzerSettings(language="none", stop_words=False, fields=("text",))


def text_batch(texts, source="papers.jsonl", first_line=1, ids=None):
    """A batch of {id: text}, or of texts with ids given apart."""
    ids = list(texts) if ids is None else ids
    texts = list(texts.values()) if isinstance(texts, dict) else texts
    return Batch(texts=[texts], **records(ids, texts, source, first_line))


def sparse_batch(rows, source="data.svm", first_line=1):
    """A batch of {id: {feature: value}}."""
    columns = [column for row in rows.values() for column in row]
    values = [value for row in rows.values() for value in row.values()]
    return SparseBatch(
        starts=np.cumsum([0, *map(len, rows.values())]),
        columns=np.array(columns, np.int64),
        values=np.array(values, np.float32),
        **records(list(rows), [""] * len(rows), source, first_line),
    )


def dense_batch(rows, source="vectors.npy", first_line=1):
    """A batch of {id: [value, …]}."""
    values = np.array(list(rows.values()), np.float32)
    return DenseBatch(values=values, **records(list(rows), [""] * len(rows), source, first_line))


def records(ids, texts, source, first_line):
    packed, ends = pack([{"id": id, "text": text} for id, text in zip(ids, texts, strict=True)])
    return {
        "ids": ids,
        "records": packed,
        "ends": ends,
        "sources": [source] * len(ids),
        "lines": np.arange(first_line, first_line + len(ids)),
    }


def add_texts(directory, *batches, settings=PLAIN, **options):
    """Add batches of texts, each given as a Batch or as {id: text}."""
    made = [text_batch(b) if isinstance(b, dict) else b for b in batches]
    return add(directory, made, Analyzer(settings), **options)


def texts_in(directory):
    """{id: text}, out of the records, in the order of the documents."""
    snapshot = Snapshot.open(directory)
    decoded = [msgspec.json.decode(snapshot.record(i)) for i in range(len(snapshot))]
    assert [record["id"] for record in decoded] == snapshot.ids(range(len(snapshot)))
    texts = {record["id"]: record["text"] for record in decoded}
    assert len(texts) == len(decoded), "an id is there twice"
    return texts


def counts_in(directory):
    """{id: {term: count}}, out of the rows."""
    snapshot = Snapshot.open(directory)
    names = snapshot.term_names(range(snapshot.terms))
    found = []
    for segment in snapshot.segments:
        live = np.arange(segment.documents, dtype=np.uint32)
        live = live if segment.live is None else segment.live
        starts, columns, counts = _core.Counts(segment.rows, segment.width).entries(live)
        for a, b in pairwise(starts):
            terms = [names[column] for column in columns[a:b]]
            found.append(dict(zip(terms, counts[a:b].tolist(), strict=True)))
    return dict(zip(snapshot.ids(range(len(snapshot))), found, strict=True))


def words(text):
    return dict(Counter(text.split()))


def check_whole(directory):
    """Checksums hold, and each segment's two matrices say the same."""
    snapshot = Snapshot.open(directory)
    snapshot.verify()
    assert sorted(snapshot.manifest.files) == sorted(
        str(path.relative_to(directory)) for path in (directory / "segments").iterdir()
    )
    for segment in snapshot.segments:
        rows = entries(segment.rows, segment.width)
        inverted, listed = segment.inverted, segment.listed
        if listed is not None:
            inverted = all_rows(inverted, listed, segment.width)
        columns = entries(inverted, segment.documents)
        assert sorted((j, i, count) for i, j, count in rows) == columns


def entries(arrays, width):
    """(row, column, count) of every entry, ascending."""
    matrix = _core.Counts(arrays, width)
    rows = matrix.shape[0]
    starts, columns, counts = matrix.entries(np.arange(rows, dtype=np.uint32))
    numbers = np.repeat(np.arange(rows), np.diff(starts))
    return list(zip(numbers.tolist(), columns.tolist(), counts.tolist(), strict=True))


def all_bytes(directory):
    """{name: content} of every file but the lock."""
    files = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {str(p.relative_to(directory)): p.read_bytes() for p in files if p.name != "lock"}
