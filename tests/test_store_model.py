"""Random changes to an index against a dictionary that changes alike."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from helpers.store_documents import add_texts, check_whole, counts_in, text_batch, texts_in, words
from likewise.errors import InputError, UsageError
from likewise.store import Snapshot, create, delete, merge

ids = st.sampled_from([f"id{number}" for number in range(12)])
texts = st.lists(st.sampled_from(["stu", "vw", "xyz", "äö"]), max_size=6).map(" ".join)
documents = st.lists(st.tuples(ids, texts), max_size=8)


class StoreAgainstDictionary(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.directory = Path(tempfile.mkdtemp()) / "index"
        create(self.directory, {})
        self.model = {}
        self.old = []

    def teardown(self):
        shutil.rmtree(self.directory.parent)

    @rule(batches=st.lists(documents, max_size=3), small=st.booleans())
    def add_or_refuse(self, batches, small):
        given = [id for batch in batches for id, _ in batch]
        fresh = len(set(given)) == len(given) and not self.model.keys() & set(given)
        try:
            self.add(batches, "error", small)
        except InputError:
            assert not fresh
        else:
            assert fresh
            self.model |= {id: text for batch in batches for id, text in batch}

    @rule(batches=st.lists(documents, max_size=3), small=st.booleans())
    def add_and_replace(self, batches, small):
        self.add(batches, "replace", small)
        for id, text in (pair for batch in batches for pair in batch):
            self.model.pop(id, None)  # it moves to the end
            self.model[id] = text

    @rule(batches=st.lists(documents, max_size=3), small=st.booleans())
    def add_and_skip(self, batches, small):
        self.add(batches, "skip", small)
        for id, text in (pair for batch in batches for pair in batch):
            self.model.setdefault(id, text)

    @rule(ids=st.sets(ids, max_size=4))
    def delete(self, ids):
        try:
            delete(self.directory, sorted(ids))
        except UsageError:
            assert not ids <= self.model.keys()
        else:
            for id in ids:
                del self.model[id]

    @rule(limit=st.sampled_from([5, 20, 2**32 - 1]))
    def merge(self, limit):
        merge(self.directory, max_entries=limit)

    @rule()
    def keep_open(self):
        self.old.append((Snapshot.open(self.directory), list(self.model)))

    @invariant()
    def agrees(self):
        assert texts_in(self.directory) == self.model
        assert list(texts_in(self.directory)) == list(self.model)
        assert counts_in(self.directory) == {id: words(t) for id, t in self.model.items()}
        check_whole(self.directory)
        numbers = Snapshot.open(self.directory).numbers([*self.model, "id99"])
        assert numbers.tolist() == [*range(len(self.model)), -1]

    @invariant()
    def what_is_open_stays(self):
        for snapshot, ids in self.old:
            assert snapshot.ids(range(len(snapshot))) == ids

    def add(self, batches, on_duplicate, small):
        made = [text_batch([t for _, t in b], ids=[id for id, _ in b]) for b in batches]
        memory = 1 if small else 1 << 28
        add_texts(self.directory, *made, on_duplicate=on_duplicate, memory=memory)


TestStoreAgainstDictionary = StoreAgainstDictionary.TestCase
TestStoreAgainstDictionary.settings = settings(
    max_examples=25, stateful_step_count=12, deadline=None
)
