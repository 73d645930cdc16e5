"""Two reviewers in a real browser: blinded, a conflict and its decision; what was judged."""

from __future__ import annotations

from itertools import count

import httpx
import pytest

from helpers.browser import Page, looks_well

numbers = count(1)


@pytest.fixture
def team(page):
    """A review of ada's and ben's, in which eve decides; both have judged three records."""
    name = f"team {next(numbers)}"
    sessions = f"{page.address}/v1/indexes/papers/sessions"
    asked = {"name": name, "words": "robot arm"}
    assert httpx.post(sessions, json=asked).status_code == 201
    base = f"{sessions}/{name}"
    chosen = {"reviewers": ["ada", "ben"], "agree": 2, "blinded": True, "adjudicator": "eve"}
    assert httpx.patch(f"{base}/team", json=chosen).status_code == 200
    shown = httpx.get(f"{base}/page", params={"reviewer": "ada"}).json()["hits"]
    said = {"ada": ("relevant", "not", "not"), "ben": ("not", "not", "relevant")}
    for who, labels in said.items():
        for hit, label in zip(shown, labels, strict=False):
            reasons = [f"{who} says so"] if label == "not" else []
            one = {"id": hit["id"], "label": label, "reasons": reasons}
            judged = {"judgements": [one], "reviewer": who}
            assert httpx.post(f"{base}/judgements", json=judged).status_code == 200
    return page, f"/in/papers/reviews/{name}", [hit["title"] for hit in shown]


def be(page: Page, name: str) -> None:
    page.open("/static/icon.svg")
    page.run("localStorage.setItem('reviewer', arguments[0])", name)


def show(page: Page, view: str) -> None:
    page.open(view)
    page.until(lambda: page.all(".large") and not page.all("[aria-busy]"), view)


def test_a_conflict_is_decided(team):
    page, review, titles = team
    be(page, "ben")
    show(page, f"{review}/conflicts")
    assert page.texts(".conflicts h3") == [titles[0], titles[2]]  # both have judged both
    assert page.texts(".conflicts li:first-child .label") == [
        *["relevant", "not relevant", "ben says so"]
    ]
    assert not page.all(".deciding")
    assert "eve decides" in page.text(".conflicts li:first-child")
    be(page, "eve")
    show(page, f"{review}/conflicts")
    looks_well(page, "conflicts to decide")
    page.say('.conflicts [aria-label="Reason for exclusion"]', "wrong population")
    page.say('.conflicts [aria-label="Note on the decision"]', "we have talked")
    page.click(".conflicts .decide.not")
    page.until(lambda: page.texts(".conflicts h3") == [titles[2]], "one conflict less")
    page.click(".decided summary")
    assert "we have talked" in page.text(".decided")
    page.click(".decided h3 a")
    page.until(lambda: page.all(".one-record .history li"), "the record")
    assert page.texts(".one-record .vote strong") == ["ada", "ben", "eve decided"]
    assert len(page.all(".one-record .history li")) == 3
    looks_well(page, "a record and who said what")
    assert page.complaints() == []


def test_what_is_hidden_and_what_is_said_about_it(team):
    page, review, titles = team
    be(page, "ada")
    page.open(review)
    page.until(lambda: "Blinded: what others say is hidden" in page.text(".blinding"), "a note")
    page.until(lambda: page.all(".card"), "a page to judge")
    assert page.one("select#reviewer").get_attribute("value") == "ada"
    assert {"ada", "ben", "eve"} <= set(page.texts("select#reviewer option"))
    looks_well(page, "a blinded review")
    page.click(".card:not([data-label]) .thumb.relevant")
    page.until(lambda: "You have judged 4 of" in page.text(".blinding"), "her own progress")
    be(page, "ben")
    show(page, f"{review}/judged")
    assert len(page.texts(".judged h2")) == 3  # what ada alone has judged is not there
    show(page, f"{review}/team")
    assert "4 of 2,000 judged" in page.texts(".shares li")[0]
    assert "hidden from you" in page.texts(".shares li")[0]
    be(page, "")
    show(page, f"{review}/team")
    page.until(lambda: "Others have judged 4 more records" in page.text(".side"), "whose they are")
    assert "0 of 2,000 records judged by you" in page.text(".side")
    page.click(".team-settings summary")
    looks_well(page, "the team")
    page.click("#team-blinded")
    page.click(".team-settings .primary")
    page.until(lambda: "Not blinded" in page.text(".blinding"), "that it is not blinded any more")
    assert page.complaints() == []
    assert titles


def test_judged_records_are_found_and_corrected(team):
    page, review, titles = team
    be(page, "ada")
    show(page, f"{review}/judged")
    assert page.text(".status-text") == "3 records"
    page.click('.filters [aria-label="Reviewer"] option[value="ada"]')
    page.click('.filters [aria-label="Judgement"] option[value="relevant"]')
    page.until(lambda: page.texts(".judged h2") == [titles[0]], "what ada calls relevant")
    assert page.run("return location.search") == "?by=ada&label=relevant"
    page.click(".filters summary")
    looks_well(page, "judged records")
    page.click(".judged .thumb.not")
    page.until(lambda: page.texts(".judged .meta .label") == ["not relevant"], "the correction")
    page.click(".judged h2 a")
    page.until(lambda: len(page.all(".one-record .history li")) == 3, "its history")
    page.click(".one-record .thumb.unsure")
    page.until(lambda: len(page.all(".one-record .history li")) == 4, "one step more")
    assert page.text(".one-record .history .label") == "unsure"
    page.chrome.back()
    page.until(lambda: page.all(".judged"), "the list again")
    page.click("#judged-doubtful")
    page.until(lambda: "Nothing to check" in page.text(".status-text"), "too little is judged")
    assert page.complaints() == []


def test_who_is_shown_what(team):
    """Records are assigned, or come from one queue: never to two at once."""
    page, review, _ = team
    for how, said in (("assigned", "assigned to them"), ("shared", "share one queue")):
        be(page, "")
        show(page, f"{review}/team")
        page.click(".team-settings summary")
        page.click(f'#team-work option[value="{how}"]')
        if how == "assigned":
            page.say("#team-each", "1")
            looks_well(page, "assignment")
        page.click(".team-settings .primary")
        page.until(lambda said=said: said in page.text(".large > p"), said)
        shown = [to_judge(page, review, who) for who in ("ada", "ben")]
        assert all(shown)
        assert not set.intersection(*shown)
    assert page.complaints() == []


def to_judge(page: Page, review: str, who: str) -> set[str]:
    be(page, who)
    page.open(review)
    page.until(lambda: page.all(".card"), "a page to judge")
    return {title for title in page.texts(".cards .card:not([data-label]) h2") if title}
