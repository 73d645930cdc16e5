"""Titles of text files: the first line, a heading, or front matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.reading import read_all
from likewise.readers.frontmatter import split_front_matter

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "text", "title", "rest"),
    [
        ("a.txt", "A title\n\nThe text", "A title", "\nThe text"),
        ("a.txt", "\n\n  A title \nThe text", "A title", "The text"),
        ("a.txt", "one line only\n", "", "one line only\n"),
        ("a.txt", f"{'long ' * 50}\nThe text", "", f"{'long ' * 50}\nThe text"),
        ("a.md", "A title\n\nThe text", "A title", "\nThe text"),
        ("a.md", "- a list\n- of two", "", "- a list\n- of two"),
        ("a.md", "intro\n# A title\nThe text", "A title", "intro\nThe text"),
        ("a.md", "---\ntitle: A title\n---\n# Heading\n", "A title", "# Heading\n"),
        (
            "a.md",
            "---\nnot front matter\n---\nThe text",
            "",
            "---\nnot front matter\n---\nThe text",
        ),
    ],
)
def test_titles(tmp_path: Path, name: str, text: str, title: str, rest: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_all(tmp_path / name)[0].texts == (title, rest)


def test_front_matter_becomes_fields(tmp_path: Path) -> None:
    text = """---
title: "On birds: a note"
author:
  - Ada Lovelace
  - Doe, J.
date: 2019-05-01
tags: [ice, 'cold water']
draft: false
abstract: >
  They walk
  for days.
# a comment
n: 7
---
# Heading
"""
    (tmp_path / "a.md").write_text(text)
    values = read_all(tmp_path / "a.md")[0].values
    assert values["title"] == "On birds: a note"
    assert values["authors"] == ["Ada Lovelace", "Doe, J."]
    assert (values["year"], values["date"]) == (2019, "2019-05-01")
    assert values["keywords"] == ["ice", "cold water"]
    assert values["abstract"] == "They walk for days."
    assert (values["n"], values["draft"]) == (7, "false")
    assert values["text"] == "# Heading\n"


def test_front_matter_of_toml() -> None:
    fields, text = split_front_matter('+++\ntitle = "A"\ndate = 2020-01-02\n+++\nbody')
    assert (fields["title"], fields["year"], text) == ("A", 2020, "body")
    assert split_front_matter("+++\ntitle = \n+++\nbody") == ({}, "+++\ntitle = \n+++\nbody")


@pytest.mark.parametrize("text", ["---", "---\n", "---\n---\n", "---\nx", "", "---\n- a\n---\n"])
def test_what_is_no_front_matter_stays(text: str) -> None:
    assert split_front_matter(text) == ({}, text)
