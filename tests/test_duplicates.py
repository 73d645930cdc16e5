"""Near-duplicates: what is the same paper, and what only looks like it."""

from __future__ import annotations

import csv
import io
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.command_line import refuse, succeed
from helpers.server_client import serving
from likewise import Index
from likewise.duplicates import candidates
from likewise.duplicates.compare import compare_titles, distance, is_slip
from likewise.duplicates.find import LARGE
from likewise.duplicates.groups import Links, joined
from likewise.duplicates.people import as_names, people, same_people
from likewise.duplicates.titles import Title, fold
from likewise.errors import UsageError

TITLE = "Vitamin D for the management of asthma in adults: a systematic review"
ABSTRACT = (
    "Several observational studies and clinical trials have investigated whether supplementation "
    "modifies the risk of severe exacerbations requiring treatment with systemic corticosteroids "
    "among people with persistent disease, yet findings from individual trials remain equivocal."
)
OTHER = (
    "Chemical accelerators operated by hospitals near large rivers were surveyed by telephone; "
    "engineers reported maintenance schedules, spare parts, outages, training of new operators, "
    "budgets, regional differences and attitudes towards modern digital documentation systems."
)


def paper(title=TITLE, text=ABSTRACT, authors=("Doe, Jane", "Roe, Richard"), year=2016, **more):
    values = {"title": title, "abstract": text, "authors": list(authors), "year": year, **more}
    return {name: value for name, value in values.items() if value}


def groups_of(folder, *records, **options):
    index = Index.create(folder / "d.idx", latent=0)
    index.add([{**record, "id": str(number)} for number, record in enumerate(records)])
    return [sorted(group.ids) for group in index.duplicates(**options).groups]


COPIES = {
    "case": paper(title=TITLE.upper()),
    "punctuation": paper(title=f"[{TITLE.replace(':', ' -')}.]"),
    "initials": paper(authors=("Doe J", "Roe R"), text=""),
    "given names first": paper(authors=("Jane Doe", "Richard Roe"), text=""),
    "no abstract": paper(text=""),
    "no authors and no abstract": paper(text="", authors=()),
    "truncated abstract": paper(text=ABSTRACT[:150]),
    "a notice": paper(text=f"{ABSTRACT} © 2016 Elsevier Ltd. All rights reserved."),
    "entities and markup": paper(title=TITLE.replace("Vitamin D", "<i>Vitamin</i>&nbsp;D")),
    "accents": paper(title=TITLE.replace("e", "é")),
    "a slip": paper(title=TITLE.replace("management", "managment")),
    "spelling": paper(title=TITLE.replace("asthma", "asthmas")),
    "the year after": paper(year=2017, text=""),
    "a preprint": paper(title=f"The {TITLE}", year=2015, doi="10.1101/2015.1"),
    "a new title": paper(title="Vitamin D for managing asthma in adults: systematic review"),
}
OTHERS = {
    "part one": paper(title=f"{TITLE}: part I", text=""),
    "part B": paper(title=f"{TITLE}, part B", text=""),
    "an update": paper(title=f"{TITLE}: update 2021"),
    "a comment": paper(title=f"Comment on: {TITLE}", text=""),
    "an erratum": paper(title=f"Erratum: {TITLE}", text=""),
    "a reply": paper(title=f"{TITLE}: reply", text="", authors=("Moe, M",)),
    "other people": paper(text="", authors=("Poe, Edgar",)),
    "another patient": paper(title=TITLE.replace("adults", "children"), text=OTHER),
    "without": paper(title=TITLE.replace("for the", "without the"), text=""),
    "the same title, another text": paper(text=OTHER, year=2009),
    "another PMID": paper(pmid="222"),
}


@pytest.mark.parametrize("kind", COPIES)
def test_copies_are_found(tmp_path, kind):
    assert groups_of(tmp_path, paper(doi="10.1000/xyz123"), COPIES[kind]) == [["0", "1"]]


@pytest.mark.parametrize("kind", OTHERS)
def test_other_papers_are_not(tmp_path, kind):
    assert groups_of(tmp_path, paper(pmid="111"), OTHERS[kind]) == []


def test_a_doi_in_common_settles_it_and_is_the_reason(tmp_path):
    index = Index.create(tmp_path / "d.idx", latent=0)
    one = paper(doi="10.1000/ABC", text="")
    other = paper(
        title="Vitamin D for asthma", text="", year=1999, doi="https://doi.org/10.1000/abc"
    )
    index.add([{**one, "id": "1"}, {**other, "id": "2"}])
    (group,) = index.duplicates().groups
    assert {member.reason for member in group.members} == {"same DOI"}


