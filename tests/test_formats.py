"""The table of formats: printed by `likewise formats`, written in the documentation, kept."""

from __future__ import annotations

import json
import runpy
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from helpers.command_line import succeed
from likewise.readers.formats import EXTRA, FORMATS, SUFFIXES, distribution
from likewise.readers.preview import TEXT_FORMATS
from likewise.writers import FORMATS as WRITTEN

ROOT = Path(__file__).parent.parent


def test_the_documentation_has_this_table():
    tool = runpy.run_path(str(ROOT / "tools" / "formats_table.py"))
    assert tool["table"]() in tool["PAGE"].read_text(), "run tools/formats_table.py"


def test_the_pages_about_uploads_have_these_formats():
    tool = runpy.run_path(str(ROOT / "tools" / "formats_table.py"))
    assert tool["uploads"]().count("`") == 2 * len(TEXT_FORMATS)
    for page in tool["UPLOADS"]:
        assert tool["uploads"]() in page.read_text(), f"{page.name}: run tools/formats_table.py"


@pytest.mark.parametrize("name", FORMATS)
def test_every_reader_can_be_loaded(name):
    assert callable(FORMATS[name].load())


def test_a_suffix_has_one_format():
    assert len(SUFFIXES) == sum(len(format.suffixes) for format in FORMATS.values())


def test_the_extra_brings_every_library():
    optional = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    brought = {Requirement(line).name for line in optional[EXTRA]}
    assert {distribution(format.needs) for format in FORMATS.values() if format.needs} <= brought
    (everything,) = optional["all"]
    assert Requirement(everything).extras >= {EXTRA, "eval", "postgres", "server"}


def test_the_command_lists_every_format():
    listed = json.loads(succeed("formats", "--json")[0])["formats"]
    assert [one["name"] for one in listed] == list(FORMATS)
    for one, format in zip(listed, FORMATS.values(), strict=True):
        assert tuple(one["suffixes"]) == format.suffixes
        assert one["installed"] == format.installed
    assert json.loads(succeed("formats", "--json")[0])["written"] == list(WRITTEN)
    lines = succeed("formats")[0].splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(FORMATS)]] == list(FORMATS)


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(FORMATS, "ris", FORMATS["ris"]._replace(needs="not_there"))
    shown = succeed("formats")[0]
    assert "not-there (missing)" in shown
    assert shown.endswith(f"what is missing: pip install 'likewise[{EXTRA}]'\n")
