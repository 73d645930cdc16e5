"""A real Chromium, and the page as somebody in front of it sees it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib.resources import files
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "THE WEB PAGE IS NOT TESTED: no chromium and chromedriver on the PATH; "
    "install Debian's packages chromium and chromium-driver or their like"
)
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--lang=en",
    "--force-color-profile=srgb",
)
PATIENCE = 20.0  # seconds for something to appear, on a busy machine
DESKTOP, PHONE = (1280, 900), (390, 844)


def find_programs() -> tuple[str, str] | None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@contextmanager
def running(programs: tuple[str, str], folder: Path) -> Iterator[Chrome]:
    """A browser with a profile of its own, which downloads into `folder`/downloads."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location, driver = programs
    for argument in (*ARGUMENTS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(argument)
    preferences = {
        "download.default_directory": str(folder / "downloads"),
        "profile.default_content_setting_values.automatic_downloads": 1,  # several without asking
    }
    options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    try:
        yield chrome
    finally:
        chrome.quit()


@contextmanager
def serving(path: Path) -> Iterator[str]:
    """`likewise serve` in a process of its own, at any free port: yields the address."""
    command = [sys.executable, "-m", "likewise", "serve", str(path), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"http://[^\s;]+", line):
                break
        else:
            raise AssertionError(f"the server did not start: {''.join(said)}")
        reading = Thread(target=process.stderr.read)  # so that the log never fills the pipe
        reading.start()
        try:
            yield found[0]
        finally:
            process.terminate()
            reading.join()


class Page:
    """What a person does with it: look, click, type, and wait until something is there."""

    def __init__(self, chrome: Chrome, address: str, downloads: Path) -> None:
        self.chrome, self.address, self.downloads = chrome, address, downloads

    def open(self, path: str) -> None:
        self.chrome.get(self.address + path)

    def all(self, css: str) -> list[WebElement]:
        return self.chrome.find_elements("css selector", css)

    def one(self, css: str) -> WebElement:
        """The first of these, once it can be seen."""
        return self.until(lambda: self._first(css), css)

    def _first(self, css: str) -> WebElement:
        return next(one for one in self.all(css) if one.is_displayed())

    def until(self, look: Callable[[], Any], what: str = "") -> Any:
        """Look again until something is seen."""
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            StaleElementReferenceException,
            TimeoutException,
        )
        from selenium.webdriver.support.ui import WebDriverWait

        moved = (StaleElementReferenceException, ElementClickInterceptedException)
        gone = (*moved, IndexError, StopIteration)
        wait = WebDriverWait(self.chrome, PATIENCE, 0.03, ignored_exceptions=gone)
        try:
            return wait.until(lambda _: look())
        except TimeoutException:
            seen = self.chrome.find_element("tag name", "body").text[:1500]
            raise AssertionError(f"never seen: {what or look}; seen: {seen}") from None

    def text(self, css: str) -> str:
        return str(self.until(lambda: [self._first(css).text], css)[0])

    def texts(self, css: str) -> list[str]:
        return [str(text) for text in self.run(TEXTS, css)]

    def click(self, css: str) -> None:
        """Click what is there, or what is drawn anew in its place."""
        self.until(lambda: self._first(css).click() is None, css)

    def say(self, css: str, text: str) -> None:
        """Type into a field, in place of what is there."""

        def typed() -> bool:
            field = self._first(css)
            field.clear()
            field.send_keys(text)
            return True

        self.until(typed, css)

    def press(self, *keys: str) -> None:
        """Keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.chrome, duration=0).send_keys(key).perform()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def resize(self, size: tuple[int, int], *, dark: bool = False) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def complaints(self) -> list[str]:
        """What the browser has against the page: errors, and whatever its policy forbids."""
        logged = self.chrome.get_log("browser")
        return [entry["message"] for entry in logged if entry["level"] == "SEVERE"]

    def downloaded(self, name: str) -> str:
        path = self.downloads / name
        self.until(path.exists, f"the file {name}")
        return path.read_text()

    def forget(self) -> None:
        """As if nobody had been here."""
        self.open("/static/icon.svg")
        self.run("sessionStorage.clear(); localStorage.clear()")
        self.resize(DESKTOP)
        self.complaints()


AXE = """
const done = arguments[arguments.length - 1];
const told = ({ id, impact, nodes }) =>
  [impact, id, nodes.map(({ html, failureSummary }) => [html, failureSummary])];
axe.run({ resultTypes: ["violations"] }).then((found) => done(found.violations.map(told)), done);
"""
OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def serious(page: Page) -> list[Any]:
    """What axe has against whatever is shown now."""
    if not page.run("return 'axe' in window"):
        page.run((files("axe_core_python") / "axe.min.js").read_text())
    found = page.chrome.execute_async_script(AXE)
    return [one for one in found if one[0] in ("serious", "critical")]


def looks_well(page: Page, what: str, sizes: Sequence[tuple[int, int]] = (PHONE, DESKTOP)) -> None:
    """At each width nothing scrolls sideways, and axe finds nothing serious."""
    for size in sizes:
        page.resize(size)
        assert page.run(OVERFLOW) <= 0, (what, size)
        assert not serious(page), (what, size)


TEXTS = """
return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())
"""


def settled(page: Page) -> list[str]:
    """The titles of the results, once no search is under way."""
    page.until(lambda: page.all(".results") and not page.all(".results[aria-busy]"), "results")
    return page.texts(".results .card h2")