def test_chapters_of_one_book_share_a_doi_only(tmp_path):
    one = paper("Hearts of whales", "", doi="10.1000/book")
    assert groups_of(tmp_path, one, paper("Statistical methods", "", doi="10.1000/book")) == []


def test_the_most_complete_record_stands_for_its_group(tmp_path):
    index = Index.create(tmp_path / "d.idx", latent=0)
    index.add(
        [paper(text="", id="bare"), paper(id="full", doi="10.1/x", journal="J"), paper(id="x")]
    )
    (group,) = index.duplicates().groups
    assert group.representative == "full"
    assert index.duplicates().extra == 2


def test_texts_without_titles(tmp_path):
    assert groups_of(tmp_path, {"text": ABSTRACT}, {"text": f"{ABSTRACT} "}, {"text": OTHER}) == [
        ["0", "1"]
    ]


def test_a_higher_threshold_finds_fewer(tmp_path):
    copy = paper(title=TITLE.replace("management", "managment"), text="")
    assert groups_of(tmp_path, paper(), copy, threshold=0.99) == []


def test_deleted_documents_have_no_duplicates(tmp_path):
    index = Index.create(tmp_path / "d.idx", latent=0)
    index.add([paper(id="1"), paper(id="2"), paper(id="3")])
    index.delete("2")
    assert [sorted(group.ids) for group in index.duplicates().groups] == [["1", "3"]]


def test_what_was_kept_is_read_and_goes_with_the_generation(tmp_path):
    index = Index.create(tmp_path / "d.idx", latent=0)
    others = [{"id": f"o{number}", "text": f"w{number}"} for number in range(LARGE)]
    index.add([paper(id="1"), paper(id="2"), *others])
    first = index.duplicates()
    kept = tmp_path / "d.idx" / "duplicates.cache"
    assert kept.exists()
    assert Index.open(tmp_path / "d.idx").duplicates() == first
    kept.write_bytes(kept.read_bytes()[:-20])
    assert index.duplicates() == first
    index.add([paper(id="3")])
    assert len(index.duplicates().groups[0].members) == 3


def test_vectors_have_none(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
    index = Index.create(tmp_path / "v.idx")
    index.add(tmp_path / "v.npy")
    with pytest.raises(UsageError, match="holds vectors, not text"):
        index.duplicates()


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan")])
def test_a_threshold_that_makes_no_sense(tmp_path, threshold):
    index = Index.create(tmp_path / "d.idx")
    with pytest.raises(UsageError, match="threshold"):
        index.duplicates(threshold)


def collection(seed):
    """Forty papers of which some have copies, in random order, with ids that do not tell it."""
    draw = random.Random(seed)
    words = [f"word{number}" for number in range(60)]
    records = []
    for number in range(40):
        title, text = (" ".join(draw.sample(words, n)) for n in (7, 30))
        made = paper(title, f"{text} {ABSTRACT[:60]}", (f"Name{number}, A",), 2000 + number % 9)
        records += [made] + [{**made, "title": title.upper()}] * (number % 3)
    return [{**record, "id": f"{number:03}"} for number, record in enumerate(records)]


def test_the_order_of_documents_does_not_matter(tmp_path):
    records = collection(1)
    found = []
    for number, seed in enumerate([None, 1, 2]):
        index = Index.create(tmp_path / f"{number}.idx", latent=0)
        if seed is not None:
            random.Random(seed).shuffle(records)
        for first in range(0, len(records), 31):
            index.add(records[first : first + 31], merge=False)
        found.append({group.ids for group in index.duplicates().groups})
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 26


def test_many_alike_in_one_bucket_stay_linear(tmp_path):
    """Each is compared with a few neighbours, and all are joined by them."""
    index = Index.create(tmp_path / "d.idx", latent=0)
    index.add([paper(id=f"{number}") for number in range(500)])
    found = index.duplicates()
    assert found.candidates <= 500 * candidates.WINDOW * 4
    assert [len(group.members) for group in found.groups] == [500]


def test_however_wide_the_index_is(tmp_path):
    """Columns take two bytes up to 65,536 terms, and three from there on."""
    index = Index.create(tmp_path / "d.idx", language="none", latent=0)
    many = " ".join(f"w{number}" for number in range(70_000))
    new = "entirely different words of the second"
    index.add([{"id": "wide", "text": many}, paper(id="1"), paper(id="2")])
    index.add([paper(id="3", text=new + OTHER), paper(id="4", text=new + OTHER, year=1990)])
    found = [sorted(group.ids) for group in index.duplicates().groups]
    assert sorted(found) == [["1", "2"], ["3", "4"]]


class TestGroupedHits:
    @pytest.fixture
    def index(self, tmp_path):
        index = Index.create(tmp_path / "d.idx", latent=0)
        others = [{"id": f"o{n}", "text": f"asthma and something else {n}"} for n in range(5)]
        index.add([paper(id="1"), paper(id="2"), paper(id="3", text=""), *others])
        return index

    def test_every_document_unless_asked_otherwise(self, index):
        hits = index.search("vitamin asthma")
        assert len(hits) == 8
        assert hits.duplicates == {}

    def test_one_of_each_group_and_the_others_named(self, index):
        hits = index.search("vitamin asthma", group_duplicates=True)
        assert len(hits) == 6
        shown = hits[0].id
        assert {shown, *hits.duplicates[shown]} == {"1", "2", "3"}
        assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5, 6]

    @pytest.mark.parametrize("k", [1, 2, 3, 6])
    def test_pages_are_full(self, index, k):
        every = index.search("vitamin asthma", 20, group_duplicates=True)
        paged = [
            hit
            for skip in range(0, 6, k)
            for hit in index.search("vitamin asthma", k, skip=skip, group_duplicates=True)
        ]
        assert paged == list(every)

    def test_by_example(self, index):
        hits = index.like("o1", method="centroid", group_duplicates=True, k=20)
        assert sum(hit.id in ("1", "2", "3") for hit in hits) <= 1

    def test_on_the_command_line(self, index):
        stdout, _ = succeed(
            "search", index.path, "vitamin", "--group-duplicates", "--format", "json"
        )
        (hit,) = json.loads(stdout)["hits"]
        assert len(hit["duplicates"]) == 2
        assert "(also " in succeed("search", index.path, "vitamin", "--group-duplicates")[0]


