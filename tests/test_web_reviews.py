"""Reviews in a real browser: judging by mouse and by keys, undo, progress, conflicts, export."""

from __future__ import annotations

import json
from itertools import count

import httpx
import pytest

from helpers.browser import Page, looks_well, settled
from likewise.feedback import FEEDBACK

REVIEWS = "/in/papers/reviews"
numbers = count(1)


@pytest.fixture
def review(page) -> Page:
    """A new review, begun with words."""
    begin(page, f"robots {next(numbers)}")
    return page


def begin(page: Page, name: str) -> None:
    page.open(REVIEWS)
    page.say("#review-name", name)
    page.say("#review-words", "robot arm")
    page.click("form.create .primary")
    page.until(lambda: len(titles(page)) == 10, "a page to judge")


def titles(page: Page) -> list[str]:
    return page.texts(".cards .card h2")


def press_thumb(page: Page, place: int, label: str) -> None:
    page.click(f".cards .card:nth-child({place}) .thumb.{label}")


def judge_page(page: Page, labels: list[str]) -> list[str]:
    """Judge all of a page and wait for the next one: returns the titles that were judged."""
    shown = titles(page)
    for place, label in enumerate(labels, 1):
        press_thumb(page, place, label)
    page.until(lambda: titles(page) and titles(page) != shown, "the next page")
    return shown


def counts(page: Page) -> list[str]:
    return page.texts(".counts dd")


def part(page: Page, name: str) -> None:
    page.click(f'.tabs a[href$="/{name}"]' if name != "judge" else ".tabs a:first-child")


LABELS = ["relevant", "not", "relevant", "relevant", "unsure", "not", "relevant"] + ["not"] * 3


def test_judging_ten_brings_another_page(review):
    first = judge_page(review, LABELS)
    second = titles(review)
    assert not set(first) & set(second)
    assert review.text(".status-text") == "Page 2"
    review.click(".status .details summary")
    told = review.texts(".status .details dd")
    assert told[0].startswith("The records that are most likely relevant")
    assert f"two-class: {FEEDBACK['two-class'].about}" in told
    review.until(lambda: counts(review) == ["4", "5", "1"], "the counts")
    assert "10 of 2,000 records judged" in review.text(".panel")
    press_thumb(review, 1, "relevant")
    review.until(lambda: counts(review) == ["5", "5", "1"], "the counts")
    review.chrome.refresh()
    review.until(lambda: titles(review) == second, "the same page")
    assert review.all(".cards .card:first-child[data-label=relevant]")
    review.until(lambda: counts(review) == ["5", "5", "1"], "the counts")


def test_undo_and_redo(review):
    review.click('[aria-label="Undo"]')
    review.until(lambda: "nothing" in review.text(".notice.bad"), "a sentence")
    assert "409" in review.complaints()[0]
    looks_well(review, "a refusal")
    review.click('.notice [aria-label="Dismiss"]')
    first = judge_page(review, LABELS)
    review.click('[aria-label="Undo"]')
    review.until(lambda: titles(review)[0] == first[9], "the document judged last")
    assert not review.all(".cards .card[data-label]")
    review.until(lambda: counts(review) == ["4", "4", "1"], "the counts")
    review.click('[aria-label="Redo"]')
    review.until(lambda: review.all(".cards .card:first-child[data-label=not]"), "judged again")
    part(review, "history")
    review.until(lambda: len(review.all(".history li")) == 12, "all steps")
    looks_well(review, "history")
    steps = [line.split(" ")[-1] for line in review.texts(".history .meta")][:3]
    assert steps == ["redid", "undid", "judged"]
    assert first[9] in review.texts(".history .change a")[0]


def test_a_review_by_keys_alone(page):
    from selenium.webdriver.common.keys import Keys

    page.open(REVIEWS)
    page.until(lambda: page.all("#review-name"), "the form")
    page.run("document.querySelector('#main').focus()")
    tab_to(page, "review-name")
    page.press("keys only", Keys.TAB, "robot arm", Keys.ENTER)
    page.until(lambda: len(titles(page)) == 10, "a page to judge")
    shown = titles(page)
    for key in "ynyyunynn":
        page.press(key)
    page.press("k", "j", "n")
    page.until(lambda: titles(page) and titles(page) != shown, "the next page")
    page.until(lambda: counts(page) == ["4", "5", "1"], "the counts")
    assert page.run("return document.activeElement.className").startswith("card")
    page.press("w")
    assert page.one(".card:first-child .why").is_displayed()
    page.press("z")
    page.until(lambda: counts(page) == ["4", "4", "1"], "the counts")
    page.press("Z")
    page.until(lambda: counts(page) == ["4", "5", "1"], "the counts")
    page.click("#keys-on")
    page.press("y")
    page.click("#keys-on")
    page.press("j", "j", "u")
    page.until(lambda: counts(page) == ["4", "5", "2"], "only what was pressed while keys were on")


