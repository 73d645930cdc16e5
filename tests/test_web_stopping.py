"""Whether to stop, in a real browser: the sentence, what is behind it, and a random sample."""

from __future__ import annotations

from itertools import count

import pytest

from helpers.browser import DESKTOP, PHONE, Page, looks_well

numbers = count(1)
LABELS = ["relevant", "not", "relevant", "relevant", "unsure", "not", "relevant"] + ["not"] * 3


def judged(page: Page, name: str) -> str:
    """Begin a review by the API and judge a page of it; returns the path of its page."""
    call = """
        const [base, name, labels, done] = arguments;
        const send = (path, body) => fetch(base + path, {
          method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        }).then((answer) => answer.json());
        const at = `/${encodeURIComponent(name)}`;
        send("", { name, words: "robot arm" })
          .then(() => send(`${at}/page`, {}))
          .then(({ hits }) => send(`${at}/judgements`, {
            judgements: hits.map(({ id }, i) => ({ id, label: labels[i] })),
          })).then(done);
    """
    page.open("/in/papers/reviews")
    page.chrome.execute_async_script(call, "/v1/indexes/papers/sessions", name, LABELS)
    return f"/in/papers/reviews/{name}"


SAYS = "Go on: the last relevant record was 3 records ago."


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_sentence_comes_first_and_its_reasons_when_asked(page, size):
    page.resize(size)
    path = judged(page, f"stopping {next(numbers)}")
    page.open(f"{path}/progress")
    page.until(lambda: plain(page.text(".found .verdict")) == SAYS, "the sentence")
    assert not page.one(".found > section > .details").get_attribute("open")
    page.click(".found > section > .details summary")
    said = [plain(text) for text in page.texts(".found .estimate h3")]
    assert said == ["By how long nothing relevant came", "By records drawn at random"]
    bands = [plain(text) for text in page.texts(".found .recall figcaption")]
    assert len(bands) == 1  # nothing was drawn at random
    assert bands[0].startswith("At least ")
    assert bands[0].endswith("of the relevant ones are found, with 95 % confidence")
    charts = [chart.get_attribute("aria-label") for chart in page.all(".found svg.chart")]
    assert charts == [
        "3 records since the last relevant one; the longest stretch without one was 3",
        "Gain: 4 relevant among the first 10 judged",
    ]
    page.click(".found > section > .details:last-child summary")
    assert len(page.all(".found .figures tbody tr")) == 10
    assert page.texts(".found .figures tr:last-child td") == ["4", "3"]
    looks_well(page, "progress in full", (size,))


def test_a_random_sample_tells_what_it_would_and_is_drawn(page):
    path = judged(page, f"stopping {next(numbers)}")
    page.open(f"{path}/progress")
    page.say("#sample-size", "25")
    told = page.until(
        lambda: "none of 25 records" in page.text("#sample-tells") and page.text("#sample-tells")
    )
    assert "of the relevant ones are found" in told
    looks_well(page, "a sample to draw")
    page.say("#sample-size", "0")
    page.until(lambda: "Choose 1 to 1,000" in page.text("#sample-tells"), "what can be chosen")
    page.say("#sample-size", "25")
    page.click(".sampling button")
    page.until(lambda: len(page.all(".cards .card")) == 25, "a random page of 25")
    shown = page.texts(".cards .card h2")
    page.chrome.refresh()
    page.until(lambda: page.texts(".cards .card h2") == shown, "the same random page")


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")
