"""Search by example: every method by name, examples of every kind, and what is refused."""

from __future__ import annotations

import json
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from likewise import Document, Index, InputError, NotConverged, Text, UsageError
from likewise.datasets import topics
from likewise.search.methods import METHODS

TOPIC = "cs.IR"
ONLINE = [name for name, method in METHODS.items() if method.online]
OFFLINE = [name for name, method in METHODS.items() if not method.online]
WITH_C = [name for name, method in METHODS.items() if "C" in method.takes]
WEIGHTINGS = ["tfidf", "counts", "pivoted"]


@pytest.fixture(scope="module")
def index(arxiv):
    return arxiv


@pytest.fixture(scope="module")
def members():
    return topics()


@pytest.fixture(scope="module")
def examples(members):
    return members[TOPIC][:10]


def weights(query):
    return dict(zip(query.portable.terms, query.portable.weights, strict=True))


def assert_same_query(one, other, tolerance=1e-6):
    mine, theirs = weights(one), weights(other)
    for term in mine.keys() | theirs.keys():
        assert mine.get(term, 0) == pytest.approx(theirs.get(term, 0), abs=tolerance), term


def score(index, id, query):
    return index.explain(id, query).score


# Methods


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_every_method_finds_more_of_a_topic(index, members, method):
    """Of 2,000 documents one in 16 and one in 12 belong to these topics."""
    for topic in (TOPIC, "math.GT"):
        hits = index.like(members[topic][:10], method=method)
        assert len(hits) == 10
        assert sum(hit.id in members[topic] for hit in hits) >= 5
        assert [hit.rank for hit in hits] == list(range(1, 11))
        assert all(above.score >= below.score for above, below in pairwise(hits))


@pytest.mark.parametrize("method", METHODS)
def test_a_result_tells_how_it_came_about(index, examples, method):
    learned = index.like(examples, unlike=index.ids()[0], method=method).query.learned
    assert learned.method == method
    assert learned.reason == "it was asked for"
    assert (learned.examples, learned.unlike) == (10, 1)
    assert learned.unlabeled == (0 if method in ONLINE else len(index) - 11)
    assert learned.seconds > 0
    if method in ("centroid", "rocchio"):
        assert (learned.passes, learned.objective, learned.gap) == (1, None, None)
    else:
        assert learned.passes >= 1
        assert learned.objective > 0
        assert 0 <= learned.gap <= 1e-3


def test_a_large_cost_leaves_rocchio_behind(index, examples):
    """As C goes to 0, balanced accuracy's direction becomes Rocchio's."""
    rocchio = index.learn(examples, method="rocchio").solution.w
    small, large = (index.learn(examples, method="ba", C=C).solution.w for C in (1e-4, 100.0))

    def cosine(a, b):
        return a @ b / np.sqrt((a @ a) * (b @ b))

    assert cosine(rocchio, small) == pytest.approx(1, abs=1e-9)
    assert cosine(rocchio, large) < 0.95


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("method", ["1c", "rocchio", "ba", "steady", "rank", "pr", "p@k"])
def test_every_weighting_serves(index, members, examples, method, weighting):
    hits = index.like(examples, method=method, weighting=weighting)
    assert hits.query.weighting == weighting
    assert sum(hit.id in members[TOPIC] for hit in hits) >= 5


@pytest.mark.parametrize("method", ["ba", "steady", "rank", "pr", "f1", "p@k", "r@k", "prbep"])
def test_two_examples_are_not_too_few(index, members, method):
    """Methods that learn must not lose what the mean of two examples finds."""
    for topic in (TOPIC, "math.GT"):
        ids = members[topic]
        mean, learned = (index.like(ids[:2], method=m, k=20) for m in ("centroid", method))
        found = [sum(hit.id in ids for hit in hits) for hits in (mean, learned)]
        assert found[1] >= found[0] - 4