class TestCommand:
    @pytest.fixture
    def directory(self, tmp_path):
        index = Index.create(tmp_path / "d.idx", latent=0)
        index.add([paper(id="1"), paper(id="=2"), paper("Whales", OTHER, id="3")])
        return tmp_path / "d.idx"

    def test_lists_groups(self, directory):
        stdout, said = succeed("duplicates", directory)
        assert stdout.count(TITLE) == 2
        assert "same title, similar abstract" in stdout
        assert said == "1 group among 3 documents: 1 document besides the first of each\n"

    def test_json_and_csv(self, directory):
        found = json.loads(succeed("duplicates", directory, "--json")[0])
        assert (found["documents"], found["duplicates"]) == (3, 1)
        rows = list(csv.DictReader(io.StringIO(succeed("duplicates", directory, "--csv")[0])))
        assert {row["id"] for row in rows} == {"1", "'=2"}
        assert {row["group"] for row in rows} == {"1"}

    def test_one_of_both(self, directory):
        refuse(2, ".*exclude each other.*", "duplicates", directory, "--json", "--csv")


# How titles and names are compared


@given(st.text(max_size=80))
def test_folding_twice_is_folding_once(text):
    (once,) = fold([text])
    assert fold([once]) == [once]


@given(st.lists(st.sampled_from(["alpha", "heart,", "The:", "whale", "2", "II"]), max_size=8))
def test_case_and_punctuation_do_not_count(words):
    title = " ".join(words)
    assert fold([title.upper()]) == fold([title.replace(",", "").replace(":", "") + "."])


@given(st.text("abcd", max_size=6), st.text("abcd", max_size=6), st.text("abcd", max_size=6))
def test_distance_is_symmetric_and_zero_for_the_same(a, b, c):
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= distance(a, b) <= max(len(a), len(b))


@pytest.mark.parametrize("pair", [("design", "deisgn"), ("tumor", "tumour"), ("effect", "effects")])
def test_slips(pair):
    assert is_slip(*pair)
    assert is_slip(*pair[::-1])


@pytest.mark.parametrize(
    "pair",
    [("typical", "atypical"), ("hypertension", "hypotension"), ("men", "women"), ("rats", "cats")],
)
def test_opposites_are_no_slips(pair):
    assert not is_slip(*pair)


titles = st.lists(
    st.sampled_from(["heart", "whale", "of", "large", "rivers", "without", "disease", "disaese"]),
    max_size=7,
).map(" ".join)


@given(titles, titles)
def test_comparing_titles_is_symmetric(a, b):
    one, other = Title(a), Title(b)
    there, back = compare_titles(one, other), compare_titles(other, one)
    assert there.replaced == back.replaced
    assert there.similarity == pytest.approx(back.similarity)


