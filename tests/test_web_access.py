"""The page for everybody: what axe says, small screens, hostile documents; and its screenshots."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpers.browser import DESKTOP, OVERFLOW, PHONE, Page, looks_well, serious, settled
from likewise import Document, Index
from likewise.server.running import started

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
RENEW = "LIKEWISE_SCREENSHOTS"
QUERY = "/in/papers?q=robot+arm&like=1806.07419&like=1907.02555&unlike=1209.2835"
REVIEW = "/in/papers/reviews/soft%20robots"
BEGIN = "/in/papers/reviews"
PROTOCOL = {
    "question": "Which soft robots can grasp?",
    "criteria": "Included: robots that were built and tried. Not: simulation alone.",
    "reasons": ["no robot", "simulation only", "not about grasping"],
    "tags": ["discuss", "background"],
}
VIEWS = (
    "/in/papers",
    QUERY,
    "/in/papers/documents/1806.07419",
    BEGIN,
    REVIEW,
    f"{REVIEW}/progress",
    f"{REVIEW}/history",
    f"{REVIEW}/conflicts",
    f"{REVIEW}/export",
)


@pytest.fixture
def reviewed(page) -> Page:
    """With a review that is in the middle of its sixth page, made once for a server."""
    sessions = f"{page.address}/v1/indexes/papers/sessions"
    new = {"name": "soft robots", "words": "robot arm", "protocol": PROTOCOL}
    made = httpx.post(sessions, json=new)
    if made.status_code == 201:
        found = httpx.get(f"{sessions}/soft robots/page").json()
        for _ in range(5):
            judged = [{"id": hit["id"], "label": label_of(hit)} for hit in found["hits"]]
            asked = {"judgements": judged, "next": {}}
            found = httpx.post(f"{sessions}/soft robots/judgements", json=asked).json()["page"]
        highlights = [{"word": "robot*"}, {"word": "control", "colour": "blue"}]
        httpx.put(f"{sessions}/soft robots/preferences", json={"highlights": highlights})
        begun = [{"id": hit["id"], "label": label_of(hit)} for hit in found["hits"][:2]]
        httpx.post(f"{sessions}/soft robots/judgements", json={"judgements": begun})
    return page


def label_of(hit: dict[str, Any]) -> str:
    """Relevant is what its authors call robotics, first or at all."""
    fields = hit["fields"]
    if fields["primary"] == "cs.RO":
        return "relevant"
    return "unsure" if "cs.RO" in fields["cats"] else "not"


def show(page: Page, view: str) -> None:
    """Open a view, with the reasons for the first result where there are results."""
    page.open(view)
    page.until(lambda: page.all("main > *") and not page.all("[aria-busy]"), view)
    if view == QUERY:
        page.until(lambda: page.all(".results .card mark"), "results")
        page.click(".card button[aria-expanded]")
        page.until(lambda: page.all(".why mark"), "reasons")
    if view == REVIEW:
        page.until(
            lambda: page.all(".card mark.own") and page.all(".reasons li"), "a page to judge"
        )
        page.until(
            lambda: page.all(".counts dd") and page.all(".keys kbd"), "its progress and keys"
        )
    if view == BEGIN:
        page.until(lambda: page.all("details.part > summary"), "what a review begins with")
        for fold in page.all("details.part > summary")[:2]:
            fold.click()


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(reviewed, view):
    reviewed.resize(PHONE)
    show(reviewed, view)
    looks_well(reviewed, view)


def test_axe_finds_nothing_serious_at_night(reviewed):
    for view in (QUERY, REVIEW):  # these have all the colours
        reviewed.resize(DESKTOP, dark=True)
        show(reviewed, view)
        assert not serious(reviewed), view


def test_everything_comes_from_the_server(reviewed):
    for view in (QUERY, REVIEW):
        show(reviewed, view)
        loaded = reviewed.run("return performance.getEntries().map((one) => one.name)")
        assert all(
            name.startswith(reviewed.address) for name in loaded if ":" in name.partition("/")[0]
        )


def test_colours_can_be_chosen(page):
    page.open("/in/papers")
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(paper)
    page.click(".tools button")
    page.click(".tools button")
    assert page.one(".tools button").get_attribute("aria-label") == "Colours: dark"
    page.until(lambda: page.run(paper) != light, "dark paper")
    dark = page.run(paper)
    page.chrome.refresh()
    assert page.run(paper) == dark


def test_no_module_parses_html():
    web = Path(__file__).resolve().parents[1] / "src" / "likewise" / "web"
    modules = {path: path.read_text() for path in web.rglob("*.js")}
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|https?://"
    )
    found = {path.name: forbidden.findall(text) for path, text in modules.items()}
    named = {"dom.js": ["http://"], "meta.js": ["https://"] * 2}  # SVG; links to DOI and PubMed
    assert {name: uses for name, uses in found.items() if uses} == named
    assert all(text.count("\n") < 300 for text in modules.values())
    pages = [path.read_text() for path in web.glob("*.html")]
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*src=)", "".join(pages))


HOSTILE = [
    Document(
        "<b id=pwned>1</b>",
        "robot <img src=x onerror='window.pwned=1'> <script>window.pwned=1</script> &amp; robot",
        "<svg onload='window.pwned=1'>Robots</svg>",
        url="javascript:window.pwned=1",
        source="<i id=pwned>here</i>",
        link="https://example.org/\"onmouseover='window.pwned=1'",
    ),
    Document('"><script>window.pwned=1</script>', "robot " * 30 + "\u202eevil\u0000 '\"<style>*{}"),
    Document("../../etc/passwd", "robot ${window.pwned=1} {{constructor}} robot", "a" * 5000),
]


def test_hostile_documents_stay_text(web, tmp_path):
    chrome, folder = web
    Index.create(tmp_path / "bad.idx").add(HOSTILE)
    with started([tmp_path / "bad.idx"]) as address:
        page = Page(chrome, address, folder / "downloads")
        page.forget()
        page.resize(PHONE)
        page.open("/in/bad?q=robot&unsure=%3Cimg%20src=x%20onerror=window.pwned=1%3E")
        titles = settled(page)
        assert {HOSTILE[0].title, HOSTILE[1].id} <= set(titles)
        for button in page.all(".card button[aria-expanded]"):
            button.click()
        page.until(lambda: len(page.all(".why mark")) > 6, "reasons")
        assert "<script>window.pwned=1</script>" in "".join(page.texts(".why .text"))
        assert page.run(OVERFLOW) <= 0
        assert not page.all("main script, main img, #pwned, main style, [onload], [onerror]")
        assert not [a for a in page.all("main a") if "javascript" in a.get_attribute("href")]
        page.click('.card[data-id^="<b"] .thumb.relevant')
        page.until(lambda: HOSTILE[0].title in page.texts(".side-list a"), "the example")
        page.click(f'.card[data-id="{HOSTILE[2].id}"] h2 a')
        page.until(lambda: page.text(".document .id") == HOSTILE[2].id, "the document")
        page.chrome.refresh()
        page.until(lambda: page.text(".document .id") == HOSTILE[2].id, "the document")
        assert page.run("return window.pwned") is None
        refused = [line for line in page.complaints() if "404" not in line]
        assert not refused


SOMETHING = 20_000  # bytes of a picture that shows something
SCREENSHOTS = {
    "search": (QUERY, DESKTOP, False),
    "review": (REVIEW, DESKTOP, False),
    "one": (REVIEW, DESKTOP, False),
    "begin": (BEGIN, DESKTOP, False),
    "phone-review": (REVIEW, PHONE, False),
    "progress": (f"{REVIEW}/progress", DESKTOP, True),
    "phone": (QUERY, PHONE, False),
}


@pytest.mark.parametrize("name", SCREENSHOTS)
def test_screenshots(reviewed, name):
    """They are made anew where LIKEWISE_SCREENSHOTS is set (make screenshots)."""
    view, size, dark = SCREENSHOTS[name]
    reviewed.resize(size, dark=dark)
    if name in ("one", "phone-review"):
        reviewed.run("localStorage.setItem('judging', 'one')")
    show(reviewed, view)
    reviewed.run("document.activeElement.blur()")
    reviewed.until(lambda: len(reviewed.chrome.get_screenshot_as_png()) > SOMETHING, "something")
    path = IMAGES / f"{name}.png"
    if os.environ.get(RENEW):
        IMAGES.mkdir(exist_ok=True)
        reviewed.chrome.save_screenshot(str(path))
    picture = reviewed.chrome.get_screenshot_as_png()
    assert path.read_bytes()[:8] == picture[:8]
    assert path.read_bytes()[16:24] == picture[16:24]  # the same width and height
    assert len(picture) > SOMETHING
