"""The search page in a real browser: words, examples, judgements, reasons, filters, addresses."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from helpers.browser import Page, settled
from likewise import Document, Index
from likewise.search.methods import METHODS
from likewise.server.running import started
from likewise.server.settings import Limits, Settings

SEARCH = "/in/papers"
ROBOTS = f"{SEARCH}?q=robot+arm"
THUMB = ".results .card:nth-child({}) .thumb.{}"


def asked(page: Page) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(urlsplit(page.chrome.current_url).query)


def examples(page: Page) -> list[str]:
    return page.texts("[data-example] > :first-child")


def judge(page: Page, place: int, label: str) -> str:
    """Press a thumb of a result and wait for the new ranking: returns the document's title."""
    title = settled(page)[place - 1]
    page.click(THUMB.format(place, label))
    page.until(lambda: title in examples(page), title)
    settled(page)
    return title


def test_words_find_documents_and_stand_in_the_address(page):
    page.open("/")
    assert "Show it documents" in page.text(".teach h2")
    page.say("#words", "robot arm\n")
    titles = settled(page)
    assert len(titles) == 10
    assert any("Robot" in title for title in titles)
    assert asked(page) == {"q": ["robot arm"]}
    assert "2,000 records, ranked by words in" in page.text(".status-text")
    page.until(lambda: "robot" in page.texts(".snippet mark")[0].lower(), "words that count")
    page.chrome.back()
    assert page.text(".teach h2")
    page.chrome.forward()
    assert settled(page) == titles


def test_ten_judgements_change_what_follows_and_back_undoes_them(page):
    page.open(ROBOTS)
    before = settled(page)
    labels = ["relevant", "not", "relevant", "unsure", "relevant"] * 2
    judged = [judge(page, place, label) for place, label in enumerate(labels, 1)]
    after = settled(page)
    assert after[:10] == judged  # what was read stays where it was
    assert judged[0] == before[0]
    assert judged != before  # but each judgement has changed what followed it
    assert not set(after[10:]) & set(judged)
    assert "ranked by 9 examples" in page.text(".status-text")  # six liked, the words, two not
    page.click(".status .details summary")
    assert any("steady: " in told for told in page.texts(".status .details dd"))
    assert len(examples(page)) == 10
    page.chrome.back()
    page.until(lambda: len(examples(page)) == 9, "nine examples")
    assert judged[-1] not in examples(page)
    assert set(settled(page)).isdisjoint(judged[:-1])  # ranked anew, without what is judged


def test_nothing_is_lost_on_reload(page):
    page.open(ROBOTS)
    judge(page, 1, "relevant")
    judge(page, 3, "not")
    page.say("#example-text", "Grasping objects with a soft hand")
    page.click(".adding button")
    page.until(lambda: len(examples(page)) == 3, "the typed example")
    titles, address = settled(page), page.chrome.current_url
    kept = sorted(examples(page))
    page.chrome.refresh()
    page.until(lambda: sorted(examples(page)) == kept, "the same examples")
    assert settled(page) == titles
    assert page.chrome.current_url == address
    page.click("[data-example] .quiet")
    page.until(lambda: len(examples(page)) == 2, "one example less")


def test_a_judgement_can_be_taken_back(page):
    page.open(ROBOTS)
    judge(page, 1, "relevant")
    pressed = ".results .card:first-child .relevant[aria-pressed=true]"
    page.click(pressed)
    page.until(lambda: not examples(page), "no example")
    assert not page.all(pressed)
    page.until(lambda: "ranked by words" in page.text(".status-text"))


def test_why_shows_the_text_and_what_each_term_adds(page):
    page.open(ROBOTS)
    settled(page)
    page.click(".card button[aria-expanded]")
    assert page.text(".why caption").startswith("What the words add to its score of 0.")
    assert page.texts(".why .bars th")[:2] == ["arms", "robot"]  # as in its text
    page.until(lambda: page.all(".why mark"), "marks")
    marked = {word.lower() for word in page.texts(".why mark")}
    assert {"robot", "arm"} <= marked <= {"robot", "robots", "robotic", "arm", "arms"}
    page.click(".card button[aria-expanded=true]")
    assert not page.one(".snippet").get_attribute("hidden")


def test_terms_can_be_switched_off_and_pinned(page):
    page.open(f"{SEARCH}?like=1806.07419&method=1c")
    before = settled(page)
    word = page.texts(".term-list .term")[0]
    term = first_control(page).removeprefix("pinned:")
    page.click(f'[data-control="off:{term}"]')
    page.until(lambda: page.texts(".is-off .term") == [word], "the word switched off")
    assert settled(page) != before
    assert asked(page)["off"] == [term]
    page.click(f'[data-control="off:{term}"]')
    page.until(lambda: not page.all(".is-off"), "the term switched on")
    assert settled(page) == before
    last = page.texts(".term-list .term")[-1]
    page.click(f'[data-control="{page.all("[data-control]")[-2].get_attribute("data-control")}"]')
    page.until(lambda: page.texts(".is-pinned .term") == [last], "the term pinned")
    assert page.texts(".term-list .term").index(last) < 12