@pytest.mark.parametrize(
    "names",
    [
        ["Doe, Jane"],
        ["Jane Doe"],
        ["J. Doe"],
        ["Doe J"],
        ["Doe JA"],
        "Doe, Jane; Roe, R",
        "Doe J, Roe R",
    ],
)
def test_names_in_any_style(names):
    assert people(as_names(names))[0] == ("doe", "j")
    assert same_people(people(as_names(names)), people(as_names(["Doe, J."]))) is True
    assert same_people(people(as_names(names)), people(as_names(["Poe, E."]))) is False


def test_names_that_say_nothing():
    assert same_people((), people("Doe J")) is None
    assert as_names(None) == as_names(7) == ""


# Groups and candidates


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20), st.randoms())
def test_groups_do_not_depend_on_the_order_of_pairs(pairs, draw):
    pairs = [(a, b) for a, b in pairs if a != b]
    shuffled = [pair[:: draw.choice([1, -1])] for pair in draw.sample(pairs, len(pairs))]
    assert joined(pairs, lambda n: n) == joined(shuffled, lambda n: n)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20))
def test_groups_are_what_pairs_connect(pairs):
    links = Links()
    for a, b in pairs:
        links.join(a, b)
    reached = {n: {n} for pair in pairs for n in pair}
    for _ in range(13):
        for a, b in pairs:
            reached[a] = reached[b] = reached[a] | reached[b]
    expected = {frozenset(group) for group in reached.values() if len(group) > 1}
    assert {frozenset(group) for group in links.groups()} == expected


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(1, 40), max_size=12, unique=True), min_size=1, max_size=12))
def test_shares_are_as_counted_one_by_one(sets):
    values = np.array([v << 40 for one in sets for v in one], np.uint64)
    made = candidates.Sets(values, np.cumsum([0, *map(len, sets)]))
    pairs = np.array([(a, b) for a in range(len(sets)) for b in range(a, len(sets))])
    expected = [
        len({*sets[a]} & {*sets[b]}) / max(len(sets[a]), len(sets[b])) if sets[a] and sets[b] else 1
        for a, b in pairs
    ]
    assert candidates.shares(pairs, made) == pytest.approx(expected)


@given(st.integers(0, 2**32), st.integers(5, 30))
def test_equal_sets_share_every_band_and_hashing_is_the_same_again(seed, size):
    values = np.random.default_rng(seed).integers(1, 2**63, size, dtype=np.uint64)
    both = candidates.Sets(np.concatenate([values, values[::-1]]), np.array([0, size, 2 * size]))
    first, again = (candidates.band_keys([both], candidates.TITLES, 2, 7) for _ in range(2))
    assert (first == again).all()
    assert (first[:, 0] == first[:, 1]).all()
    assert first.all()


def test_over_http(tmp_path):
    index = Index.create(tmp_path / "d.idx", latent=0)
    index.add([paper(id="1"), paper(id="2"), paper("Whales and hearts", OTHER, id="3")])
    with serving(tmp_path / "d.idx") as client:
        found = client.get("/v1/indexes/d/duplicates").json()
        assert (found["documents"], found["duplicates"], found["count"]) == (3, 1, 1)
        assert {one["id"] for one in found["groups"][0]["members"]} == {"1", "2"}
        assert all(one["fields"]["year"] == 2016 for one in found["groups"][0]["members"])
        assert client.get("/v1/indexes/d/duplicates", params={"offset": 1}).json()["groups"] == []
        asked = {"words": "vitamin", "group_duplicates": True}
        (hit,) = client.post("/v1/indexes/d/search", json=asked).json()["hits"]
        assert {hit["id"], *hit["duplicates"]} == {"1", "2"}
        by_address = {"q": "vitamin", "group_duplicates": "true"}
        assert len(client.get("/v1/indexes/d/search", params=by_address).json()["hits"]) == 1
        assert len(client.get("/v1/indexes/d/search", params={"q": "vitamin"}).json()["hits"]) == 2


def test_a_long_computation_over_http_is_a_job(tmp_path):
    Index.create(tmp_path / "d.idx", latent=0).add([paper(id="1"), paper(id="2")])
    with serving(tmp_path / "d.idx") as client:
        answer = client.get("/v1/indexes/d/duplicates", params={"wait": 0})
        assert answer.status_code in (200, 202)
        if answer.status_code == 202:
            assert answer.headers["Location"].startswith("/v1/jobs/")
