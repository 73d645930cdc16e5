"""From a file to a project in a real browser: drop, look, make, search; reload, add, delete."""

from __future__ import annotations

import os

import pytest

from helpers import browser
from helpers.browser import Page, looks_well, settled
from helpers.uploading import ris
from test_web_access import IMAGES, RENEW


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
    lines = [f"Rats sleep {i},in light {i},{int(i < 3)}" for i in range(12)]
    (folder / "screened.csv").write_text("\n".join(["title,abstract,included", *lines]))
    return folder


def drop(page, *paths):
    """Drop files or folders on the page, as a mouse does."""
    held = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for step in ("dragEnter", "dragOver", "drop"):
        asked = {"type": step, "x": 300, "y": 300, "data": held}
        page.chrome.execute_cdp_cmd("Input.dispatchDragEvent", asked)


def choose(page, path):
    page.until(lambda: page.all('input[type="file"]'), "a field for files")[0].send_keys(str(path))


def make(page, name):
    page.say("#project-name", name)
    page.click("form .primary")
    page.until(lambda: page.all(".project h1"), "the project")


CLICK_CHOICE = """
const found = [...document.querySelectorAll(".choice")].find(
  (one) => one.textContent.includes(arguments[0]));
found?.click();
return Boolean(found);
"""


def click_choice(page, name):
    """Whether there was a choice of this name: found and clicked at once, for the list is drawn
    anew, and moves, while something is made.
    """
    return page.run(CLICK_CHOICE, name)


def told(page):
    return " ".join(page.texts(".told"))


def test_a_file_is_dropped_looked_at_and_searched(home, records):
    looks_well(home, "the first page")
    drop(home, records / "sleep.ris")
    assert home.text(".found-count") == "43 records"
    assert "3 duplicates, with the same DOI as an earlier record" in told(home)
    assert "sleep.ris, line" in home.text(".places")
    assert {"Title", "Authors", "DOI", "Year"} <= set(home.texts(".fields-found th"))
    looks_well(home, "a look at files")
    if os.environ.get(RENEW):
        home.chrome.save_screenshot(str(IMAGES / "start.png"))
    assert home.one("#project-name").get_attribute("value") == "sleep"
    make(home, "Sleep of rats")
    home.until(lambda: "40 records can be searched now" in home.text(".notices"), "what was made")
    home.until(lambda: home.text(".project h1") == "Sleep of rats", "its title")
    looks_well(home, "a project")
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
    home.until(lambda: "42 records" in home.text(".project header"), "their number")


def test_a_table_whose_columns_have_other_names(home, records):
    choose(home, records / "odd.csv")
    home.until(lambda: "none of the columns" in told(home), "why it cannot be read")
    home.click(".create .details summary")
    home.say("#project-title_column", "heading")
    home.say("#project-text_column", "words\t")
    home.until(lambda: home.texts(".found-count") == ["1 record"], "what was read now")
    make(home, "Odd")
    home.until(lambda: "1 record" in home.text(".project header"), "its documents")


def test_a_reload_finds_what_is_made(home, records):
    choose(home, records / "large.ris")
    home.one("#project-name")
    home.chrome.refresh()
    home.one(".found-count")  # what was found is not asked for any more
    home.say("#project-name", "Large")
    home.click("form .primary")
    home.one(".making, .project")  # on a fast machine it is made before anybody looks
    home.chrome.refresh()
    home.one(".making, .project")
    home.open("/")
    home.one(".drop-zone")
    home.until(lambda: "Large" in "".join(home.texts(".choice strong")), "that it is made")
    home.until(lambda: click_choice(home, "Large"), "what leads to it")
    home.until(lambda: home.all(".project h1"), "the project")
    home.until(lambda: "15,000 records" in home.text(".project header"), "its documents")


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
    home.click(".project-review summary")
    home.click(".project-review .manage > .row > button")
    home.until(lambda: "Archived (1)" in home.texts(".project summary"), "the archive")
    home.open("/in/To-go/reviews")
    home.until(lambda: "Archived (1)" in home.texts(".reviews summary"), "the archive")
    assert not [one for one in home.all(".choice") if one.is_displayed()]
    home.open("/in/To-go/project")
    home.click(".project section details > summary")
    remove(home, ".project-review", "First screening")
    home.until(lambda: "There is no review yet" in home.text(".project"), "that it is gone")
    remove(home, ".project > .stack", "To go")
    home.one(".drop-zone")
    assert "To go" not in home.texts(".choice strong")


def test_a_review_begins_with_labels_of_the_file(home, records):
    choose(home, records / "screened.csv")
    home.until(lambda: "3 relevant, 9 not relevant" in told(home), "labels")
    looks_well(home, "labels that were found")
    make(home, "Screened before")
    home.click('.project a[href$="/reviews"]')
    home.say("#review-name", "Again")
    home.click("details.part > summary")
    home.click("#known-labels")
    looks_well(home, "labels to begin with")
    home.click("form.create .primary")
    home.until(lambda: home.texts(".counts dd") == ["3", "9", "0"], "what was known")


def test_a_project_is_renamed_and_archived(home, records):
    manage = ".project > .stack > .manage"
    drop(home, records / "odd.csv", records / "notes" / "one.txt")
    make(home, "Working title")
    home.click(f"{manage} summary")
    home.say('[aria-label="New name of the project"]', "Sleep and light")
    home.click(f"{manage} form button")
    home.until(lambda: home.texts(".project h1") == ["Sleep and light"], "its new name")
    assert "/in/Working-title/" in home.chrome.current_url  # links stay
    home.until(lambda: "Sleep and light" in home.text(".where"), "in the bar as well")
    home.click(f"{manage} summary")
    looks_well(home, "what an owner may do")
    home.click(f"{manage} > .row > button")
    home.until(lambda: home.texts(".archived summary") == ["Archived (1)"], "the archive")
    assert "Sleep and light" not in home.texts(".choice strong")
    home.click(".archived summary")
    home.until(lambda: home.texts(".archived strong") == ["Sleep and light"], "what is in it")
    looks_well(home, "the archive")
    home.click(".archived .choice")
    home.until(lambda: home.text(".project header p").startswith("archived · "), "that it is")
    home.click(f"{manage} summary")
    home.click(f"{manage} > .row > button")
    home.until(lambda: not home.text(".project header p").startswith("archived"), "that it is not")


def remove(page, within, name):
    page.click(f"{within} .manage summary")
    page.click(f"{within} .manage .danger")
    looks_well(page, "a question")
    assert not page.one("dialog .danger").is_enabled()
    page.say("dialog input", name)
    page.click("dialog .danger")
