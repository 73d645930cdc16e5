"""Words for people: whole ones, fields as they are known, counts, and names of files they gave."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import likewise
from helpers.command_line import refuse, succeed
from helpers.server_client import serving
from likewise import Document, Index, UsageError
from likewise.cli.screen import about
from likewise.readers.fieldlabels import label_of
from likewise.search.query import Weight
from likewise.search.telling import is_telling, shown
from likewise.store.disk import replace_file


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("words") / "papers.idx", threads=1)
    made.add(
        Document(
            f"d{i}",
            f"{'randomised trials of sleeping rats' if i % 2 else 'noises of engines'} "
            f"95 ci 0.{i} {'soft robots walk' if i < 4 else 'robots are soft'}",
            f"Study {i}",
        )
        for i in range(20)
    )
    return made


class TestWhy:
    def test_what_tells_nothing(self):
        for term in ("0", "95", "ci", "p", "2.5", "95 ci", "il6"):
            assert not is_telling(term), term
        for term in ("rat", "robot", "cd34x", "95 trial", "疲労", "ад"):
            assert is_telling(term), term

    def test_it_is_shown_where_there_is_nothing_else(self):
        small = [Weight("95", 2.0), Weight("ci", 1.0)]
        assert shown([*small, Weight("trial", 0.5)], 2) == [Weight("trial", 0.5)]
        assert shown(small, 1) == small[:1]

    def test_explain_has_whole_words_and_adds_up(self, index):
        like = ("--like", "id:d1", "--like", "id:d3", "--method", "centroid")
        table, _ = succeed("explain", index.path, "d5", *like)
        assert "trials" in table
        assert "randomised" in table
        assert "randomis\n" not in table
        found = json.loads(succeed("explain", index.path, "d5", *like, "--format", "json")[0])
        words = {one["term"]: one["word"] for one in found["terms"]}
        assert words["trial"] == "trials"
        assert not {"95", "ci"} & words.keys()
        total = sum(one["weight"] for one in found["terms"]) + found["others"]["weight"]
        assert total == pytest.approx(found["score"])

    def test_words_that_were_typed_are_all_there(self, index):
        table, _ = succeed("explain", index.path, "d5", "95", "trials")
        assert "95" in table

    def test_over_http(self, index):
        asked = {"positive": ["d1", "d3"], "method": "centroid", "explain": 20}
        with serving(index.path) as client:
            hits = client.post("/v1/indexes/papers/search", json=asked).json()["hits"]
        hit = next(hit for hit in hits if hit["id"] == "d5")
        words = [one["word"] for one in hit["terms"]]
        assert "trials" in words
        assert not {"95", "ci", "0"} & set(words)
        total = sum(one["weight"] for one in hit["terms"]) + hit["others"]
        assert total == pytest.approx(hit["score"])


class TestCounts:
    def test_minus_and_quotes(self, index, tmp_path):
        assert index.count(words="robots") == 20
        assert index.count(words="robots -trials") == 10
        assert index.count(words='"soft robots"') == 4
        assert index.count(words='-"soft robots" robots') == 16
        _, said = succeed("search", index.path, '"soft robots" -trials')
        assert said == "2 of 20 documents are left by - and quotes\n"
        with serving(index.path) as client:
            found = client.get("/v1/indexes/papers/search", params={"q": "robots -trials"}).json()
        assert (found["matching"], found["documents"]) == (10, 20)

    def test_a_review_leaves_nothing_out(self, index, tmp_path):
        with pytest.raises(UsageError, match="-trials does not leave records out of a review"):
            index.session("s", query="robots -trials", database=tmp_path / "s.sqlite")
        index.session("s", query='"soft-robots" walk', database=tmp_path / "s.sqlite")


class TestNames:
    def test_fields_have_the_names_that_people_know(self):
        assert label_of("doi") == "DOI"
        assert label_of("pmid") == "PubMed id"
        assert label_of("first_author") == "first author"
        assert label_of("_") == "_"

    def test_the_page_has_the_same_names(self):
        script = (Path(likewise.__file__).parent / "web" / "js" / "meta.js").read_text()
        table = re.search(r"const NAMES = .*?\(\{(.*?)\}\)", script, re.DOTALL)
        names = dict(re.findall(r'(\w+): "([^"]+)"', table[1]))
        assert len(names) > 5
        for name, said in names.items():
            assert said.lower() == label_of(name).lower(), name

    def test_the_preview_speaks_plainly(self, tmp_path):
        one = "TY  - JOUR\nID  - a\nTI  - Sleep\nDO  - 10.1000/x\nAN  - 12\nDB  - PubMed\nER  - \n"
        (tmp_path / "a.ris").write_text(one * 3)
        table, _ = succeed("index", tmp_path / "a.ris", "--preview")
        assert "duplicates  " in table
        assert "2 with the id of an earlier one" in table
        assert "DOI: 10.1000/x" in table
        assert "PubMed id: 12" in table

    def test_an_error_names_the_file_that_was_asked_for(self, tmp_path):
        wanted = tmp_path / "nowhere" / "flow.svg"
        with pytest.raises(FileNotFoundError) as raised:
            replace_file(wanted, b"x")
        assert raised.value.filename == str(wanted)
        assert ".new" not in str(raised.value)
        index = Index.create(tmp_path / "a.idx")
        index.add([Document("a", "sleep")])
        index.session("review", query="sleep", reviewer="ada")
        refuse(1, f".*{wanted}.*", "report", index.path, "--diagram", wanted)

    def test_a_record_in_a_line(self):
        authors = ["Doe, J", "Roe, R", "Poe, E", "Moe, M"]
        made = Document("a", "x", "T", authors=authors, year=2019, journal="Ice", doi="10.1000/x")
        assert about(made) == "Doe, J; Roe, R; Poe, E et al. · 2019 · Ice · DOI 10.1000/x"
        inside = Document("b", "x", pmid="12", booktitle="Handbook")
        assert about(inside) == "Handbook · PubMed id 12"
        assert about(Document("c", "x")) == ""