def first_control(page: Page) -> str:
    return page.one(".term-list [data-control]").get_attribute("data-control")


def test_more_like_this_begins_with_one_document(page):
    page.open(ROBOTS)
    title = settled(page)[2]
    page.click(".card:nth-child(3) a.link")
    page.until(lambda: examples(page) == [title], title)
    assert title not in settled(page)
    page.chrome.back()
    page.until(lambda: not examples(page), "the search from before")


def test_a_document_has_a_page(page):
    page.open(ROBOTS)
    title = settled(page)[0]
    page.click(".card h2 a")
    assert page.text("h1") == title
    page.click(".document .button")
    page.until(lambda: examples(page) == [title], title)


def test_load_more_goes_on_and_is_remembered(page):
    page.open(ROBOTS)
    first = settled(page)
    page.click(".more")
    page.until(lambda: len(settled(page)) == 20, "twenty results")
    assert settled(page)[:10] == first
    page.chrome.refresh()
    page.until(lambda: len(settled(page)) == 20, "twenty results")
    assert len(set(settled(page))) == 20


def test_filters_by_year_and_by_field(page):
    page.open(ROBOTS)
    settled(page)
    page.say('[aria-label="Year from"]', "2018\t")
    page.until(lambda: asked(page).get("filter") == ["created>=2018"], "the filter")
    page.say('[aria-label="Main category"]', "cs.RO\n")
    page.until(lambda: "primary=cs.RO" in asked(page)["filter"][0], "the field")
    assert settled(page)
    assert all("cs.RO" in line for line in page.texts(".card .meta"))
    assert " of 2,000 records" in page.text(".status-text")
    page.say("#filter", "created=>2018\n")
    page.until(lambda: "not understood" in page.text(".panel .bad"), "a sentence")
    assert "primary=cs.RO" in asked(page)["filter"][0]  # as it was
    [refused] = page.complaints()
    assert "422" in refused


