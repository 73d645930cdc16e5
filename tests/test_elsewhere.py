"""Learned queries on other engines: they rank there as here, as far as their scoring allows."""

from __future__ import annotations

import itertools
import json
import random

import numpy as np
import pytest

from helpers.command_line import refuse, succeed
from helpers.elsewhere_engines import (
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
from likewise import Document, Index, Query, UsageError
from likewise.datasets import arxiv_sample, topics
from likewise.search.elsewhere import TARGETS
from likewise.search.elsewhere.boolean import Measured, covered, learn, measure
from likewise.search.elsewhere.boosts import Boost
from likewise.search.elsewhere.exporting import BOOLEAN, WEIGHTED
from likewise.search.elsewhere.literals import Literal, Literals
from likewise.search.elsewhere.syntax import DIALECTS, written
from likewise.search.elsewhere.weighted import elasticsearch, lucene, murmur3, qdrant, vespa
from likewise.search.typed import TargetName

TOPICS = ("cs.RO", "cs.IR", "math.GT", "q-bio.PE")


@pytest.fixture(scope="module")
def index(arxiv):
    return arxiv


@pytest.fixture(scope="module")
def queries(index):
    """Of words alone, so that nothing but the engine's scoring is between the rankings."""
    members = topics()
    return [
        index.learn(members[topic][:5], unlike=members[other][:3], method="steady", views="words")
        for topic, other in itertools.pairwise((*TOPICS, TOPICS[0]))
    ]


@pytest.fixture(scope="module")
def ours(index, queries):
    return [index.run(query, 100).ids for query in queries]


@pytest.fixture(scope="module")
def documents(index):
    return texts(index)


@pytest.fixture(scope="module")
def tantivy(documents):
    return Tantivy(documents)


def agreement(ours, rankings, queries, depth):
    pairs = zip(ours, rankings, queries, strict=True)
    return mean(overlap(mine, theirs, query.exclude, depth) for mine, theirs, query in pairs)


# Engines that rank


def test_tantivy_ranks_a_query_string_as_it_was_told(index, queries, ours, tantivy):
    exported = [index.export_query(query, "lucene", terms=100) for query in queries]
    found = [tantivy.by_text(one.text, 300) for one in exported]
    for depth in (10, 100):
        reached = agreement(ours, found, queries, depth)
        told = mean(one.kept[depth] for one in exported)
        assert reached > 0.65
        assert abs(reached - told) < 0.05
    assert any("(*:* -" in one.text for one in exported)


def test_the_body_of_a_search_means_the_same_as_the_string(index, queries, tantivy):
    for query in queries:
        text = index.export_query(query, "lucene", terms=40)
        body = index.export_query(query, "elasticsearch", terms=40, fields=["text"])
        assert json.loads(body.text) == body.body
        assert tantivy.by_body(body.body, 50) == tantivy.by_text(text.text, 50)
        assert (body.kept, body.boosts) == (text.kept, text.boosts)


def test_more_terms_keep_more_of_the_ranking(index, queries):
    kept = [
        mean(index.export_query(query, "lucene", terms=terms).kept[100] for query in queries)
        for terms in (5, 20, 100)
    ]
    assert kept == sorted(kept)
    assert kept[0] > 0.4
    assert kept[2] > 0.7


def test_qdrant_ranks_by_its_own_model(index, queries, ours):
    engine = Qdrant(bm25_vectors(index), idf=True)
    bodies = [index.export_query(query, "qdrant", terms=100).body for query in queries]
    found = [engine.by_body(body, 300) for body in bodies]
    engine.close()
    assert agreement(ours, found, queries, 100) > 0.65


def test_qdrant_ranks_vectors_of_the_index_exactly(index, queries, ours):
    """With all terms, but for rounding and for two terms of one hash.

    One query is enough: it has thousands of terms, of which the client compares each with each
    document's.
    """
    engine = Qdrant(own_vectors(index), idf=False)
    body = index.export_query(queries[0], "qdrant", terms=100_000, scoring="index").body
    found = [engine.by_body(body, 300)]
    engine.close()
    assert agreement(ours[:1], found, queries[:1], 10) == 1
    assert agreement(ours[:1], found, queries[:1], 100) >= 0.99


@pytest.mark.skipif(not lucene_is_there(), reason="LIKEWISE_LUCENE names no jars of Lucene")
def test_lucene_ranks_a_query_string_as_it_was_told(index, queries, ours, documents, tmp_path):
    exported = [index.export_query(query, "lucene", terms=100) for query in queries]
    found = Lucene(documents, tmp_path).by_text([one.text for one in exported], 300)
    told = mean(one.kept[100] for one in exported)
    assert abs(agreement(ours, found, queries, 100) - told) < 0.05


def test_whole_words_are_written_and_not_stems(index, queries):
    exported = index.export_query(queries[0], "lucene", terms=20)
    assert any(one.word != one.term for one in exported.boosts)
    for one in exported.boosts:
        assert index.analyzer(one.word) == [one.term]


def test_what_no_term_can_say_is_told(index, tmp_path):
    examples = topics()["cs.RO"][:3]
    query = index.learn(examples, method="steady", views="words,titles")
    exported = index.export_query(query, "lucene")
    assert exported.notes == ("the query's part of titles cannot be written as terms: left out",)
    saved = query.portable.export("elasticsearch", terms=5)
    assert "no index was given" in saved.notes[0]
    assert (saved.kept, len(saved.terms)) == ({}, 5)
    exported.save(tmp_path / "q.txt")
    assert (tmp_path / "q.txt").read_text() == f"{exported.text}\n"
    assert str(exported) == exported.text
    assert len(repr(exported)) < 200


BOOSTS = (
    Boost("robot", "robots", 2.0, 3.25),
    Boost("visual servo", "visual servoing", 1.0, 1e-7),
    Boost("c++", 'c"++', 1.0, 12345.678),
    Boost("or", "or", 1.0, 1.0),
    Boost("heat", "heat", -1.0, -0.5),
)


def test_the_syntax_of_lucene():
    assert lucene(BOOSTS, ()) == (
        '+(robots^3.25 "visual servoing"^0.0000001 c\\"\\+\\+^12350 "or"^1) (*:* -heat)^0.5'
    )
    assert lucene(BOOSTS[:1], ["title", "text"]) == "title:(robots^3.25) text:(robots^3.25)"
    assert lucene([BOOSTS[0], BOOSTS[4]], ["t"]) == "+(t:(robots^3.25)) (*:* -t:heat)^0.5"


def test_the_bodies_of_searches():
    assert elasticsearch(BOOSTS[:1], ["text"]) == {
        "query": {
            "bool": {
                "should": [{"match": {"text": {"query": "robots", "boost": 3.25}}}],
                "minimum_should_match": 1,
            }
        }
    }
    several = elasticsearch([BOOSTS[1], BOOSTS[0], BOOSTS[4]], ["title", "text"])
    should = several["query"]["bool"]["must"][0]["bool"]["should"]
    assert [next(iter(one)) for one in should] == ["multi_match", "combined_fields"]
    (lacking,) = several["query"]["bool"]["should"]
    assert lacking["constant_score"]["boost"] == 0.5


def test_sparse_vectors():
    body = qdrant(BOOSTS, [one.boost for one in BOOSTS])
    assert body["query"]["indices"] == sorted(body["query"]["indices"])
    place = body["query"]["indices"].index(abs(murmur3(b"heat")))
    assert body["query"]["values"][place] == -0.5
    asked = vespa([BOOSTS[0], BOOSTS[4]], [3.25, -0.5], ["text"])
    assert asked["yql"] == (
        'select * from sources * where weakAnd(text contains ({weight: 325}"robots"))'
    )
    assert asked["input.query(likewise)"] == "{'robot':3.25,'heat':-0.5}"


def test_the_hash_is_that_of_qdrants_model():
    mmh3 = pytest.importorskip("mmh3")
    rng = random.Random(3)
    for length in range(40):
        data = rng.randbytes(length)
        assert murmur3(data) == mmh3.hash(data)
    assert murmur3("größe".encode()) == mmh3.hash("größe")


# Boolean queries


def test_sqlite_finds_what_a_boolean_query_is_said_to_find(index, queries, documents):
    sqlite = Sqlite(documents)
    for query in queries:
        exported = index.export_query(query, "fts5")
        found = sqlite.found(exported.text)
        told = exported.found
        assert abs(len(found) - told.documents) <= max(3, 0.05 * told.documents)
        best = {*index.run(query, 100).ids, *query.gathered.ids[:5]}
        assert abs(len(found & best) / len(best) - told.recall) < 0.05
        assert len(exported.terms) <= 20


def test_judged_documents_and_estimates_for_others(index, queries, documents):
    """Half of a topic is judged; what is told by cross-validation is found in the other half."""
    sqlite, members = Sqlite(documents), topics()
    told, reached = [], []
    for query, topic in zip(queries, TOPICS, strict=True):
        half = members[topic][::2]
        others = [id for id in index.ids()[::2] if id not in members[topic]]
        exported = index.export_query(query, "fts5", relevant=half, others=others)
        unseen = set(members[topic][1::2])
        told.append(exported.found.held_out.recall)
        reached.append(len(sqlite.found(exported.text) & unseen) / len(unseen))
        assert exported.found.judged
        assert exported.found.recall >= told[-1] - 0.05
    assert abs(mean(told) - mean(reached)) < 0.1


def test_recall_counts_more_with_a_larger_beta(index, queries):
    members = topics()[TOPICS[0]]
    found = [
        index.export_query(queries[0], "boolean", relevant=members, beta=beta).found
        for beta in (0.5, 2, 8)
    ]
    assert [one.recall for one in found] == sorted(one.recall for one in found)
    assert found[0].precision > found[2].precision


@pytest.mark.parametrize("to", BOOLEAN)
def test_every_dialect_says_the_same(index, queries, to):
    plain = index.export_query(queries[0], "boolean", terms=6)
    other = index.export_query(queries[0], to, terms=6)
    assert (other.terms, other.found) == (plain.terms, plain.found)


ROBOT, STUDY = Literal("robot", ("robot",), truncated=True), Literal("studi", ("studies", "study"))
PHRASE, NOT = Literal("visual servo", ("visual servoing",)), Literal("not", ("not",))
CLAUSES = [(0,), (1, 2), (3, 1), (4, 2)]
LITERALS = {0: ROBOT, 1: STUDY, 2: PHRASE, 3: ROBOT, 4: NOT}
WRITTEN = {
    "boolean": 'robot* OR ((studies OR study) AND ("visual servoing" OR robot*)) OR '
    '("not" AND "visual servoing")',
    "pubmed": 'robot*[tiab] OR ((studies[tiab] OR study[tiab]) AND ("visual servoing"[tiab] OR '
    'robot*[tiab])) OR ("not"[tiab] AND "visual servoing"[tiab])',
    "ovid": "robot*.ti,ab. OR ((studies.ti,ab. OR study.ti,ab.) AND "
    "((visual adj servoing).ti,ab. OR robot*.ti,ab.)) OR "
    '("not".ti,ab. AND (visual adj servoing).ti,ab.)',
    "scopus": 'TITLE-ABS-KEY(robot* OR ((studies OR study) AND ("visual servoing" OR robot*)) OR '
    '("not" AND "visual servoing"))',
    "wos": 'TS=(robot* OR ((studies OR study) AND ("visual servoing" OR robot*)) OR '
    '("not" AND "visual servoing"))',
    "fts5": '"robot"* OR (("studies" OR "study") AND ("visual servoing" OR "robot"*)) OR '
    '("not" AND "visual servoing")',
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_syntax_of_databases(dialect):
    assert written(CLAUSES, LITERALS, dialect) == WRITTEN[dialect]


def test_terms_are_truncated_where_that_adds_little(tmp_path):
    index = Index.create(tmp_path / "words.idx")
    index.add(
        [
            *(Document(f"r{n}", f"robots and robotic arms in study {n}") for n in range(10)),
            *(Document(f"o{n}", f"robot arms and other studies {n}") for n in range(10)),
            *(Document(f"s{n}", f"students with several lessons {n}") for n in range(20)),
        ]
    )
    literals = Literals(index.searcher)
    assert literals("robot") == Literal("robot", ("robot",), truncated=True)
    assert literals("studi") == Literal("studi", ("studies", "study"))
    assert literals("arm") == Literal("arm", ("arm", "arms"))  # too short for a *
    found = literals.documents(Literal("studi", ("stud",), truncated=True))
    assert found.all()
    assert literals.documents(literals("robot")).sum() == 20


def brute_force(having, relevant, most, beta):
    """The best of all queries of at most `most` terms: tiny problems only."""
    terms = range(len(having))
    clauses = [(i,) for i in terms] + list(itertools.combinations(terms, 2))
    best = 0.0
    for size in range(1, 5):
        for chosen in itertools.combinations(clauses, size):
            if len({term for clause in chosen for term in clause}) <= most:
                best = max(best, measure(having, relevant, chosen).f(beta))
    return best


def test_the_greedy_choice_is_near_the_best_there_is():
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(12):
        relevant = rng.random(60) < 0.15
        likely = rng.random((7, 1)) * np.where(relevant, 0.9, 0.3)
        having = rng.random((7, 60)) < likely
        learned = learn(having, relevant, most=4, beta=2)
        best = brute_force(having, relevant, 4, 2)
        assert learned.here.f(2) <= best + 1e-12
        shares.append(learned.here.f(2) / best if best else 1.0)
    assert mean(shares) > 0.95
    assert min(shares) > 0.8


def test_a_hidden_query_is_found_again():
    rng = np.random.default_rng(1)
    having = rng.random((30, 2000)) < 0.1
    having[3] &= rng.random(2000) < 0.3
    relevant = covered(having, [(3,), (7, 11)])
    learned = learn(having, relevant, most=10)
    assert {frozenset(clause) for clause in learned.clauses} == {frozenset({3}), frozenset({7, 11})}
    assert (learned.here.recall, learned.here.precision) == (1, 1)
    assert learned.held_out == Measured(relevant.sum(), 0, 0)


def test_cross_validation_is_not_fooled_by_noise():
    """Terms that have nothing to do with relevance fit what is there, and nothing else."""
    rng = np.random.default_rng(2)
    having, relevant = rng.random((2000, 300)) < 0.02, np.arange(300) < 30
    learned = learn(having, relevant, most=20)
    assert learned.here.precision > 3 * learned.held_out.precision
    assert learned.held_out.precision < 0.2
    assert learned.held_out.recall < 0.3


def test_others_that_stand_for_several(index):
    having = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], bool)
    told = measure(having, np.array([1, 1, 0, 0], bool), [(0,)], worth=10)
    assert told == Measured(2, 10, 0)
    assert (told.recall, round(told.precision, 3)) == (1, 0.167)


