"""Judging in a real browser: one by one, reasons, notes, tags, highlights and keys of one's own."""

from __future__ import annotations

from itertools import count

import httpx
import pytest

from helpers.browser import DESKTOP, PHONE, Page, looks_well

numbers = count(1)
REASONS = ["wrong population", "simulation only"]


@pytest.fixture
def review(page) -> Page:
    """A review with a question, reasons and tags, judged one record at a time."""
    name = f"judging {next(numbers)}"
    sessions = f"{page.address}/v1/indexes/papers/sessions"
    httpx.post(sessions, json={"name": name, "words": "robot arm", "page_size": 4})
    protocol = {"question": "Do robots help?", "reasons": REASONS, "tags": ["discuss"]}
    httpx.put(f"{sessions}/{name}/protocol", json=protocol).raise_for_status()
    page.open(f"/in/papers/reviews/{name}")
    page.until(lambda: page.all(".card mark") and page.texts(".reasons li"), "a page to judge")
    page.review = f"{sessions}/{name}"
    return page


def now(page: Page) -> list[dict]:
    return httpx.get(f"{page.review}/page").json()["hits"]


def shown(page: Page) -> list[str]:
    return [one.text for one in page.all(".cards .card h2") if one.is_displayed()]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_one_by_one_with_reasons_notes_and_undo(review, size):
    from selenium.webdriver.common.keys import Keys

    review.resize(size)
    hits = now(review)
    whole = httpx.get(f"{review.address}/v1/indexes/papers/documents/{hits[0]['id']}").json()[
        "text"
    ]
    assert review.texts(".card .abstract")[0] == whole
    review.click(".switch button:last-child")
    assert shown(review) == [hits[0]["title"]]
    looks_well(review, "one record", (size,))
    review.press("2")
    review.until(lambda: shown(review) == [hits[1]["title"]], "the next record")
    review.press("w")
    assert review.texts(".card.chosen .bars th")[0] in ("arms", "robot")  # as in its text
    looks_well(review, "why", (size,))
    review.press("r")
    review.one("dialog #choice-other").send_keys("another one")
    looks_well(review, "reasons", (size,))
    review.press(Keys.ENTER)
    review.until(lambda: shown(review) == [hits[2]["title"]], "the next record")
    review.press("m")
    review.one(".card.chosen textarea").send_keys("see table 2", Keys.ESCAPE)
    review.press("t")
    looks_well(review, "tags and a note", (size,))
    review.press("1", Keys.ENTER)
    review.until(lambda: review.texts(".card.chosen .label.tag") == ["discuss"], "a tag")
    kept = review.until(lambda: now(review)[2]["note"] and now(review), "a note")
    assert [hit["reasons"] for hit in kept[:3]] == [[REASONS[1]], ["another one"], []]
    assert (kept[2]["note"], kept[2]["tags"], kept[2]["label"]) == (
        "see table 2",
        ["discuss"],
        None,
    )
    review.press("y")
    review.until(lambda: shown(review) == [hits[3]["title"]], "the next record")
    review.press("u")
    review.until(lambda: review.text(".status-text") == "Page 2, record 1 of 4", "the next page")
    review.press("z")
    review.until(lambda: shown(review) == [hits[3]["title"]], "the record judged last")
    review.chrome.refresh()
    review.until(lambda: review.all(".judging.one .card.chosen"), "one record, as before")
    assert len(shown(review)) == 1


def test_highlights_and_keys_of_one_s_own(review):
    from selenium.webdriver.common.keys import Keys

    review.press("h")
    review.press(*"robot*", Keys.ENTER)
    review.until(lambda: review.all(".abstract mark.own.yellow"), "highlights")
    marked = {word.lower() for word in review.texts(".abstract mark.own")}
    assert "robot" in marked
    assert all(word.startswith("robot") for word in marked)
    looks_well(review, "highlights")
    review.run("document.activeElement.blur()")
    review.press("?")
    assert "next record" in review.texts("dialog dd")
    looks_well(review, "keys")
    review.click("dialog .link")
    looks_well(review, "keys to change")
    review.say("#key-relevant", "n")
    review.click("dialog .primary")
    review.until(lambda: "would be for both" in review.text("dialog .bad"), "a refusal")
    assert "422" in review.complaints()[0]
    review.say("#key-relevant", "i")
    review.click("dialog .primary")
    review.until(lambda: not review.all("dialog"), "the keys kept")
    review.press("y", "i")
    review.until(lambda: now(review)[0]["label"] == "relevant", "judged by the new key")
    assert now(review)[1]["label"] is None
    httpx.put(f"{review.review}/preferences", json={"keys": {}}).raise_for_status()


