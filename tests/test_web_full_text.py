"""The stage of full texts in a real browser: the PDF beside its record, attached and matched."""

from __future__ import annotations

from itertools import count

import httpx
import pytest

from helpers import papers
from helpers.browser import DESKTOP, PHONE, Page, looks_well
from test_web_judging import shown

numbers = count(1)
NOTING = """
window.made = [];
const make = URL.createObjectURL.bind(URL);
URL.createObjectURL = (blob) => { made.push([blob.type, blob.size]); return make(blob); };
"""
REASONS = ["wrong population", "simulation only"]


@pytest.fixture
def review(page) -> Page:
    """A review with three records found relevant, at the stage of full texts."""
    name = f"full text {next(numbers)}"
    sessions = f"{page.address}/v1/indexes/papers/sessions"
    page.review = f"{sessions}/{name}"
    with httpx.Client() as client:
        client.post(sessions, json={"name": name, "words": "robot arm", "page_size": 5})
        hits = client.get(f"{page.review}/page").json()["hits"][:3]
        judged = [{"id": hit["id"], "label": "relevant"} for hit in hits]
        client.post(f"{page.review}/judgements", json={"judgements": judged}).raise_for_status()
        client.put(f"{page.review}/protocol", json={"reasons": REASONS}).raise_for_status()
        client.patch(page.review, json={"stage": "full text"}).raise_for_status()
    page.name = name
    return page


def begin(page: Page) -> list[dict]:
    page.open(f"/in/papers/reviews/{page.name}")
    page.until(lambda: page.all(".no-pdf"), "a place for a PDF")
    return hits(page)


def hits(page: Page) -> list[dict]:
    return httpx.get(f"{page.review}/page").json()["hits"]


def give(page: Page, css: str, *paths) -> None:
    page.all(css)[0].send_keys("\n".join(map(str, paths)))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_pdf_beside_its_record_and_reasons_for_exclusion(review, size, tmp_path):
    from selenium.webdriver.common.keys import Keys

    review.resize(size)
    before = begin(review)
    assert shown(review) == [before[0]["title"]]
    review.until(
        lambda: review.text(".full-text-state p") == "0 of 3 full texts are here", "how many"
    )
    looks_well(review, "a place for a PDF", (size,))
    title, box = (review.one(css).rect["y"] for css in (".card.chosen h2", ".full-text"))
    assert (title < box) == (size is PHONE)  # beside each other, or the record first
    content = papers.pdf(["The text of the paper, all of it."])
    (tmp_path / "smith 2020.pdf").write_bytes(content)
    review.run(NOTING)
    give(review, ".no-pdf input", tmp_path / "smith 2020.pdf")
    review.until(lambda: review.all(".pdf-link[href^='blob:']"), "the PDF")
    assert review.text(".pdf-name") == "smith 2020.pdf"
    assert len(review.all("iframe[src^='blob:']")) == (size is DESKTOP)
    assert review.run("return made") == [["application/pdf", len(content)]]
    review.until(lambda: review.text(".full-text-state p") == "1 of 3 full texts are here", "one")
    looks_well(review, "a PDF", (size,))
    review.run("document.querySelector('.card.chosen').focus()")
    review.press("n")
    review.one("dialog")
    looks_well(review, "reasons that are needed", (size,))
    assert review.texts(".choice-list label") == [
        "1 wrong population",
        "2 simulation only",
        "3 not retrieved",
    ]
    review.click("dialog .primary")
    review.until(
        lambda: review.text("dialog .bad") == "Choose a reason, or write one.", "a refusal"
    )
    review.press("2", Keys.ENTER)
    review.until(lambda: shown(review) == [before[1]["title"]], "the next record")
    review.until(lambda: review.all(".no-pdf"), "which has no PDF")
    lost = "//button[text()='Full text could not be retrieved']"
    review.chrome.find_element("xpath", lost).click()
    review.until(lambda: shown(review) == [before[2]["title"]], "the next record")
    now = review.until(lambda: hits(review)[1]["label"] and hits(review), "both judged")
    assert [(hit["label"], hit["reasons"]) for hit in now] == [
        ("not", ["simulation only"]),
        ("not", ["not retrieved"]),
        (None, []),
    ]
    flow = httpx.get(f"{review.review}/report").json()["flow"]["full_text"]
    assert (flow["not_retrieved"], flow["excluded"]) == (1, {"simulation only": 1})


def test_several_pdfs_find_their_records(review, tmp_path):
    before = begin(review)
    for name, title in (("a.pdf", before[1]["title"]), ("b.pdf", "Of another paper altogether")):
        text = "The text of a paper in small letters, so that its title stands out among them."
        (tmp_path / name).write_bytes(papers.pdf([text], title))
    give(review, ".full-text-state input", tmp_path / "a.pdf", tmp_path / "b.pdf")
    assert review.text("dialog h2") == "1 of 2 PDFs found their records"
    assert review.text("dialog li").startswith("b.pdf\nno record that was found relevant")
    looks_well(review, "PDFs that found no record")
    assert "422" in review.complaints()[0]
    review.click("dialog button:last-child")
    review.press("j")
    review.until(lambda: review.all(".pdf-name") and review.text(".pdf-name") == "a.pdf", "its PDF")
    review.chrome.find_element("xpath", "//button[text()='Remove']").click()
    review.click("dialog .primary")
    review.until(lambda: review.all(".no-pdf"), "none")


def test_from_one_stage_to_the_other(review):
    begin(review)
    assert "3 full texts" in review.text(".about")
    review.click(".manage summary")
    looks_well(review, "settings")
    review.one("#set-stage").send_keys("titles")
    review.click(".settings button")
    review.until(lambda: not review.all(".with-pdf") and review.all(".card"), "abstracts")
    assert httpx.get(review.review).json()["stage"] == "title/abstract"


def test_a_correction_asks_for_its_reason(review):
    from selenium.webdriver.common.keys import Keys

    begin(review)
    review.press("y")
    review.until(lambda: hits(review)[0]["label"] == "relevant", "a judgement")
    review.open(f"/in/papers/reviews/{review.name}/judged")
    review.click(".judged .thumb.not")
    review.one("dialog")
    assert "422" in review.complaints()[0]
    looks_well(review, "a reason for a correction")
    review.press("1", Keys.ENTER)
    review.until(lambda: review.texts(".judged .beside .label") == [REASONS[0]], "its reason")
    assert hits(review)[0]["label"] == "not"
