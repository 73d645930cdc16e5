"""`likewise show`, `likewise fields`, and filters on fields that no document has."""

from __future__ import annotations

import json

import pytest
import rispy

from helpers.command_line import refuse, succeed
from helpers.server_client import problem, serving
from likewise import Index, UsageError

PAPERS = [
    {"id": "a", "title": "Red\x1b[31m apples", "abstract": "They are red.\n\nAnd sweet.",
     "year": 2001, "authors": ["Doe, J", "Roe, R"], "more": {"x": [1]}, "open": True},
    {"id": "b", "title": "Pears", "abstract": "green " * 60, "year": 2010, "note": "n" * 500},
    {"id": "c", "title": "Plums", "abstract": "blue", "year": 2003, "created": "2020-05-01"},
]  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = Index.create(tmp_path_factory.mktemp("fruit") / "fruit.idx")
    made.add(PAPERS)
    return made.path


class TestShow:
    def test_a_document_to_read(self, path):
        assert succeed("show", path, "a")[0] == (
            "id       a\n"
            "title    Red [31m apples\n"
            "authors  Doe, J; Roe, R\n"
            "year     2001\n"
            'more     {"x":[1]}\n'
            "open     true\n"
            "\n"
            "They are red.\n"
            "\n"
            "And sweet.\n"
        )

    def test_several(self, path):
        shown = succeed("show", path, "b", "c")[0]
        assert shown.index("Pears") < shown.index("\n\nid       c\n")
        assert max(map(len, shown.splitlines())) > 500  # a field is one line
        lines = shown.partition("\n\n")[2].partition("\n\n")[0].splitlines()
        assert len(lines) > 1
        assert all(len(line) <= 100 for line in lines)

    def test_as_json(self, path):
        (found,) = json.loads(succeed("show", path, "a", "--json")[0])["documents"]
        assert found == PAPERS[0]

    def test_in_other_formats(self, path):
        found = rispy.loads(succeed("show", path, "c", "a", "--format", "ris")[0])
        assert [one["id"] for one in found] == ["c", "a"]
        shown = succeed("show", path, "--filter", "year<2005", "--format", "jsonl")[0]
        assert [json.loads(line)["id"] for line in shown.splitlines()] == ["a", "c"]
        assert succeed("show", path, "--all", "--format", "csv")[0].count("\n") >= 4

    def test_what_is_refused(self, path):
        refuse(2, r"no document 'x' in .*fruit\.idx", "show", path, "a", "x")
        refuse(2, "nothing to show: give ids, --filter or --all", "show", path)
        refuse(2, "ids and --all exclude each other: .*", "show", path, "a", "--all")
        refuse(2, "--json and --format exclude each other.*", "show", path, "a", "--json",
               "--format", "ris")  # fmt: skip


class TestFields:
    def test_a_table(self, path):
        lines = [line.split() for line in succeed("fields", path)[0].splitlines()]
        assert lines[0][:4] == ["field", "documents", "kind", "values"]
        assert lines[1] == ["year", "3", "number", "3", "2001", "…", "2010"]
        assert ["authors", "1", "text", "2"] in [line[:4] for line in lines]
        assert ["open", "1", "boolean", "1", "True"] in lines
        assert ["created", "1", "date", "1", "2020-05-01"] in lines
        assert " ".join(lines[-1]) == "long texts: abstract, id, note, title"

    def test_as_json_and_from_python(self, path):
        found = json.loads(succeed("fields", path, "--json")[0])
        year = next(one for one in found["fields"] if one["name"] == "year")
        assert (year["kind"], year["least"], year["most"]) == ("number", 2001, 2010)
        assert found["texts"] == Index.open(path).text_fields()
        assert Index.open(path).fields()[0].kind == "number"


class TestUnknownFields:
    SENTENCE = "no document has a field 'yaer': did you mean year[?]"

    def test_are_errors(self, path):
        index = Index.open(path)
        for call in (
            lambda: index.search("red", filter="yaer=2001"),
            lambda: index.count("year=2001 yaer!=2001"),
            lambda: index.like("a", filter="yaer=2001"),
            lambda: index.records(filter="yaer=2001"),
        ):
            with pytest.raises(UsageError, match=self.SENTENCE):
                call()
        with pytest.raises(UsageError, match="no document has a field 'qq': there are abstract, "):
            index.count("qq=1")
        with pytest.raises(UsageError, match="did you mean year"):
            index.count("Year=2001")

    def test_before_anything_is_learned(self, path):
        refuse(2, self.SENTENCE, "search", path, "--like", "id:a", "--filter", "yaer=2001")
        refuse(2, self.SENTENCE, "search", path, "red", "--filter", "yaer=2001")
        refuse(2, self.SENTENCE, "show", path, "--filter", "yaer=2001")

    def test_over_http(self, path):
        with serving(path) as client:
            base = "/v1/indexes/fruit"
            asked = {"words": "red", "filter": "yaer=2001"}
            problem(client.post(f"{base}/search", json=asked), 422, "did you mean year?")
            problem(client.get(f"{base}/export", params={"filter": "yaer=1"}), 422, "'yaer'")
            fields = client.get(f"{base}/fields").json()["fields"]
            assert {one["name"]: one["kind"] for one in fields}["created"] == "date"

    def test_long_texts_and_other_names_are_known(self, path):
        index = Index.open(path)
        assert index.count("title=Pears") == 1
        assert index.count(f"note={'n' * 500}") == 1

    def test_an_empty_index_has_no_wrong_names(self, tmp_path):
        assert Index.create(tmp_path / "x.idx").count("year=1") == 0
