"""The terminal and the page have the same keys for the same actions."""

from __future__ import annotations

import re
from importlib.resources import files

from likewise.cli.keyboard import KEYS
from likewise.cli.review_loop import ACTIONS
from likewise.cli.screen import BRIEFLY, HELP


def keys_of_the_page() -> dict[str, str]:
    script = (files("likewise") / "web" / "js" / "review" / "keys.js").read_text()
    table = re.search(r"const KEYS = \{(.*?)\};", script, re.DOTALL)
    return dict(re.findall(r'(\w+): "(.)"', table[1]))


def test_the_page_has_the_terminal_s_keys():
    assert keys_of_the_page() == KEYS


def test_the_terminal_uses_and_explains_them():
    explained = " ".join(keys for keys, _ in HELP).split()
    assert len(set(explained)) == len(explained)  # no key for two things
    for key in KEYS.values():
        assert key in ACTIONS
        assert key in explained
    briefly = dict(reversed(part.split(" ")) for part in BRIEFLY.split("  "))
    assert {
        action: key for action, key in briefly.items() if action in KEYS
    }.items() <= KEYS.items()
