"""Transformers in PyTerrier's pipelines and experiments; nothing here starts Java."""

from __future__ import annotations

import pandas as pd
import pytest

from likewise import Index
from likewise.datasets import arxiv_sample, topics

pytest.importorskip("pyterrier", reason="needs pyterrier, of the extra likewise[adapters]")

import pyterrier as pt

from likewise.adapters.pyterrier import ByExample, Feedback, Retrieve

# PyTerrier's own use of pandas.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

WORDS = {"cs.RO": "robot", "math.GT": "knots and manifolds"}


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("pyterrier") / "papers.idx", threads=1, latent=0)
    index.add(arxiv_sample())
    return index


@pytest.fixture(scope="module")
def asked():
    return pd.DataFrame(list(WORDS.items()), columns=["qid", "query"])


@pytest.fixture(scope="module")
def qrels():
    judged = [(topic, id, 1) for topic in WORDS for id in topics()[topic]]
    return pd.DataFrame(judged, columns=["qid", "docno", "label"])


def test_words(papers, asked):
    found = Retrieve(papers, 3, columns=["title"])(asked)
    assert list(found.columns) == ["qid", "query", "docno", "title", "rank", "score"]
    hits = papers.search("robot", 3)
    mine = found[found.qid == "cs.RO"]
    assert list(mine.docno) == hits.ids
    assert list(mine["rank"]) == [0, 1, 2]
    assert list(mine.title) == [hit.title for hit in hits]
    assert list(Retrieve(papers.path, 3).search("robot").docno) == hits.ids


def test_operators(papers, asked):
    fused = (Retrieve(papers, 50) % 5) + (Retrieve(papers, 50, filter="created>=2010") % 5)
    assert set(fused(asked).groupby("qid").size()) <= set(range(5, 11))


def test_examples(papers):
    liked, others = topics()["cs.RO"][:3], topics()["math.GT"][:2]
    asked = pd.DataFrame([{"qid": "1", "like": liked, "unlike": others}])
    found = ByExample(papers, 5, method="rocchio")(asked)
    assert list(found.docno) == papers.like(liked, others, method="rocchio", k=5).ids
    assert found.unlike[0] == others


def test_blind_feedback(papers, asked):
    """The best ten are taken to be good; they may be found again, or not."""
    first = Retrieve(papers, 20)
    learned = (first >> Feedback(papers, 10, terms=5))(asked)
    assert list(learned["query_0"]) == list(WORDS.values())
    assert all(len(query.split()) == 5 and "^" in query for query in learned["query"])
    assert learned["query"][0].split("^")[0] == "robot"
    query = papers.learn(papers.search("robot", 10).ids)
    again = (first >> Feedback(papers) >> Retrieve(papers, 30))(asked)
    best = papers.run(query, 10).ids
    mine = list(again[again.qid == "cs.RO"].docno)
    assert [id for id in mine if id not in query.exclude][:10] == best
    assert set(query.exclude) <= set(mine)
    without = (first >> Feedback(papers, exclude=True) >> Retrieve(papers, 10))(asked)
    assert list(without[without.qid == "cs.RO"].docno) == best


def test_true_feedback(papers, asked, qrels):
    """Labels of qrels beside results: what is not judged is passed over."""
    first = Retrieve(papers, 20)(asked)
    labelled = first.merge(qrels, how="left", on=["qid", "docno"])
    labelled.loc[(labelled["rank"] < 10) & labelled.label.isna(), "label"] = 0
    known = labelled[(labelled.qid == "cs.RO") & labelled.label.notna()]
    liked, others = (list(known[known.label == label].docno) for label in (1, 0))
    assert liked
    found = (Feedback(papers, exclude=True) >> Retrieve(papers, 10))(labelled)
    wanted = papers.like(liked, others, k=10)
    assert list(found[found.qid == "cs.RO"].docno) == wanted.ids


