"""The list of duplicates in a real browser: groups, reasons, a way to each record."""

from __future__ import annotations

import gzip
import json
from itertools import islice

import pytest

from helpers.browser import Page, looks_well
from likewise import Index
from likewise.datasets import arxiv_sample
from likewise.server.running import started

GROUPS = 23


def records():
    """Papers, each also as another database has it; the last three times; one only once."""
    with gzip.open(arxiv_sample(), "rt", encoding="utf-8") as lines:
        papers = list(map(json.loads, islice(lines, GROUPS)))
    for year, paper in enumerate(papers, 1990):
        common = {"title": paper["title"], "authors": ["Ng, Ada", "Ray, Bo"], "year": year}
        whole = {**common, "text": paper["text"], "journal": "Air"}
        yield {**whole, "id": f"pubmed/{paper['id']}"}
        yield {**common, "id": f"embase/{paper['id']}", "title": f"{paper['title'].upper()}."}
    yield {**whole, "id": "wos/1"}
    yield {"id": "whales", "title": "Hearts of whales", "year": 2016}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("doubled") / "asthma.idx"
    Index.create(path, threads=1).add(records())
    with started([path]) as address:
        yield address


def show(web, address, path):
    page = Page(web[0], address, web[1] / "downloads")
    page.forget()
    page.open(path)
    page.until(lambda: page.all("main h1") and not page.all("[aria-busy]"), path)
    return page


def test_groups_say_why_and_lead_to_their_records(web, address):
    page = show(web, address, "/in/asthma")
    page.click("#places a[href$='/duplicates']")
    page.until(lambda: len(page.all(".group")) == 20, "the first groups")
    assert page.text(".lead").startswith(
        "23 papers have several records: of 48 records, 24 are copies."
    )
    first = page.one(".group")
    assert len(first.find_elements("css selector", ".others > li")) == 2  # the largest first
    assert "Same title and authors" in page.texts(".group:nth-child(2) .reason")[0]
    assert "1990" in page.texts(".group:nth-child(2) .others .meta")[0]
    page.click(".more")
    page.until(lambda: len(page.all(".group")) == GROUPS, "all groups")
    assert not page.all(".more:not([hidden])")
    other = page.texts(".group:last-child .record a")[0]
    page.click(".group:last-child .record a")
    page.until(lambda: page.all(".document h1"), "the record")
    assert page.text(".document h1") == other
    page.chrome.back()
    page.until(lambda: len(page.all(".group")) == GROUPS, "as many groups as before")


def test_it_is_for_everybody(web, address):
    page = show(web, address, "/in/asthma/duplicates")
    looks_well(page, "duplicates")
    assert not page.complaints()


def test_an_index_without_duplicates_says_so(web, tmp_path):
    Index.create(tmp_path / "news.idx").add([{"id": "1", "text": "Trains run again"}])
    with started([tmp_path / "news.idx"]) as address:
        page = show(web, address, "/in/news/duplicates")
        assert page.text(".lead") == "No two records look like records of one paper."
        assert not page.all(".group")
