"""Search by words: scores are cosines, and explanations add up to them."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from likewise import Document, Index, UsageError
from likewise.text import Analyzer

QUERIES = [
    "quantum gases",
    "information retrieval",
    "Robot robot arm robot",
    "the knots of a surface",
    "unheardofword volatility",
    "stock market prices and their long range correlations in time",
]


@pytest.fixture(scope="module")
def index(arxiv):
    return arxiv


@pytest.fixture(scope="module")
def documents(index):
    """Each document's term counts, found anew from its text."""
    analyzer = Analyzer()
    counts = {}
    for id in index.ids():
        document = index.document(id)
        counts[id] = Counter(analyzer(document.title) + analyzer(document.text))
    return counts


def cosines(query: str, documents: dict[str, Counter]) -> dict[str, float]:
    """By the book: log tf · idf, both sides of unit length."""
    df = Counter(term for counts in documents.values() for term in counts)

    def weights(counts):
        idf = {term: math.log((len(documents) + 1) / df[term]) for term in counts if df[term]}
        return {term: (1 + math.log(counts[term])) * idf[term] for term in idf}

    def length(vector):
        return math.sqrt(sum(value**2 for value in vector.values()))

    q = weights(Counter(Analyzer()(query)))
    scores = {}
    for id, counts in documents.items():
        if q.keys() & counts.keys():
            d = weights(counts)
            product = sum(q[term] * d[term] for term in q.keys() & d.keys())
            scores[id] = product / (length(q) * length(d))
    return scores


@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_cosines(index, documents, query):
    expected = cosines(query, documents)
    hits = index.search(query, k=2000)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, abs=1e-12)
    assert [hit.rank for hit in hits] == list(range(1, len(expected) + 1))
    numbers = {id: number for number, id in enumerate(index.ids())}
    order = [(-hit.score, numbers[hit.id]) for hit in hits]
    assert order == sorted(order)
    assert index.search(query, k=7) == hits[:7]


def test_a_document_found_by_all_its_words_has_cosine_one(index):
    document = index.document(index.ids()[17])
    [best] = index.search(f"{document.title} {document.text}", k=1)
    assert (best.id, best.title) == (document.id, document.title)
    assert best.score == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("words", ["", "  ", "the of and", "qwxyz", "…—!", "\N{SNOWMAN}", "\x00"])
def test_no_known_word_finds_nothing(index, words):
    hits = index.search(words)
    assert hits == []
    assert hits.query is None


def test_documents_without_a_query_word_never_appear(index, documents):
    hits = index.search("knot", k=2000)
    assert {hit.id for hit in hits} == {id for id, counts in documents.items() if counts["knot"]}
    assert 0 < len(hits) < 2000


def test_words_are_weighted_as_the_documents_are(index, documents):
    """By plain counts the score of one word is its share of the document's length."""
    for hit in index.search("graph", k=50, weighting="counts"):
        counts = documents[hit.id]
        assert hit.score == pytest.approx(counts["graph"] / math.hypot(*counts.values()))
    by_raw = index.search("graph", k=1, weighting="raw")[0]
    assert by_raw.score == max(counts["graph"] for counts in documents.values())
    with pytest.raises(UsageError, match="'bm25'"):
        index.search("graph", weighting="bm25")


def test_ties_go_to_the_earlier_document(tmp_path):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document(name, "the same words") for name in "dacb"])
    assert [hit.id for hit in index.search("words", k=3)] == ["d", "a", "c"]


def test_both_ways_to_the_best_agree(index):
    """A long query is found by a scan, a short one by the inverted file; views always scan."""
    corpus = index.corpus()
    view = corpus.take(range(len(index)))
    for id in index.ids()[:5]:
        words = index.document(id).text
        hits = index.search(words, k=20)
        searcher = index.searcher
        vector = searcher.query_of(words, None)
        assert [(number, score) for number, score in view.top(vector, 20)] == [
            (index.ids().index(hit.id), hit.score) for hit in hits
        ]


@pytest.mark.parametrize("query", QUERIES)
def test_an_explanation_adds_up_to_the_score(index, documents, query):
    wanted = set(Analyzer()(query))
    for hit in index.search(query, k=5):
        explained = index.explain(hit, query)
        assert explained == index.explain(hit.id, query)
        assert (explained.id, explained.score) == (hit.id, pytest.approx(hit.score, abs=1e-9))
        assert sum(part.weight for part in explained.terms) == pytest.approx(hit.score, abs=1e-9)
        assert {part.term for part in explained.terms} == wanted & documents[hit.id].keys()
        sizes = [abs(part.weight) for part in explained.terms]
        assert sizes == sorted(sizes, reverse=True)


def test_explaining_what_does_not_match(index):
    id = index.search("knot")[0].id
    assert index.explain(id, "qwxyz") == (id, 0.0, [])
    with pytest.raises(UsageError, match="no document 'nowhere'"):
        index.explain("nowhere", "knot")


def test_an_explanation_by_another_weighting(index):
    hit = index.search("knot invariants", weighting="pivoted")[0]
    explained = index.explain(hit, "knot invariants", weighting="pivoted")
    assert explained.score == pytest.approx(hit.score, abs=1e-9)
    assert explained.score != pytest.approx(index.explain(hit, "knot invariants").score)


def test_results_do_not_depend_on_the_number_of_threads(index):
    others = [Index.open(index.path, threads=threads) for threads in (1, 2, 3)]
    for query in QUERIES:
        assert all(other.search(query, k=50) == index.search(query, k=50) for other in others)