# Errors, the command line, and HTTP


def test_what_cannot_be_exported(index, queries, tmp_path):
    query = queries[0]
    vectors = Index.create(tmp_path / "v.idx")
    vectors.add(np.eye(3), ids=["a", "b", "c"])
    for given, why in (
        ({"to": "google"}, "unknown engine 'google': choose lucene"),
        ({"to": "lucene", "terms": 0}, "terms is 0"),
        ({"to": "lucene", "scoring": "cosine"}, "unknown scoring"),
        ({"to": "lucene", "scoring": "index"}, "lucene ranks by BM25"),
        ({"to": "lucene", "relevant": ["a"]}, "are for a Boolean query"),
        ({"to": "lucene", "beta": 2}, "lucene ranks: beta is for a Boolean query"),
        ({"to": "pubmed", "fields": ["title"]}, "fields of its own"),
        ({"to": "pubmed", "others": ["a"]}, "others go with relevant"),
        ({"to": "pubmed", "relevant": []}, "no document is relevant"),
        ({"to": "pubmed", "beta": 0}, "beta is 0"),
        ({"to": "pubmed", "relevant": ["a b"]}, "no document 'a b'"),
        (
            {"to": "pubmed", "relevant": index.ids()[:3], "others": index.ids()[2:9]},
            "both relevant and among the others",
        ),
    ):
        with pytest.raises(UsageError, match=why):
            index.export_query(query, **given)
    with pytest.raises(UsageError, match="holds vectors"):
        vectors.export_query(query, "lucene")
    with pytest.raises(UsageError, match="is learned from documents: give an index"):
        query.portable.export("pubmed")
    with pytest.raises(UsageError, match="no term that counts for a document"):
        index.export_query({"robot": -1.0}, "lucene")


