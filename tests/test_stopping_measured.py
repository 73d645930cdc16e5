"""What is said about how often bounds hold is what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from likewise.reviews.stopping import RULES
from likewise.reviews.stopping.measured import HELD

ROOT = Path(__file__).resolve().parents[1]
REPORT = ROOT / "benchmarks" / "tables" / "stopping.md"
NAMES = {"random sample": "random sample of 200"}  # the size that is offered


@pytest.fixture(scope="module")
def lines():
    if not REPORT.exists():
        pytest.skip("the reports are not part of this copy")
    return REPORT.read_text().splitlines()


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.fixture(scope="module")
def coverage(lines):
    start = next(i for i, line in enumerate(lines) if line.startswith("| estimate | moments"))
    rows = lines[start + 2 :]
    end = rows.index("")
    return {
        cells(row)[0]: dict(zip(cells(lines[start]), cells(row), strict=True)) for row in rows[:end]
    }


def test_rules_that_are_shown_held_often_enough(coverage):
    assert {str(rule) for rule in RULES} == HELD.keys()
    for rule, held in HELD.items():
        row = coverage[NAMES.get(rule, rule)]
        assert f"{held:.4f}" == row["all"]
        assert min(held, float(row["before all are found"])) >= 0.93
        assert row["reliable"] == "yes"


def test_the_sentence_itself_held(coverage):
    said = [row for name, row in coverage.items() if name.startswith("sentence")]
    assert len(said) == 2
    assert all(float(row["before all are found"]) >= 0.93 for row in said)


def test_the_manual_shows_the_report(lines):
    page = (ROOT / "docs" / "stopping.md").read_text().splitlines()
    shown = [line for line in page if line.startswith(("| ranked urn ", "| power law ", "| Chao"))]
    assert len(shown) >= 5
    tables = [line for line in page if line.startswith("|") and line.count("|") > 8]
    assert set(tables) <= set(lines)