def test_nothing_to_learn_from(papers, asked):
    unjudged = Retrieve(papers, 5)(asked).assign(label=None)
    learned = Feedback(papers)(unjudged)
    assert list(learned["query"]) == list(WORDS.values())
    assert list(Retrieve(papers, 5)(learned).docno) == list(unjudged.docno)


def test_an_experiment(papers, asked, qrels):
    """PyTerrier measures both; learning from known papers beats words, here."""
    words = Retrieve(papers, 100)
    known = qrels.groupby("qid").head(10)
    learned = pt.Transformer.from_df(asked.merge(known, on="qid")) >> Feedback(papers) >> words
    table = pt.Experiment(
        [words, learned], asked, qrels, ["recall_100"], names=["words", "learned"]
    )
    recall = table.set_index("name")["recall_100"]
    assert recall["learned"] > recall["words"] > 0


def test_pyterrier_can_look_into_them(papers):
    """A pipeline that does not fit together is found before it runs."""
    outputs = pt.inspect.transformer_outputs(Retrieve(papers) >> Feedback(papers), ["qid", "query"])
    assert {"qid", "query", "query_0", "likewise"} <= set(outputs)
    given = pt.inspect.transformer_outputs(ByExample(papers), ["qid", "like"])
    assert given == ["qid", "like", "docno", "rank", "score"]


def test_bad_use(papers, asked):
    """As PyTerrier's own: InputValidationError for columns, ValueError for settings."""
    for transformer, frame in (
        (Retrieve(papers), asked[["qid"]]),
        (ByExample(papers), asked),
        (Feedback(papers), asked),
    ):
        with pytest.raises(pt.validate.InputValidationError):
            transformer(frame)
    with pytest.raises(ValueError, match="k is 0: it must be 1 or more"):
        Retrieve(papers, 0)
    with pytest.raises(ValueError, match="is not a list of ids"):
        ByExample(papers)(pd.DataFrame([{"qid": "1", "like": "abc"}]))


def test_transformers_are_named_in_tables(papers, asked, qrels):
    """A table of results has these names, not addresses in memory."""
    learning = Feedback(papers, 3, method="rocchio")
    systems = [Retrieve(papers, 5), Retrieve(papers, 5) >> learning >> Retrieve(papers, 5)]
    named = list(pt.Experiment(systems, asked, qrels, ["P.5"])["name"])
    first = "Retrieve(papers, 5)"
    assert named == [first, f"({first} >> Feedback(papers, 3, 20, method='rocchio') >> {first})"]
    assert repr(ByExample(papers, 2, method="ba")) == "ByExample(papers, 2, method='ba')"


def test_a_missing_query_is_not_the_word_none(papers):
    with pytest.raises(ValueError, match="words is None: give the words"):
        Retrieve(papers, 3).transform(pd.DataFrame([{"qid": "1", "query": None}]))


def test_where_tables_were_joined_a_missing_list_is_empty(papers):
    liked = topics()["cs.RO"][:2]
    rows = [{"qid": "1", "like": liked, "unlike": float("nan")}, {"qid": "2", "like": liked}]
    found = ByExample(papers, 3, method="centroid").transform(pd.DataFrame(rows))
    assert list(found[found.qid == "1"].docno) == list(found[found.qid == "2"].docno)
    assert list(found[found.qid == "1"].docno) == papers.like(liked, method="centroid", k=3).ids


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda index: Retrieve(index, columns=["titel"]), "no document has a field 'titel'"),
        (lambda index: Retrieve(index, columns="title"), "fields is 'title': give names"),
        (lambda index: Retrieve(index, filter="year>>1"), "the filter 'year>>1' is not understood"),
        (lambda index: ByExample(index, methd="ba"), "unknown option 'methd'"),
        (lambda index: Feedback(index, method="best"), "unknown method 'best'"),
        (lambda index: Retrieve(f"{index.path}-not"), "no index at"),
    ],
)
def test_what_cannot_be_is_refused_when_a_pipeline_is_made(papers, make, why):
    with pytest.raises(ValueError, match=why):
        make(papers)