def test_targets_are_those_of_the_type():
    from typing import get_args

    assert set(get_args(TargetName)) == set(TARGETS) == set(WEIGHTED) | set(BOOLEAN)
    assert set(DIALECTS) == set(BOOLEAN)


def test_on_the_command_line(index, queries, tmp_path):
    queries[0].save(tmp_path / "q.json")
    text, said = succeed(
        "export-query", tmp_path / "q.json", "--to", "lucene", "--index", index.path,
        "--terms", 7,
    )  # fmt: skip
    exported = index.export_query(Query.load(tmp_path / "q.json"), "lucene", terms=7)
    assert text == f"{exported.text}\n"
    assert said == f"lucene: {exported.about}\n"
    succeed(
        "export-query", tmp_path / "q.json", "--to", "opensearch", "--field", "abstract",
        "-o", tmp_path / "body.json",
    )  # fmt: skip
    body = json.loads((tmp_path / "body.json").read_text())
    assert "abstract" in json.dumps(body)


def test_from_a_review_on_the_command_line(tmp_path):
    index = Index.create(tmp_path / "papers.idx")
    index.add(arxiv_sample())
    members = topics()["cs.RO"]
    session = index.session("robots", examples=members[:3])
    judged = dict.fromkeys(members[3:30], "relevant")
    judged |= {id: "not" for id in index.ids() if id not in members[:30]}
    session.judge_all(dict(list(judged.items())[:200]))
    index.learn(members[:3]).save(tmp_path / "q.json")
    ask = ("export-query", tmp_path / "q.json", "--to", "pubmed")
    text, said = succeed(*ask, "--index", index.path, "--session", "robots")
    assert "robot*[tiab]" in text
    assert "27 judged relevant" in said
    refuse(2, "--session goes with --index: .*", *ask, "--session", "robots")
    refuse(2, "no session 'none' in .*", *ask, "--index", index.path, "--session", "none")
    refuse(2, "a query for pubmed is learned from documents: give an index", *ask)


def test_over_http(client, index):
    members = topics()["cs.RO"]
    found = client.post(
        "/v1/indexes/arxiv/search", json={"positive": members[:3], "method": "centroid"}
    ).json()
    asked = f"/v1/indexes/arxiv/queries/{found['query']['id']}/export"
    ranked = client.post(asked, json={"to": "elasticsearch", "most": 5}).json()
    assert json.loads(ranked["text"])["query"]
    assert [one["first"] for one in ranked["kept"]] == [10, 100]
    assert len(ranked["boosts"]) == len(ranked["terms"]) == 5
    given = {"to": "pubmed", "relevant": members[:40], "beta": 3}
    boolean = client.post(asked, json=given).json()
    assert boolean["found"]["relevant"] == 40
    assert 0 < boolean["found"]["estimated_recall"] <= 1
    assert "[tiab]" in boolean["text"]
    assert client.post(asked, json={"to": "google"}).status_code == 422
    assert client.post(asked, json={"to": "pubmed", "relevant": ["none"]}).status_code == 404
    gone = "/v1/indexes/arxiv/queries/none/export"
    assert client.post(gone, json={"to": "lucene"}).status_code == 404
