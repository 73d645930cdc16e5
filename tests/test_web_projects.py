"""From a file to a project in a real browser: drop, look, make, search; reload, add, delete."""

from __future__ import annotations

import os
from importlib.resources import files

import pytest

from helpers import browser
from helpers.browser import DESKTOP, PHONE, Page, settled
from helpers.uploading import ris
from test_web_access import AXE, IMAGES, OVERFLOW, RENEW


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("projects")
    with browser.serving(folder) as address:
        yield address


@pytest.fixture
def home(web, address):
    """The first page of a server that makes projects."""
    chrome, folder = web
    page = Page(chrome, address, folder / "downloads")
    page.forget()
    page.open("/")
    page.one(".drop-zone")
    yield page
    assert not page.complaints()


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Files to drop: a list of references, a folder of notes, a large list."""
    folder = tmp_path_factory.mktemp("records")
    twice = ris(40) + ris(3).replace(b"ID  - r", b"ID  - again")
    (folder / "sleep.ris").write_bytes(twice + b"no record at all\n")
    (folder / "notes" / "deep").mkdir(parents=True)
    (folder / "notes" / "one.txt").write_text("Rats sleep\n\nin the light.")
    (folder / "notes" / "deep" / "two.md").write_text("# Noise\n\nRats wake up.")
    (folder / "notes" / "photo.heic").write_bytes(b"\0")
    (folder / "notes" / ".DS_Store").write_bytes(b"\0")
    (folder / "odd.csv").write_text("heading,words\nSleep,rats slept\n")
    (folder / "large.ris").write_bytes(ris(15_000))
    return folder


def drop(page, *paths):
    """Drop files or folders on the page, as a mouse does."""
    held = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for step in ("dragEnter", "dragOver", "drop"):
        asked = {"type": step, "x": 300, "y": 300, "data": held}
        page.chrome.execute_cdp_cmd("Input.dispatchDragEvent", asked)


def choose(page, path):
    page.until(lambda: page.all('input[type="file"]'), "a field for files")[0].send_keys(str(path))


def look_well(page, name):
    """Whatever is shown now: axe finds nothing serious, and nothing scrolls sideways."""
    axe = (files("axe_core_python") / "axe.min.js").read_text()
    for size in (PHONE, DESKTOP):
        page.resize(size)
        assert page.run(OVERFLOW) <= 0, name
        page.run(axe)
        violations = page.chrome.execute_async_script(AXE)
        assert not [one for one in violations if one[0] in ("serious", "critical")], name


def make(page, name):
    page.say("#project-name", name)
    page.click("form .primary")
    page.until(lambda: page.all(".project h1"), "the project")


def told(page):
    return " ".join(page.texts(".told"))


def test_a_file_is_dropped_looked_at_and_searched(home, records):
    look_well(home, "the first page")
    drop(home, records / "sleep.ris")
    assert home.text(".found-count") == "43 records"
    assert "3 duplicates (3 by DOI)" in told(home)
    assert "sleep.ris, line" in home.text(".places")
    assert "title" in home.texts(".fields-found th")
    look_well(home, "a look at files")
    if os.environ.get(RENEW):
        home.chrome.save_screenshot(str(IMAGES / "start.png"))
    assert home.one("#project-name").get_attribute("value") == "sleep"
    make(home, "Sleep of rats")
    home.until(lambda: "40 records can be searched now" in home.text(".notices"), "what was made")
    home.until(lambda: home.text(".project h1") == "Sleep of rats", "its title")
    look_well(home, "a project")
    home.click(".project .button.primary")
    home.say(".question input", "caffeine")
    home.press("\ue007")
    assert "caffeine" in settled(home)[0]


def test_a_folder_and_files_for_it_later(home, records):
    drop(home, records / "notes")
    assert home.text(".found-count") == "2 records"
    assert "1 .heic" in told(home)
    make(home, "Notes")
    home.click('.project a[href$="/add"]')
    choose(home, records / "sleep.ris")
    assert home.text(".found-count") == "43 records"
    home.click("form .primary")
    home.until(lambda: "40 records can be searched" in home.text(".notices"), "what was added")
    home.until(lambda: "42 documents" in home.text(".project header"), "their number")


def test_a_table_whose_columns_have_other_names(home, records):
    choose(home, records / "odd.csv")
    home.until(lambda: "none of the columns" in told(home), "why it cannot be read")
    home.click(".create .details summary")
    home.say("#project-title_column", "heading")
    home.say("#project-text_column", "words\t")
    home.until(lambda: home.texts(".found-count") == ["1 record"], "what was read now")
    make(home, "Odd")
    home.until(lambda: "1 document" in home.text(".project header"), "its documents")


def test_a_reload_finds_what_is_made(home, records):
    choose(home, records / "large.ris")
    home.one("#project-name")
    home.chrome.refresh()
    home.say("#project-name", "Large")
    home.click("form .primary")
    home.one(".making")
    home.chrome.refresh()
    home.one(".making, .project")
    home.open("/")
    home.one(".drop-zone")
    home.until(lambda: "Large" in "".join(home.texts(".choice strong")), "that it is made")
    home.click(".choice")
    home.until(lambda: home.all(".project h1"), "the project")
    home.until(lambda: "15,000 documents" in home.text(".project header"), "its documents")


def test_reviews_and_projects_are_deleted_by_name(home, records):
    choose(home, records / "sleep.ris")
    make(home, "To go")
    home.click('.project a[href$="/reviews"]')
    home.say("#review-name", "Pilot")
    home.click("form.create .primary")
    home.until(lambda: home.all(".card"), "a page to judge")
    home.open("/in/To-go/project")
    home.until(lambda: "0 of 40 records judged" in home.text(".project-review"), "how far it is")
    home.click(".project-review summary")
    home.until(lambda: home.texts(".project-review button")[1:2] == ["Archive"], "what can be done")
    home.one(".project-review input").clear()
    home.one(".project-review input").send_keys("First screening")
    home.click(".project-review form button")
    home.until(lambda: home.texts(".review-name") == ["First screening"], "its new name")
    remove(home, ".project-review", "First screening")
    home.until(lambda: "There is no review yet" in home.text(".project"), "that it is gone")
    remove(home, ".project > .stack", "To go")
    home.one(".drop-zone")
    assert "To go" not in home.texts(".choice strong")


def remove(page, within, name):
    page.click(f"{within} .manage summary")
    page.click(f"{within} .manage .danger")
    look_well(page, "a question")
    assert not page.one("dialog .danger").is_enabled()
    page.say("dialog input", name)
    page.click("dialog .danger")
