"""A learned query is taken elsewhere from the page."""

from __future__ import annotations

import json

from selenium.webdriver.support.ui import Select

from helpers.browser import settled


def choose(page, name):
    Select(page.one("#elsewhere-to")).select_by_value(name)


def test_a_query_is_taken_elsewhere(page):
    page.open("/in/papers?q=robot+arm")
    settled(page)
    assert not page.all(".elsewhere")
    page.click(".results .card:nth-child(1) .thumb.relevant")
    page.click(".elsewhere > summary")
    choose(page, "pubmed")
    page.until(lambda: "[tiab]" in page.text(".exported"), "a Boolean query")
    assert "by cross-validation" in page.text(".elsewhere")
    choose(page, "elasticsearch")
    page.until(lambda: page.text(".exported").startswith("{"), "a body")
    assert json.loads(page.text(".exported"))["query"]
    assert "of the first 10" in page.text(".elsewhere")
    page.click(".elsewhere .row button:nth-child(2)")
    saved = page.until(lambda: next(page.downloads.glob("query-*.json"), None), "a file")
    page.until(lambda: saved.stat().st_size > 0, "its content")
    assert json.loads(saved.read_text())["query"]
