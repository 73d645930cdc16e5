"""What comes later, in a real browser: into a review, and for searches that are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from helpers.browser import looks_well, settled
from likewise import Document, Index

if TYPE_CHECKING:
    from collections.abc import Callable

LATE = Document("late", "a robot arm that grasps", "A robot arm that came late")


@pytest.fixture
def late(web):
    """Adds a document, which is gone after the test."""
    index = Index.open(web[1] / "papers.idx")

    def add() -> None:
        index.add([LATE])

    yield add
    index.refresh()
    index.delete(LATE.id, ignore_missing=True)


def test_a_review_marks_what_came(page, late: Callable[[], None]):
    name = "living"
    page.open("/in/papers/reviews")
    page.say("#review-name", name)
    page.say("#review-words", "robot arm")
    page.click("form.create .primary")
    page.until(lambda: page.all(".cards .card"), "a page to judge")
    late()
    page.open(f"/in/papers/reviews/{name}")
    page.until(lambda: page.all(".news") and "1 record came since" in page.text(".news"), "news")
    looks_well(page, "records that came")
    page.click(".news button")
    page.until(lambda: not page.all(".news:not([hidden])"), "no news")


def test_a_saved_search_says_what_is_new(page, late: Callable[[], None]):
    page.open("/in/papers?q=robot+arm")
    settled(page)
    page.click(".panel:last-child button")
    page.say("#search-name", "arms")
    page.click(".adding .primary")
    page.until(lambda: page.texts(".saved a") == ["arms", "Feed"], "the search")
    feed = httpx.get(page.one(".saved .feed").get_attribute("href"))
    assert feed.headers["content-type"].startswith("application/atom+xml")
    late()
    page.open("/in/papers?q=bees")
    page.until(lambda: page.texts(".saved .label") == ["1 new"], "one new document")
    page.click(".saved .label")
    page.until(lambda: LATE.title in page.texts(".saved a"), "its title")
    looks_well(page, "saved searches")
    page.click(".saved .small")
    page.until(lambda: not page.all(".saved .label"), "nothing new")
    page.click(".saved a")
    page.until(lambda: "q=robot" in page.chrome.current_url, "the search itself")
    page.click(".saved .quiet")
    page.until(lambda: not page.all(".saved a"), "no search")