def tab_to(page: Page, id: str) -> None:
    from selenium.webdriver.common.keys import Keys

    for _ in range(30):
        if page.run("return document.activeElement.id") == id:
            return
        page.press(Keys.TAB)
    raise AssertionError(f"{id} is not reached with the tab key")


def test_reviewers_who_differ(review):
    review.say("#reviewer", "ada\t")
    review.until(lambda: len(titles(review)) == 10, "a page to judge")
    title = titles(review)[0]
    press_thumb(review, 1, "relevant")
    review.until(lambda: counts(review)[0] == "1", "the count")
    review.say("#reviewer", "ben\t")
    review.until(lambda: titles(review)[:1] == [title] and not review.all("[data-label]"))
    press_thumb(review, 1, "not")
    review.until(lambda: counts(review)[0] == "1", "the count")
    part(review, "conflicts")
    review.until(lambda: review.texts(".conflicts a") == [title], "the conflict")
    assert review.texts(".conflicts .label") == ["relevant", "not relevant"]
    assert "ada and ben" in review.text(".figures tbody th")
    looks_well(review, "a conflict")
    review.click(".conflicts button")
    review.until(lambda: not review.all(".conflicts"), "no conflict any more")


def test_exports(page):
    begin(page, "to be exported")
    judged = judge_page(page, LABELS)
    page.open(f"{REVIEWS}/to be exported/export")
    assert len(exported(page, "csv").splitlines()) == 11
    page.click(".found .details summary")
    looks_well(page, "exports")
    lines = exported(page, "jsonl").splitlines()
    assert [json.loads(line)["label"] for line in lines] == LABELS
    assert len(exported(page, "qrels").splitlines()) >= 9
    assert exported(page, "bibtex", ".bib").count("@misc{") == len(LABELS)
    page.click('#export-records option[value="relevant"]')
    references = exported(page, "ris")
    assert references.count("TY  -") == LABELS.count("relevant")
    assert judged[0] in references
    assert "robot" in json.loads(exported(page, "query", ".query.json"))["terms"]


def test_what_a_publication_needs(page):
    begin(page, "to be published")
    judge_page(page, LABELS)
    page.open(f"{REVIEWS}/to be published/export")
    sessions = f"{page.address}/v1/indexes/papers/sessions"
    flow = httpx.get(f"{sessions}/to be published/report").json()["flow"]
    assert flow["identified"] >= flow["screened"] == 2000  # some came and went in other tests
    said = f".flow img[alt*='{flow['identified']} identified']"
    page.until(lambda: page.all(said), "the flow of records")
    assert (
        page.chrome.execute_script("return document.querySelector('.flow img').naturalWidth") > 300
    )
    assert "Records were screened with likewise" in page.text(".methods")
    looks_well(page, "what a publication needs")
    page.say("#report-sources", "PubMed=2100\t")
    page.until(lambda: page.all(".flow img[alt*='2100 identified']"), "the flow with its sources")
    page.click('[data-report="/diagram"]')
    assert "PubMed (n\u00a0=\u00a02,100)" in page.downloaded("to be published.svg")
    page.click('[data-report="/trail"]')
    assert page.downloaded("to be published.trail.csv").count(",judge,") == len(LABELS)


def exported(page: Page, format: str, suffix: str = "") -> str:
    page.click(f'[data-format="{format}"]')
    return page.downloaded(f"to be exported{suffix or f'.{format}'}")


def test_a_review_begins_with_a_search_and_is_renamed_and_deleted(page):
    page.open("/in/papers?q=robot+arm&like=1806.07419&unlike=1209.2835")
    settled(page)
    page.one(".examples .side-list")
    page.click(".panel-body > .row button")
    page.until(lambda: "with 2 examples from your search" in page.text("form.create"), "examples")
    page.say("#review-name", "found robots\n")
    page.until(lambda: len(titles(page)) == 10, "a page to judge")
    page.click(".manage summary")
    looks_well(page, "settings")
    page.say('[aria-label="New name"]', "hard robots\n")
    page.until(lambda: page.text("h1") == "hard robots", "the new name")
    page.open(REVIEWS)
    page.until(lambda: "hard robots" in page.texts(".choice strong"), "the review")
    page.click('.choice[href$="hard%20robots"]')
    page.click(".manage summary")
    page.click(".manage .danger")
    looks_well(page, "a question")
    page.click("dialog .danger")
    page.until(lambda: "is deleted" in page.text(".notice"), "a word about it")
    assert "hard robots" not in page.texts(".choice strong")