@pytest.mark.parametrize("method", ["ba", "rank", "pr", "p@k"])
def test_defaults_do_not_depend_on_the_length_of_documents(tmp_path, index, method):
    """Ten times as many of each word: longer rows, but the same ranking and the same scores."""
    documents = [index.document(id) for id in index.ids()[:80]]
    found = []
    for times in (1, 10):
        made = Index.create(tmp_path / f"{times}.idx")
        made.add([Document(d.id, f"{d.title} {d.text} " * times) for d in documents])
        liked = made.ids()[:5]
        hits = made.like(liked, method=method, weighting="raw", k=80, tol=1e-6)
        found.append({hit.id: hit.score for hit in hits})
    assert found[0] == pytest.approx(found[1], abs=0.02)


def test_results_do_not_depend_on_the_number_of_threads(index, examples):
    others = [Index.open(index.path, threads=threads) for threads in (1, 3)]
    for method in ("1c", "rocchio", "ba", "steady", "rank", "pr"):
        found = index.like(examples, method=method, k=50)
        assert all(other.like(examples, method=method, k=50) == found for other in others)


def test_progress_is_reported(index, examples):
    told = []
    index.like(examples, method="pr", progress=lambda *now: told.append(now))
    assert [now[0] for now in told] == sorted(now[0] for now in told)
    assert told[-1][2] <= told[0][2]


# Examples


@pytest.fixture
def given(tmp_path, index, examples):
    """The first five examples in five forms, the ids of the files being other ones."""
    documents = [index.document(id) for id in examples[:5]]
    texts = [f"{document.title}\n{document.text}" for document in documents]
    (tmp_path / "one.txt").write_text(texts[0])
    lines = [json.dumps({"title": d.title, "abstract": d.text}) for d in documents[1:3]]
    (tmp_path / "two.jsonl").write_text("\n".join(lines))
    return [
        tmp_path / "one.txt",
        tmp_path / "two.jsonl",
        Text(texts[3]),
        {"text": texts[4], "year": 1999},
        Document(None, texts[0]),
    ]


@pytest.mark.parametrize("method", ONLINE)
def test_an_example_from_outside_is_as_good_as_its_id(index, examples, given, method):
    inside = index.learn(examples[:5], method=method)
    outside = index.learn(given[:4], method=method)
    assert outside.learned.examples == 5
    assert_same_query(inside, outside)
    mixed = index.learn([examples[4], *given[:2], examples[3]], method=method)
    assert_same_query(inside, mixed)


@pytest.mark.parametrize("method", ["auto", *OFFLINE])
def test_examples_from_outside_are_learned_from(index, members, examples, method):
    documents = [index.document(id) for id in examples[:5]]
    hits = index.like(
        [Text(f"{d.title} {d.title} {d.text}") for d in documents], method=method, k=20
    )
    assert hits.query.learned.unlabeled == len(index)
    assert sum(hit.id in members[TOPIC] for hit in hits) >= 8


def test_one_example_needs_no_list(index, examples, given):
    for example in (examples[0], given[0], given[2], given[3], given[4]):
        assert index.like(example) == index.like([example])
    assert index.learn(given[1]).learned.examples == 2
    assert index.learn(given[0].parent).learned.examples == 3


@pytest.mark.parametrize("method", METHODS)
def test_a_document_that_is_in_the_index_is_that_one(index, examples, method):
    documents = [index.document(id) for id in examples[:3]]
    hits = index.like(documents, method=method)
    assert hits == index.like(examples[:3], method=method)
    assert hits.query.exclude == examples[:3]


