"""Minus and quotes in a search by words: what must not be there, and what must stand as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import succeed
from helpers.server_client import serving
from likewise import Document, Index, UsageError
from likewise.search.keywords import parse

TEXTS = {
    "arm": "A robot arm grasps cups.",
    "arms": "Robot arms grasp cups with care.",
    "leg": "The arm of a robot, and a robot leg.",
    "virus": "COVID-19 and the robot.",
    "walk": "Walking robots walk in the virus of 19 halls",
    "other": "Élan vital of cups",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("keywords") / "words.idx", latent=0)
    made.add([Document(id, text, f"On {id}") for id, text in TEXTS.items()])
    return made


def found(index, words, k=10, **more):
    return {hit.id for hit in index.search(words, k, **more)}


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("robot", {"arm", "arms", "leg", "virus", "walk"}),
        ("robot -arm", {"virus", "walk"}),  # as any word, with its other forms
        ("robot -legs", {"arm", "arms", "virus", "walk"}),
        ('"robot arm"', {"arm"}),
        ("“robot arm”", {"arm"}),
        ('"Robot ARM" cups', {"arm"}),
        ('cups -"robot arm"', {"arms", "other"}),
        ("robot -covid-19", {"arm", "arms", "leg", "walk"}),
        ("robot covid-19", {"arm", "arms", "leg", "virus", "walk"}),  # a hyphen is no minus
        ("robot - arm", {"arm", "arms", "leg", "virus", "walk"}),
        ('robot "arm', {"arm", "arms", "leg", "virus", "walk"}),  # a quote that does not close
        ('"élan vital"', {"other"}),
        ('"the arm of a robot"', {"leg"}),
        ('"no such phrase"', set()),
        ("robot -nowhere", {"arm", "arms", "leg", "virus", "walk"}),
    ],
)
def test_minus_and_quotes(index, words, ids):
    assert found(index, words) == ids


def test_pages_of_a_ranking_fit_together(index):
    whole = [hit.id for hit in index.search("robot cups -leg", 10)]
    parts = [hit.id for skip in range(4) for hit in index.search("robot cups -leg", 1, skip=skip)]
    assert parts == whole[:4]


def test_what_is_explained_is_what_is_looked_for(index):
    terms = {one.term for one in index.explain("virus", "robot -arm").terms}
    assert terms == {"robot"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("-robot", "only says what not to find"),
        ('"of the"', "not indexed"),
        ("robot -the", "not indexed"),
    ],
)
def test_what_makes_no_sense(index, words, complaint):
    with pytest.raises(UsageError, match=complaint):
        index.search(words)


def test_the_same_over_http_and_in_the_shell(index):
    printed, _ = succeed("search", index.path, 'robot -"robot arm" -virus', "--format", "json")
    assert "arms" in printed
    assert "COVID" not in printed
    with serving(index.path) as client:
        answer = client.get("/v1/indexes/words/search", params={"q": '"robot arm"'}).json()
        assert [hit["id"] for hit in answer["hits"]] == ["arm"]


@given(st.text('ab -"“', max_size=30))
def test_whatever_is_typed_is_read(text):
    try:
        asked = parse(text)
    except UsageError:
        assert "-" in text
        return
    assert asked.asks or asked.words == text