def test_what_counts_can_be_edited(review):
    review.click(".protocol .link")
    review.say("#protocol-reasons", "too old\nno abstract")
    looks_well(review, "what counts")
    review.click("dialog .primary")
    review.until(lambda: review.texts(".reasons li")[0].endswith("too old"), "new reasons")
    review.run("document.activeElement.blur()")
    review.press("1")
    review.until(lambda: now(review)[0]["reasons"] == ["too old"], "judged for the new reason")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_review_begins_with_all_that_is_known(page, tmp_path, size):
    page.resize(size)
    page.open("/in/papers/reviews")
    name = f"known {next(numbers)}"
    page.say("#review-name", name)
    for fold in page.all("details.part > summary"):
        fold.click()
    page.say("#known-words", "robot arm")
    page.click("#known-words + button")
    found = page.text(".found-list li span")
    page.click(".found-list li button")
    page.until(lambda: found in page.texts(".known-list li span"), "a paper that was chosen")
    page.say("#known-names", "1209.2835\n10.1/none")
    page.click("#known-names + .row button:last-child")
    page.until(lambda: "Not among the records: 10.1/none" in page.text(".known .bad"), "its name")
    file = tmp_path / "known.csv"
    file.write_text("title,abstract\nSpiders spin silk at dawn,On silk.\n")
    page.chrome.find_element("css selector", "#known-file").send_keys(str(file))
    page.until(
        lambda: "Spiders spin silk at dawn" in page.texts(".known-list li span"), "an example"
    )
    page.say("#protocol-question", "What do robots grasp?")
    page.say("#protocol-reasons", "no robot")
    page.say("#team-names", "ann, ben")
    page.run("document.querySelector('#review-random').value = '0.5'")
    looks_well(page, "a review to begin", (size,))
    page.click("form.create .primary")
    page.until(lambda: page.texts(".counts dd") == ["1", "1", "0"], "what was known")
    page.until(lambda: "What do robots grasp?" in page.texts(".protocol p"), "the question")
    page.click(".more")
    page.until(lambda: page.text(".status-text") == "Page 2, a random sample", "a random page")
    sessions = f"{page.address}/v1/indexes/papers/sessions"
    assert httpx.get(f"{sessions}/{name}").json()["random_rate"] == 0.5


def test_a_phone_has_what_is_needed_and_covers_nothing(review):
    review.resize(PHONE)
    review.chrome.refresh()
    review.until(lambda: review.all(".card mark") and review.all(".stop-line .verdict"), "a page")
    assert review.text(".stop-line .verdict") == "Go on: nothing has been judged yet."
    tabs = [one for one in review.all(".tabs > *") if one.is_displayed()]
    assert [one.text for one in tabs] == ["Judge", "Judged", "Progress", "More"]
    assert max(one.rect["y"] for one in tabs) - min(one.rect["y"] for one in tabs) < 10  # a line
    review.click(".tabs button")
    tabs = [one.text for one in review.all(".tabs a") if one.is_displayed()]
    assert tabs[3:] == ["Conflicts", "Team", "History", "Export"]
    review.press("u")
    review.until(lambda: now(review)[0]["label"] == "unsure", "a judgement")
    review.press("z")
    notice = review.one(".notice").rect
    review.run("document.querySelector('.more').scrollIntoView({ block: 'end' })")
    top = review.run("return document.querySelector('.more').getBoundingClientRect().top")
    assert notice["height"] < 150 < top  # it is above