@pytest.mark.parametrize("method", OFFLINE)
def test_it_does_not_matter_whether_examples_are_indexed(tmp_path, index, examples, method):
    """By plain counts, which do not know in how many documents a term is."""
    liked = [index.document(id) for id in examples[:3]]
    others = [index.document(id) for id in index.ids()[:60] if id not in examples]
    # All terms are known to the index also when the examples are not in it.
    longer = [Document(f"more than {d.id}", f"{d.text} {d.title}", d.title) for d in liked]
    small = Index.create(tmp_path / "small.idx")
    small.add([*liked, *others, *longer])
    tol = {} if method == "rocchio" else {"tol": 1e-5}
    inside = small.learn(examples[:3], method=method, weighting="counts", **tol)
    small.delete(examples[:3])
    outside = small.learn(liked, method=method, weighting="counts", **tol)
    assert inside.learned.unlabeled == outside.learned.unlabeled == len(small)
    # ½‖w‖² is in the objective: two points within a gap of the optimum are as near to each other.
    distance = np.linalg.norm(inside.solution.w - outside.solution.w)
    assert distance <= 2 * np.sqrt(2e-5 * (inside.learned.objective or 0)) + 1e-9


def test_a_file_that_was_indexed_is_known_again(tmp_path):
    (tmp_path / "a.txt").write_text("apples and pears")
    index = Index.create(tmp_path / "i.idx")
    index.add([tmp_path / "a.txt"])
    index.add([Document("b", "pears and plums"), Document("c", "bread")])
    hits = index.like(tmp_path / "a.txt", method="rocchio")
    assert [hit.id for hit in hits] == ["b", "c"]
    assert hits.query.learned.unlabeled == 2


def test_a_text_that_has_changed_is_not_the_indexed_one(tmp_path):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("1", "apples"), Document("2", "bread"), Document("3", "cider")])
    hits = index.like(Document("1", "bread, cider, bread"), method="centroid")
    assert [hit.id for hit in hits][:1] == ["2"]
    assert {hit.id for hit in hits} == {"1", "2", "3"}
    assert "1" not in hits.query.exclude


def test_a_document_of_the_same_words_is_the_indexed_one(tmp_path):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("1", "apples"), Document("2", "bread apples"), Document("3", "cider")])
    (tmp_path / "copy.txt").write_text("Bread, apples!")
    for copy in (Text("apples and bread"), Document("1", "bread apples"), tmp_path / "copy.txt"):
        hits = index.like(copy, method="rocchio")
        assert hits.query.exclude == ["2"]
        assert [hit.id for hit in hits] == ["1", "3"]


def test_different_texts_under_one_id_all_count(tmp_path):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("a", "apples"), Document("b", "bread"), Document("c", "cider")])
    query = index.learn([Document("x", "apples"), Document("x", "bread")], method="centroid")
    assert query.learned.examples == 2
    assert weights(query).keys() == {"appl", "bread"}


@pytest.mark.parametrize("options", [{}, {"bigrams": True}, {"fields": ["text", "note"]}])
def test_settings_of_the_index_hold_for_examples(tmp_path, options):
    documents = [
        Document("a", "Red apples and green apples", "On apples", note="Sweet apples"),
        Document("b", "Green pears", "On pears", note="Sour pears and apples"),
    ]
    index = Index.create(tmp_path / "i.idx", **options)
    index.add(documents)
    twin = Document("twin", documents[0].text, documents[0].title, **documents[0].fields)
    for weighting in WEIGHTINGS:
        inside, outside = (
            index.learn(one, method="centroid", weighting=weighting) for one in ("a", twin)
        )
        assert_same_query(inside, outside, 1e-12)


def test_the_same_example_twice_counts_once(index, examples, given):
    once = index.learn(examples[:2], method="centroid")
    again = [examples[0], examples[1], index.document(examples[0]), examples[1]]
    twice = index.learn(again, method="centroid")
    assert twice.learned.examples == 2
    assert_same_query(once, twice, 0)
    outside = index.learn([given[2], given[2], Text(given[2].text)], method="centroid")
    assert outside.learned.examples == 1


def test_judged_documents_are_left_out(index, examples):
    for method in ("1c", "steady"):
        hits = index.like(examples[:6], unlike=examples[6:], method=method, k=2000)
        assert len(hits) == 1990
        assert not {hit.id for hit in hits} & set(examples)
        assert hits.query.learned.unlabeled == (1990 if method == "steady" else 0)