def test_files_become_examples(page, tmp_path):
    lines = [{"title": f"Robot {i}", "text": f"Robots walk on {i} legs"} for i in range(3)]
    (tmp_path / "some.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "note.txt").write_text("Soft grippers hold eggs")
    (tmp_path / "more.csv").write_text('title,text\n"Hands, soft","They ""hold"" things"\n')
    (tmp_path / "bad.jsonl").write_text('{"text": "Legs that walk"}\n{"text"\n')
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.4")
    page.open(SEARCH)
    files = [str(tmp_path / name) for name in ("some.jsonl", "note.txt", "more.csv")]
    page.one("#words")
    page.all("#example-files")[0].send_keys("\n".join(files))
    page.until(lambda: len(examples(page)) == 5, "five examples")
    assert {"Robot 0", "note.txt", "Hands, soft"} <= set(examples(page))
    assert any("obot" in title for title in settled(page))
    page.all("#example-files")[0].send_keys(str(tmp_path / "bad.jsonl"))
    page.until(lambda: len(examples(page)) == 6, "the good line")
    assert "One example added. Left out: bad.jsonl, line 2" in page.text(".notice")
    page.all("#example-files")[0].send_keys(str(tmp_path / "paper.pdf"))
    page.until(lambda: "aper.pdf" in page.text(".notice"), "a sentence")
    [refused] = page.complaints()
    assert "422" in refused


def test_methods_are_those_of_the_server(page):
    offered = httpx.get(f"{page.address}/v1/methods").json()

    def options(select):
        return {one.get_attribute("value") for one in page.all(f"{select} option")}

    page.open(f"{SEARCH}?like=1806.07419&method=1c")
    settled(page)
    told = {one["name"] for one in offered["search"]}
    page.until(lambda: options("#method") == told, "the methods of a search")
    assert page.one("#method").get_attribute("value") == "1c"
    page.open(f"{SEARCH}/reviews")
    told = {one["name"] for one in offered["feedback"]}
    page.until(lambda: options("#review-method") == told, "the methods of a review")
    page.all("details.part > summary")[-1].click()
    page.click(".methods-choice summary")
    few = [one.text for one in page.all(".methods-choice label") if one.is_displayed()]
    assert few[0].startswith("Automatic")
    assert len(few) == 4
    assert not any("SVM" in one for one in few)
    page.click(".methods-choice .details summary")
    page.click('#review-method option[value="svdd"]')
    assert not page.all(".methods-choice :checked[type=radio]")
    page.click("#review-method-none")
    assert page.one("#review-method").get_attribute("value") == "none"


def test_text_pasted_or_dropped_becomes_an_example(page):
    page.open(SEARCH)
    page.one("#words")
    page.run(GIVE, "paste", "clipboardData", "Robots that learn to grasp objects from cameras")
    page.until(lambda: len(examples(page)) == 1, "the pasted example")
    page.run(GIVE, "drop", "dataTransfer", "A soft gripper, driven by air, that holds an egg")
    page.until(lambda: len(examples(page)) == 2, "the dropped example")


GIVE = """
const [kind, name, text] = arguments;
const data = new DataTransfer();
data.setData("text/plain", text);
const Kind = kind === "paste" ? ClipboardEvent : DragEvent;
document.body.dispatchEvent(new Kind(kind, { [name]: data, bubbles: true, cancelable: true }));
"""


@pytest.fixture
def busy(web):
    """A server whose one worker for offline searches has something to do until it is told."""
    chrome, folder = web
    with started([folder / "papers.idx"], Settings(limits=Limits(jobs=1))) as address:
        seen = Page(chrome, address, folder / "downloads")
        seen.forget()
        asked = {
            "positive": Index.open(folder / "papers.idx").ids()[:60],
            "method": "pr",
            "options": {"tol": 1e-12, "max_passes": 100_000, "C": 1e6},
        }
        job = httpx.post(f"{address}/v1/indexes/papers/search", json=asked).json()
        yield seen, f"{address}/v1/jobs/{job['id']}"
        httpx.delete(f"{address}/v1/jobs/{job['id']}")


def test_a_search_that_takes_its_time_shows_it_and_can_be_cancelled(busy):
    page, job = busy
    page.open(f"{SEARCH}?like=1806.07419&like=1209.2835&method=ba")
    page.until(lambda: "Waiting for other searches" in page.text(".status-text"))
    page.click(".work button")
    page.until(lambda: "Cancelled" in page.text(".status-text"))
    page.chrome.refresh()
    page.click(".work button + button")
    page.until(lambda: "ranked by 2 examples" in page.text(".status-text"), "a fast search")
    assert asked(page)["method"] == ["centroid"]  # the first one that is online
    page.open(f"{SEARCH}?like=1806.07419&like=1209.2835&method=ba&filter=created>2000")
    page.until(lambda: page.all("progress"), "progress")
    httpx.delete(job)
    assert len(settled(page)) == 10
    assert "ranked by 2 examples" in page.text(".status-text")
    page.click(".status .details summary")
    assert f"ba: {METHODS['ba'].about}" in page.texts(".status .details dd")


def test_a_server_with_tokens_asks_for_one(web, tmp_path):
    chrome, folder = web
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{'a' * 24} review ada\n")
    tokens.chmod(0o600)
    with started([folder / "papers.idx"], Settings(token_file=tokens)) as address:
        page = Page(chrome, address, folder / "downloads")
        page.forget()
        page.open(ROBOTS)
        page.say("#token", "wrong" * 5 + "\n")
        page.until(lambda: "not accepted" in page.text("dialog"), "asked again")
        page.say("#token", "a" * 24 + "\n")
        assert len(settled(page)) == 10
        assert page.text(".who") == "ada · review"


def test_what_a_role_does_not_allow_is_not_offered(web, tmp_path):
    """Ada has made a review; Ben may judge in it, a reader may look."""
    chrome, folder = web
    tokens, database = tmp_path / "tokens", tmp_path / "reviews.sqlite"
    names = {"ada": "review ada", "ben": "review ben", "reader": "read"}
    tokens.write_text("".join(f"{name * 8} {role}\n" for name, role in names.items()))
    settings = Settings(token_file=tokens, database=str(database))
    with started([folder / "papers.idx"], settings) as address:
        made = httpx.post(
            f"{address}/v1/indexes/papers/sessions",
            json={"name": "arms", "words": "robot arm"},
            headers={"Authorization": f"Bearer {'ada' * 8}"},
        )
        assert made.status_code == 201
        offered = {}
        for name in names:
            page = Page(chrome, address, folder / "downloads")
            page.forget()
            page.open("/in/papers/reviews/arms")
            page.say("#token", name * 8 + "\n")
            page.until(lambda page=page: page.all(".manage .row > *"), "the review")
            page.click(".manage summary")
            tabs, manage = page.texts(".tabs a"), page.texts(".manage button")
            page.open("/in/papers/reviews")
            page.until(lambda page=page: page.all(".choice"), "the list")
            offered[name] = (tabs[0], manage, bool(page.all("form.create")), page.text(".who"))
        assert offered == {
            "ada": ("Judge", ["Save", "Rename", "Delete …"], True, "ada · review"),
            "ben": ("Judge", [], True, "ben · review"),
            "reader": ("Judged", [], False, "read only"),
        }


def test_several_indexes_can_be_chosen(web, tmp_path):
    chrome, folder = web
    Index.create(tmp_path / "news.idx").add([Document("1", "Trains run again")])
    with started([folder / "papers.idx", tmp_path / "news.idx"]) as address:
        page = Page(chrome, address, folder / "downloads")
        page.forget()
        page.open("/")
        page.until(lambda: set(page.texts(".choice strong")) == {"papers", "news"}, "both")
        page.click('.choice[href*="/news/"]')
        page.click(".project .button.primary")
        page.say("#words", "train\n")
        assert settled(page) == ["1"]
        page.one("select.where").send_keys("papers")
        page.until(lambda: "/in/papers" in page.chrome.current_url, "the other index")
        page.open("/in/nothing")
        assert page.text("h1") == "There is nothing at this address"
