"""An index that was made with another stemmer: said, searched as it was made, and made anew."""

from __future__ import annotations

import warnings

import msgspec
import pytest

from helpers.command_line import run, succeed
from helpers.server_client import serving
from likewise import Document, Drifted, Index, UsageError
from likewise.document import Text
from likewise.readers import ReadOptions, read
from likewise.store import adding, transaction
from likewise.store.manifest import read_manifest, write_manifest
from likewise.text import Analyzer, AnalyzerSettings, drift, languages, probe
from likewise.text.probe_words import WORDS

# As PyStemmer 2.2 stemmed them.
OLDER = {"interval": "interv", "intervals": "interv", "organic": "organ", "lateral": "later"}
# Not among the words that an index keeps: only its documents can tell.
UNKNOWN = {"reticulated": "reticulated", "gradualism": "gradualis"}
TEXTS = {
    "1": "A confidence interval for the mean",
    "2": "Intervals of time",
    "3": "Organic chemistry",
    "4": "The lateral view",
    "5": "The organ of Corti",
    "6": "A reticulated python",
    "7": "Reticulate evolution",
    "8": "Gradualism in geology",
}


def older(words, stems):
    known = OLDER | UNKNOWN
    return [known.get(word, stem) for word, stem in zip(words, stems, strict=True)]


@pytest.fixture
def old(tmp_path):
    """An index whose documents were stemmed otherwise, with what its stemmer made of the probe."""
    path, settings = tmp_path / "old.idx", AnalyzerSettings()
    transaction.create(path, msgspec.to_builtins(settings), probe=probe(settings))
    documents = [Document(id, text) for id, text in TEXTS.items()]
    adding.add(path, read(documents, ReadOptions()), Analyzer(settings, older))
    manifest = read_manifest(path)
    stems = manifest.probe.stems | OLDER
    kept = msgspec.structs.replace(manifest.probe, stems=stems, stemmer="2.2.0.3")
    write_manifest(path, msgspec.structs.replace(manifest, probe=kept))
    return path


@pytest.fixture
def opened(old):
    with pytest.warns(Drifted):
        return Index.open(old)


def found(index, words):
    return {hit.id for hit in index.search(words)}


def test_a_new_index_keeps_what_its_analyzer_does(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index = Index.create(tmp_path / "new.idx")
        index.add([Document("1", "Intervals")])
        assert Index.open(tmp_path / "new.idx").info().notes == ()
    kept = read_manifest(tmp_path / "new.idx").probe
    assert kept == probe(AnalyzerSettings())
    assert len(kept.stems) > 150
    assert kept.stems["universities"]
    assert kept.letters
    assert kept.rules
    assert kept.unicode
    assert kept.stemmer


@pytest.mark.parametrize("language", sorted(WORDS))
def test_words_of_the_probe_are_such_that_stemmers_change(language):
    if language not in languages():
        pytest.skip(f"this PyStemmer knows no {language}")
    stems = probe(AnalyzerSettings(language=language)).stems
    assert len(stems) >= 8
    assert sum(word != stem for word, stem in stems.items()) > len(stems) / 2


def test_every_language_has_a_probe():
    assert set(languages()) - {"none"} - set(WORDS) <= {"sesotho"}


def test_opening_says_so_in_one_sentence(old):
    with pytest.warns(Drifted) as caught:
        index = Index.open(old)
    (warning,) = caught
    sentence = str(warning.message)
    assert "\n" not in sentence
    assert len(sentence) < 300 + 2 * len(str(old))
    for part in ("PyStemmer 2.2.0.3", "interval was interv", f"likewise reindex {old}"):
        assert part in sentence
    assert index.info().notes == (sentence,)


def test_words_find_what_they_found_before(opened):
    assert found(opened, "interval") == {"1", "2"}
    assert found(opened, "organic") == {"3", "5"}  # both were organ
    assert found(opened, "lateral") == {"4"}
    assert found(opened, "python") == {"6"}


def test_words_that_the_probe_lacks_are_found_by_their_documents(opened):
    assert found(opened, "reticulated") == {"6"}  # and not 7, whose stem it has today
    assert found(opened, "reticulate") == {"7"}
    assert found(opened, "gradualism") == {"8"}
    assert found(opened, "gradually") == set()  # no document has the word


def test_examples_from_outside_are_stemmed_as_the_index_was(opened):
    hits = opened.like(Text("confidence intervals"), method="rocchio")
    assert hits[0].id in ("1", "2")
    assert hits[1].id in ("1", "2")


def test_nothing_is_added_that_would_not_match(old, opened):
    before = read_manifest(old)
    with pytest.raises(UsageError, match=r"would not match.*interv.*likewise reindex"):
        opened.add([Document("9", "intervals again")])
    assert read_manifest(old) == before
    assert opened.delete("3") == 1  # other changes are made
    opened.merge()
    assert found(opened, "interval") == {"1", "2"}


def test_reindexing_brings_it_up_to_date(old, opened):
    opened.delete("4")
    identity, generation = read_manifest(old).identity, opened.generation
    opened.reindex()
    assert opened.generation == generation + 1
    assert opened.info().notes == ()
    assert opened.info().deleted == 0
    assert read_manifest(old).identity == identity
    assert "interv" not in opened.terms()
    assert "interval" in opened.terms()
    assert found(opened, "intervals") == {"1", "2"}
    assert found(opened, "organic") == {"3"}
    opened.add([Document("9", "an interval")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(Index.open(old), "interval") == {"1", "2", "9"}


def test_the_command_line_says_so_and_helps(old):
    stdout, stderr = succeed("search", old, "interval")
    assert len(stdout.splitlines()) == 3  # a heading, and two hits
    (line,) = stderr.splitlines()
    assert line.startswith("likewise: ")
    assert "likewise reindex" in line
    status, _, stderr = run("add", old, "-", input="an interval")
    assert status == 2
    assert "would not match" in stderr
    assert "8 documents" in succeed("reindex", old)[1]
    assert succeed("info", old)[1] == ""


def test_a_server_says_so_and_refuses_documents(old):
    with serving(old) as client:
        info = client.get("/v1/indexes/old").json()
        assert "PyStemmer 2.2.0.3" in info["notes"][0]
        assert str(old.parent) not in info["notes"][0]
        hits = client.get("/v1/indexes/old/search", params={"q": "interval"}).json()["hits"]
        assert {hit["id"] for hit in hits} == {"1", "2"}
        refused = client.post("/v1/indexes/old/documents", json={"documents": [{"text": "x"}]})
        assert refused.status_code == 422
        assert "would not match" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rules": 0}, "another way to split"),
        ({"unicode": "1.1", "letters": "00"}, "Unicode 1.1"),
        ({"stop_words": "00"}, "stop words"),
    ],
)
def test_other_parts_of_the_analyzer(change, said):
    settings = AnalyzerSettings()
    kept = msgspec.structs.replace(probe(settings), **change)
    assert said in drift(kept, settings).reason
    assert drift(kept, settings).stems == {}


def test_a_version_alone_is_no_drift():
    kept = msgspec.structs.replace(probe(AnalyzerSettings()), unicode="99.0", stemmer="99")
    assert drift(kept, AnalyzerSettings()) is None
    assert drift(None, AnalyzerSettings()) is None