def test_examples_may_be_badly_encoded_as_documents_may(tmp_path, index):
    (tmp_path / "latin.txt").write_bytes("Ranking in the café".encode("latin-1"))
    assert "rank" in weights(index.learn(tmp_path / "latin.txt"))


# Disliked documents


@pytest.mark.parametrize("method", METHODS)
def test_a_disliked_document_goes_down(index, examples, method):
    before = index.like(examples, method=method)
    for disliked in (before[0], before[9]):
        after = index.learn(examples, unlike=[disliked.id], method=method)
        assert score(index, disliked.id, after) < disliked.score - 1e-6


@pytest.mark.parametrize("method", ["centroid", "steady"])
def test_disliked_documents_may_come_from_outside(index, examples, method):
    worst = index.like(examples, method=method)[0]
    document = index.document(worst.id)
    after = index.learn(examples, unlike=Text(f"{document.title} {document.text}"), method=method)
    assert after.learned.unlike == 1
    assert score(index, worst.id, after) < worst.score


def test_liked_and_disliked_is_too_much(index, examples, given):
    with pytest.raises(UsageError, match=f"'{examples[0]}' is given both as liked and as disliked"):
        index.like(examples[:2], unlike=examples[0])
    with pytest.raises(UsageError, match="both as liked and as disliked"):
        index.like(given[0], unlike=[given[0]])
    with pytest.raises(UsageError, match="both as liked and as disliked"):
        index.like(index.document(examples[0]), unlike=examples[0])


# Weights and samples


def test_a_weight_of_two_is_two_thirds_of_the_mean(index, examples):
    one, two = (index.learn(id, method="centroid").solution.w for id in examples[:2])
    both = index.learn(examples[:2], method="centroid", weights=(2, 1)).solution.w
    np.testing.assert_allclose(both, (2 * one + two) / 3, atol=1e-15)


@pytest.mark.parametrize("method", sorted(METHODS.keys() - {"pr", "f1"}))
def test_a_heavier_example_scores_higher(index, examples, method):
    """As long as its score leaves something to be desired: C is small.

    In losses of contingency tables a weight multiplies the score; those of any size, pr and f1,
    are then content with a lower one.
    """
    cost = {"C": 0.01} if method in WITH_C else {}
    gained = []
    for heavy in ((5.0, 1.0, 1.0), (1.0, 1.0, 5.0)):
        query = index.learn(examples[:3], method=method, weights=heavy, **cost)
        gained.append(score(index, examples[0], query) - score(index, examples[2], query))
    assert gained[0] > gained[1]


def test_a_weight_is_of_an_example_as_given(tmp_path):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("a", "apples"), Document("b", "bread"), Document("c", "cider")])
    path = tmp_path / "two.jsonl"
    path.write_text('{"id": "a", "text": "apples"}\n{"id": "b", "text": "bread"}\n')
    query = index.learn([path, "c"], method="centroid", weights=(2.0, 1.0))
    assert_same_query(query, index.learn(["a", "b", "c"], method="centroid", weights=(2, 2, 1)))
    query = index.learn(["a", "c", "a"], method="centroid", weights=(1.0, 1.0, 3.0))
    assert_same_query(query, index.learn(["a", "c"], method="centroid", weights=(3.0, 1.0)))


@pytest.mark.parametrize("method", METHODS)
def test_equal_weights_change_nothing(index, examples, method):
    plain = index.like(examples, method=method)
    assert index.like(examples, method=method, weights=[1.0] * 10) == plain


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((1.0,), "1 weights for 2 examples"),
        ((1.0, 2.0, 3.0), "3 weights for 2 examples"),
        ((1.0, 0.0), "above 0"),
        ((1.0, -1.0), "above 0"),
        ((1.0, float("nan")), "above 0"),
        ((float("inf"), 1.0), "above 0"),
    ],
)
def test_weights_that_make_no_sense(index, examples, given, why):
    with pytest.raises(UsageError, match=why):
        index.like(examples[:2], method="centroid", weights=given)


