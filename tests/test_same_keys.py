"""The same DOI or PMID under another id: counted, skipped or replaced; by a table of hashes."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import succeed, write_jsonl
from likewise import Index
from likewise.store.keys import KeyBuilder, keys_of

ONE = {"id": "1", "text": "robots", "doi": "10.1000/ABC"}
SPELLINGS = [
    "10.1000/abc", "https://doi.org/10.1000/ABC", "doi:10.1000/abc", "http://dx.doi.org/10.1000/Abc",
]  # fmt: skip


@pytest.fixture
def index(tmp_path):
    return Index.create(tmp_path / "k.idx", latent=0)


def other(number, **keys):
    return {"id": f"other-{number}", "text": f"whales {number}", **keys}


@pytest.mark.parametrize("doi", SPELLINGS)
@pytest.mark.parametrize("apart", [True, False])
def test_however_a_doi_is_written(index, doi, apart):
    """Against what is in the index, and within one addition."""
    batches = [[ONE], [other(2, doi=doi)]] if apart else [[ONE, other(2, doi=doi)]]
    added = [index.add(batch, on_duplicate="skip") for batch in batches][-1]
    assert (added.skipped, added.duplicates) == (1, {"doi": 1})
    assert index.ids() == ["1"]


def test_without_being_asked_both_are_kept_and_counted(index):
    index.add([ONE])
    added = index.add([other(2, doi="10.1000/abc"), other(3)])
    assert (added.documents, added.skipped, added.duplicates) == (2, 0, {"doi": 1})


@pytest.mark.parametrize("apart", [True, False])
def test_replacing_deletes_the_document_of_the_other_id(index, apart):
    new = other(2, doi="10.1000/abc")
    for batch in [[ONE], [new]] if apart else [[ONE, new]]:
        added = index.add(batch, on_duplicate="replace")
    assert (added.replaced, added.duplicates) == (1, {"doi": 1})
    assert index.ids() == ["other-2"]


def test_pmids(index):
    index.add([{**ONE, "pmid": 123}])
    added = index.add([other(2, pmid="PMID: 123"), other(3, pmid="124")], on_duplicate="skip")
    assert added.duplicates == {"pmid": 1}
    assert "other-3" in index


def test_ids_come_first(index):
    index.add([ONE])
    added = index.add([ONE, other(2, doi="10.1000/abc")], on_duplicate="replace")
    assert added.duplicates == {"id": 1, "doi": 1}
    assert index.ids() == ["other-2"]


def test_a_key_that_was_deleted_is_free(index):
    index.add([ONE])
    index.delete("1")
    assert not index.add([other(2, doi="10.1000/abc")], on_duplicate="skip").duplicates


def test_a_key_that_was_corrected_within_an_addition_is_free(index):
    corrected = {"id": "1", "text": "robots", "doi": "10.1000/other"}
    given_twice = [ONE, corrected, other(2, doi="10.1000/abc")]
    assert index.add(given_twice, on_duplicate="replace").duplicates == {"id": 1}
    assert index.ids() == ["1", "other-2"]


@pytest.mark.parametrize("memory", [1, 1 << 20])
def test_across_segments_and_merges(index, memory):
    index.add([other(n, doi=f"10.1000/{n}") for n in range(300)], memory=memory)
    index.merge()
    again = [{"id": f"new-{n}", "text": "x", "doi": f"10.1000/{n}"} for n in range(250, 350)]
    added = index.add(again, on_duplicate="skip")
    assert (added.documents, added.skipped) == (50, 50)


def test_vectors_have_no_keys(tmp_path, index):
    np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
    assert not index.add(tmp_path / "v.npy").duplicates
    index.verify()


def test_what_the_command_line_says(tmp_path):
    file = write_jsonl(tmp_path / "a.jsonl", ONE, other(2, doi="10.1000/abc"))
    _, said = succeed("index", file, "-o", tmp_path / "x.idx", "--no-latent")
    assert "1 of them has the DOI or PMID of another (likewise duplicates)" in said
    _, said = succeed("add", tmp_path / "x.idx", file, "--on-duplicate", "skip")
    assert "2 skipped because their ids were there already" in said
    new = write_jsonl(tmp_path / "b.jsonl", ONE, other(3, doi="10.1000/abc"))
    _, said = succeed("add", tmp_path / "x.idx", new, "--on-duplicate", "skip")
    assert "2 skipped as duplicates (1 by the id, 1 by the DOI)" in said


@given(st.lists(st.tuples(st.integers(1, 20), st.booleans()), max_size=30))
def test_the_table_finds_what_was_put_in(documents):
    records = [{"doi": f"10.1000/{n}"} if is_doi else {"pmid": n} for n, is_doi in documents]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    builder = KeyBuilder()
    builder.add(lines, len(records))
    found = keys_of(lines)
    table = builder.table().find(np.array([key.hash for key in found], np.uint64))
    assert len(found) == len(records)
    for key in found:
        same = [i for i, one in enumerate(documents) if one == documents[key.document]]
        assert sorted(table[key.hash]) == same


@given(st.text(max_size=40))
def test_whatever_stands_in_a_field_is_no_reason_to_fail(text):
    keys_of(msgspec.json.encode({"doi": text, "pmid": [text], "title": 1e400}) + b"\n")
