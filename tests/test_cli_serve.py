"""`likewise serve`: what it refuses, and that it serves."""

from __future__ import annotations

import importlib.util

import httpx
import pytest

from helpers.command_line import refuse
from helpers.server_client import process
from likewise import Index


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": "a", "text": "red apples"}])
    return index


def test_it_serves(index, tmp_path):
    other = Index.create(tmp_path / "my news.idx", threads=1)
    with process(index.path, other.path, "--quiet", "--threads", "1") as (_, address):
        found = httpx.get(f"{address}/v1/indexes/papers/search?q=apples").json()
        names = [one["name"] for one in httpx.get(f"{address}/v1/indexes").json()["indexes"]]
    assert [hit["id"] for hit in found["hits"]] == ["a"]
    assert names == ["papers", "my-news"]


def test_other_addresses_need_tokens(index):
    refuse(2, "0.0.0.0 can be .*: give --token-file.*", "serve", index.path, "--host", "0.0.0.0")


def test_a_token_file_that_is_not_there(index, tmp_path):
    refuse(1, "cannot read the tokens in .*", "serve", index.path, "--token-file", tmp_path / "no")


def test_no_index(tmp_path):
    refuse(1, "no index at .*", "serve", tmp_path / "none")


class TestProjects:
    """A folder that is no index is where the page makes new ones."""

    def test_a_folder(self, index, tmp_path):
        with process(tmp_path, "--quiet") as (_, address):
            found = httpx.get(f"{address}/v1/projects").json()
        assert found["creates"]
        assert [one["name"] for one in found["projects"]] == ["papers"]

    def test_the_folder_that_is_usual(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LIKEWISE_PROJECTS", str(tmp_path / "mine"))
        with process("--quiet") as (_, address):
            assert httpx.get(f"{address}/v1/projects").json() == {"projects": [], "creates": True}
        assert (tmp_path / "mine").is_dir()

    def test_indexes_alone_make_none(self, index):
        with process(index.path, "--quiet") as (_, address):
            assert not httpx.get(f"{address}/v1/projects").json()["creates"]

    def test_two_folders(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        said = ".*a and .*b are no indexes: give one such folder"
        refuse(2, said, "serve", tmp_path / "a", tmp_path / "b")


def test_the_extra_is_missing(index, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "fastapi" else real(name)
    )
    refuse(2, r"serving needs fastapi: pip install 'likewise\[server\]'", "serve", index.path)