@pytest.mark.parametrize("method", ["auto", *OFFLINE])
def test_a_sample_of_the_unlabeled_repeats_by_its_seed(index, members, examples, method):
    def run(seed):
        return index.like(examples, method=method, sample_unlabeled=200, seed=seed)

    one, same, other = run(1), run(1), run(2)
    assert one == same
    assert one.query.learned.unlabeled == 200
    assert weights(one.query) != weights(other.query)
    assert sum(hit.id in members[TOPIC] for hit in one) >= 5


def test_a_sample_leaves_the_judged_out_and_names_its_documents_right(index, examples):
    query = index.learn(examples[:8], examples[8:], method="ba", sample_unlabeled=50, seed=3)
    liked = [pair for pair in query.portable.support if pair.weight > 0]
    assert {pair.id for pair in liked} == set(examples[:8])
    rows = index.corpus().rows(query.solution.support)
    w = np.zeros(index.corpus().shape[1])
    np.add.at(w, rows.columns, np.repeat(query.solution.alphas, np.diff(rows.starts)) * rows.values)
    np.testing.assert_allclose(w, query.solution.w, atol=1e-9)


def test_a_sample_as_large_as_the_rest_is_the_rest(index, examples):
    assert index.like(examples, sample_unlabeled=5000, seed=1) == index.like(examples)


# What is refused


@pytest.mark.parametrize("method", METHODS)
def test_options_that_mean_nothing_to_a_method(index, examples, method):
    values = {
        "C": 1.0,
        "C_per_example": 1.0,
        "at": 20,
        "scaling": "balanced",
        "tol": 0.1,
        "max_passes": 500,
        "sample_unlabeled": 50,
        "weights": [1.0] * 10,
    }
    for option, value in values.items():
        if option in METHODS[method].takes:
            index.learn(examples, method=method, **{option: value})
        else:
            with pytest.raises(UsageError, match=f"method {method} .* does not use {option}:"):
                index.learn(examples, method=method, **{option: value})


def test_an_option_that_autos_choice_does_not_take(index, examples):
    with pytest.raises(
        UsageError,
        match=r"method centroid \(online, to stay within the budget: .* does not use C:",
    ):
        index.like(examples[0], C=1.0, budget="online")
    assert index.like(examples[0], C=1.0).query.learned.method == "steady"


@pytest.mark.parametrize("method", WITH_C)
@pytest.mark.parametrize("C", [0, -1.0, float("nan"), float("inf")])
def test_C_must_be_above_zero(index, examples, method, C):  # noqa: N802
    with pytest.raises(UsageError, match="C must be a number above 0"):
        index.like(examples, method=method, C=C)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"method": "svm"}, r"unknown method 'svm': choose auto, centroid, 1c"),
        ({"methd": "ba"}, r"unknown option 'methd': choose from C, C_per_example"),
        ({"tol": 0.0}, "tol is 0.0"),
        ({"tol": float("nan")}, "tol is nan"),
        ({"max_passes": 0}, "max_passes is 0"),
        ({"C": 1.0, "C_per_example": 1.0}, "both set the cost: give one of them"),
        ({"C_per_example": 0.0}, "C_per_example must be a number above 0"),
        ({"sample_unlabeled": 0}, "sample_unlabeled is 0: it must be 1 or more"),
        ({"sample_unlabeled": 9, "seed": -1}, "seed is -1"),
        ({"method": "ba", "seed": 1}, "seed has no effect without sample_unlabeled"),
        ({"budget": "offline", "seed": 1}, "seed has no effect without sample_unlabeled"),
        ({"seed": -1}, "seed is -1"),
        ({"budget": True}, "budget is True: it may be online"),
        ({"views": 5}, "views is 5: give names, as in 'words,latent'"),
        ({"views": {}}, "views is empty, but must contain words: write words"),
        ({"method": "ba", "views": []}, "views is empty"),
        ({"views": {"words": "2"}}, "view 'words' has factor '2'"),
        ({"method": "ba", "scaling": "even"}, "unknown scaling 'even': choose balanced, printed"),
        ({"method": "p@k", "at": 0}, "k must be a whole number"),
        ({"method": "r@k", "at": 2001}, "k=2001 is more than the 2000 documents"),
        ({"weighting": "bm25"}, "'bm25' does not fit"),
    ],
)
def test_wrong_options_are_told(index, examples, options, why):
    with pytest.raises(UsageError, match=why):
        index.like(examples, **options)


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_there_must_be_something_to_learn_from(tmp_path, index, method):
    (tmp_path / "empty.txt").write_text("")
    refused = {
        "no example was given": [],
        "none of the 2 examples has a term": [Text("qwxyz"), Text("the of")],
        "none of the 1 examples has a term": [tmp_path / "empty.txt"],
    }
    for why, examples in refused.items():
        with pytest.raises(UsageError, match=why):
            index.like(examples, method=method)


