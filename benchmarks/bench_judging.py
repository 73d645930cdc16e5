"""Judging in a real browser: from a key to the next record, with what a disk takes beside it."""

from __future__ import annotations

import statistics
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import Figure, quantile, writes
from rows import Row, at_most
from workspace import LeftOutError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workspace import Workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
DOCUMENTS, JUDGEMENTS, FIRST = 5_000, 300, 50
METHOD = (
    f"{DOCUMENTS:,} arXiv abstracts with a latent space, `likewise serve` and Chromium on one "
    f"machine. A review whose pages have one record; {JUDGEMENTS} judgements by key, of which the "
    f"first {FIRST} are not counted: relevant is what speaks of learning. From the key to the next "
    "record in the page, ready to be judged: the judgement is on disk by then, and so is the next "
    "page. The request alone is what of that the browser waits for the server. A write to disk is "
    "4 KiB and fsync in the same folder; judging and going on takes two or three."
)
PACKAGES = ("likewise", "fastapi", "uvicorn", "selenium")
# Every judgement by a key event; the next one when the record has changed.
JUDGE = """
const [number, done] = arguments;
performance.setResourceTimingBufferSize(20000);
(async () => {
  const times = [];
  for (let i = 0; i < number; i++) {
    const card = document.querySelector(".card");
    const key = /learning/i.test(card.textContent) ? "y" : "n";
    const begun = performance.now();
    const changed = new Promise((resolve) => {
      const look = new MutationObserver(() => {
        const now = document.querySelector(".card");
        if (now && now !== card) { look.disconnect(); resolve(performance.now()); }
      });
      look.observe(document.querySelector(".cards"), { childList: true });
    });
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    times.push((await changed) - begun);
    await new Promise((resolve) => setTimeout(resolve, 150));  // a person looks at it
  }
  const requests = performance.getEntriesByType("resource")
    .filter(({ name }) => name.endsWith("/judgements")).map(({ duration }) => duration);
  return { times, requests };
})().then(done, (error) => done({ error: String(error) }));
"""


def rows(workspace: Workspace) -> list[Row]:
    number = 60 if workspace.quick else JUDGEMENTS
    first = min(FIRST, number // 2)
    path = indexed(workspace)
    found = judged(path, workspace.directory, number)
    disk = writes(workspace.directory)
    return [
        row("judge and next", found["times"][first:], 25),
        p95("judge and next, of twenty the slowest", found["times"][first:]),
        row("the request alone", found["requests"][first:]),
        row("a write to disk", disk),
        p95("a write to disk, of twenty the slowest", disk),
    ]


def row(work: str, times: Sequence[float], most: float | None = None) -> Row:
    figure = Figure(statistics.median(times), min(times))
    return Row(work, "ms", figure, goal=None if most is None else at_most(most))


def p95(work: str, times: Sequence[float]) -> Row:
    slow = quantile(sorted(times), 0.95)
    return Row(work, "ms", Figure(slow, slow))


def indexed(workspace: Workspace) -> Path:
    from likewise import Index

    lines = workspace.directory / "judging.jsonl"
    with workspace.arxiv.open("rb") as source:
        lines.write_bytes(b"".join(islice(source, DOCUMENTS)))
    path = workspace.fresh("judging.idx")
    Index.create(path).add(lines)
    return path


def judged(path: Path, folder: Path, number: int) -> dict[str, Any]:
    import httpx

    from helpers import browser

    programs = browser.find_programs()
    if programs is None:
        raise LeftOutError("there is no chromium and chromedriver on the PATH")
    with browser.serving(path) as address, browser.running(programs, folder) as chrome:
        new = {"name": "speed", "words": "learning robots", "page_size": 1}
        sessions = f"{address}/v1/indexes/judging/sessions"
        httpx.post(sessions, json=new, timeout=120).raise_for_status()
        page = browser.Page(chrome, address, folder / "downloads")
        page.resize(browser.DESKTOP)
        page.open("/in/judging/reviews/speed")
        page.until(lambda: page.all(".card") and page.texts(".keys kbd"), "a record and the keys")
        chrome.set_script_timeout(240)
        found: dict[str, Any] = chrome.execute_async_script(JUDGE, number)
    if "error" in found:
        raise RuntimeError(found["error"])
    return found