@pytest.mark.parametrize("method", OFFLINE)
def test_all_documents_may_not_be_judged(tmp_path, method):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("a", "apples"), Document("b", "bread")])
    with pytest.raises(UsageError, match="unlabeled"):
        index.like(["a", "b"], method=method)
    if method == "rank":  # for which judged documents to rank the example above are enough
        assert index.like("a", unlike="b", method=method) == []
        return
    with pytest.raises(UsageError, match="unlabeled"):
        index.like("a", unlike="b", method=method)


def test_examples_that_are_none(tmp_path, index):
    with pytest.raises(UsageError, match=r"no document 'new\.txt' in .*: give a file as a Path"):
        index.like("new.txt")
    with pytest.raises(InputError, match=r"there is no file or folder .*new\.txt"):
        index.like(tmp_path / "new.txt")
    with pytest.raises(UsageError, match="17 is not an example"):
        index.like(17)
    with pytest.raises(UsageError, match="None is not an example"):
        index.like([index.ids()[0], None])
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match=r"empty\.jsonl contains no document"):
        index.like(tmp_path / "empty.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"text": "ranking"}\n{"text": \n')
    with pytest.raises(InputError, match=r"bad\.jsonl, line 2: not valid JSON"):
        index.like(tmp_path / "bad.jsonl")
    np.save(tmp_path / "v.npy", np.ones((2, 2), np.float32))
    with pytest.raises(UsageError, match=r"v\.npy holds vectors"):
        index.like(tmp_path / "v.npy")


def test_one_example_and_one_other(tmp_path):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("a", "apples"), Document("b", "apples bread")])
    for method in METHODS:
        options = {"at": 2} if "at" in METHODS[method].takes else {}
        [hit] = index.like("a", method=method, **options)
        assert hit.id == "b", method


# Convergence


@pytest.mark.parametrize("method", ["ba", "steady", "rank", "pr", "f1", "p@k"])
def test_not_converging_is_said(index, examples, method):
    with pytest.warns(NotConverged, match=rf"method {method} stopped after \d+ passes.*gap of"):
        hits = index.like(examples, method=method, max_passes=2, tol=1e-9, C=100.0)
    assert hits.query.learned.gap > 1e-9


@pytest.mark.parametrize("call", ["like", "learn"])
def test_a_warning_points_to_the_line_that_asked(index, examples, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(index, call)(examples, method="ba", max_passes=1, tol=1e-9, C=100.0)
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]


@pytest.mark.parametrize("method", [m for m in METHODS if "max_passes" in METHODS[m].takes])
def test_one_pass_is_better_than_none(tmp_path, method):
    index = Index.create(tmp_path / "i.idx")
    index.add([Document("a", "apples"), Document("b", "apples bread"), Document("c", "cider")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        query = index.learn("a", method=method, max_passes=1)
    assert query.vector.weights.any()


def test_a_table_no_larger_than_the_examples_is_warned_of(index, examples):
    with pytest.warns(UserWarning, match="near the centroid"):
        index.like(examples, method="p@k", at=10)
