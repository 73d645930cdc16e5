"""The README's and the manual's examples run. CONTRIBUTING.md says how they are written.

Each page has a folder of its own, prepared by `prepare`, and its examples run in it in order.
"""

from __future__ import annotations

import ast
import csv
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from likewise import feedback
from likewise.datasets import arxiv_sample
from likewise.search import methods
from likewise.weighting import WEIGHTINGS

ROOT = Path(__file__).resolve().parents[1]
MANUAL = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [
    *MANUAL,
    *(
        ROOT / name
        for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    ),
]
NOT_RUN = {"text", "sh", "json", "csv", "ini", "yaml", "py"}  # py: needs other machines
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
ANCHOR = re.compile(r"\]\(([^)\s#:]*)#([^)\s]+)\)")
TABLES = [
    ("by-example.md", "| `method` |", methods.ABOUT),
    ("feedback.md", "| name |", feedback.ABOUT),
    ("search.md", "| name |", WEIGHTINGS),
]
RESULT = "  # -> "
NEEDS = {"adapters.md": ("langchain_core", "llama_index.core", "pyterrier")}


class Block(NamedTuple):
    language: str
    line: int
    code: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(match[1], text.count("\n", 0, match.start()) + 1, match[2])
        for match in FENCE.finditer(text)
    ]


def prepare(folder: Path) -> None:
    """What examples may find: papers/, more/, records.csv, labelled.jsonl, collection/ …"""
    with gzip.open(arxiv_sample(), "rt") as lines:
        sample = [json.loads(line) for _, line in zip(range(140), lines, strict=False)]
    papers = [{**paper, "id": f"doc-{number}"} for number, paper in enumerate(sample, 1)]
    (folder / "papers").mkdir()
    (folder / "papers" / "note.txt").write_text("Robots learn to walk.\n")
    (folder / "more").mkdir()
    write_lines(folder / "papers" / "papers.jsonl", papers[:100])
    write_lines(folder / "more" / "more.jsonl", papers[90:120])
    write_lines(folder / "new.jsonl", papers[120:])
    write_lines(folder / "news.jsonl", [{"id": "1", "text": "Die Züge fahren wieder."}])
    labelled = [{**p, "label": int(p["primary"].startswith("cs."))} for p in papers]
    write_lines(folder / "labelled.jsonl", labelled)
    (folder / "withdrawn.txt").write_text("doc-20\ndoc-21\n")
    with (folder / "records.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Record ID", "Title", "Abstract", "Year"])
        rows.writerows([p["id"], p["title"], p["text"], p["created"][:4]] for p in papers)
    (folder / "collection").mkdir()
    write_lines(folder / "collection" / "docs.jsonl", papers)
    topics = {"math.GT": "geometric topology", "cs.IR": "information retrieval"}
    queries = [{"id": topic, "text": words} for topic, words in topics.items()]
    write_lines(folder / "collection" / "queries.jsonl", queries)
    qrels = [f"{t}\t{p['id']}\t1\n" for t in topics for p in papers if t in p["cats"]]
    (folder / "collection" / "qrels.tsv").write_text("".join(qrels))


def write_lines(path: Path, documents: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    for package in NEEDS.get(page.name, ()):
        pytest.importorskip(package, reason=f"{page.name} shows {package}: likewise[adapters]")
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": page.name}
    with patch.dict(os.environ):  # what a page sets there is for itself
        for block in blocks(page):
            if block.language == "python":
                run_python(page, block, names)
            elif block.language == "console":
                run_console(page, block)


def run_python(page: Path, block: Block, names: dict[str, Any]) -> None:
    """Line numbers in a traceback are the page's own."""
    tree = ast.parse("\n" * block.line + block.code, str(page))
    lines = page.read_text().splitlines()
    results = {node.end_lineno for node in tree.body if isinstance(node, ast.Expr)}
    claims = {n for n, line in enumerate(block.code.splitlines(), block.line + 1) if RESULT in line}
    assert claims <= results, f"{page.name}: only an expression has a result"
    for node in tree.body:
        if isinstance(node, ast.Expr):
            value = eval(compile(ast.Expression(node.value), str(page), "eval"), names)
            expected = lines[node.end_lineno - 1].partition(RESULT)[2]
            where = f"{page.name}, line {node.lineno}"
            assert not expected or matches(repr(value), expected), f"{where}: {value!r}"
        else:
            exec(compile(ast.Module([node], []), str(page), "exec"), names)


def run_console(page: Path, block: Block) -> None:
    """Commands after "$ " must succeed and print the lines below them; "..." is any lines."""
    for session in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, expected = session.replace("\\\n", "").partition("\n")
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )
        where = f"{page.name}, line {block.line}: {command}"
        assert done.returncode == 0, f"{where}\n{done.stdout}"
        assert not expected or matches(done.stdout, expected), f"{where}\n{done.stdout}"


def matches(found: str, expected: str) -> bool:
    """Whether they are the same but for white space and what "..." stands for."""
    pieces = map(re.escape, " ".join(expected.split()).split("..."))
    return re.fullmatch(".*".join(pieces), " ".join(found.split())) is not None


def test_every_example_is_of_a_known_language():
    known = {"python", "console"} | NOT_RUN
    unknown = {(p.name, b.line) for p in PAGES for b in blocks(p) if b.language not in known}
    assert not unknown


def test_links_lead_somewhere():
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in LINK.findall(page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not broken


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_to_headings_lead_somewhere():
    broken = [
        f"{page.name}: {target}#{anchor}"
        for page in PAGES
        for target, anchor in ANCHOR.findall(page.read_text())
        if target.endswith(".md") or not target
        if anchor not in anchors(page.parent / target if target else page)
    ]
    assert not broken


@pytest.mark.parametrize(("page", "head", "table"), TABLES, ids=lambda value: str(value)[:14])
def test_a_table_names_exactly_what_can_be_chosen(page, head, table):
    text = (ROOT / "docs" / page).read_text()
    rows = text[text.index(f"\n{head}") + 1 :].partition("\n\n")[0].splitlines()[2:]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert sorted(names) == sorted(table)


def test_the_demo_runs(tmp_path):
    demo = [sys.executable, ROOT / "examples" / "demo.py"]
    done = subprocess.run(demo, cwd=tmp_path, capture_output=True, text=True)
    assert not done.stderr
    assert "Indexed 2,000 abstracts" in done.stdout
    assert done.stdout.count("are on the topic") == 2


def test_the_table_of_reviews_is_that_of_the_report():
    head = "| views | factors | ratio |"
    report, page = ROOT / "benchmarks" / "tables" / "reviews.md", ROOT / "docs" / "feedback.md"
    tables = [f.read_text().partition(head)[2].partition("\n\n")[0] for f in (report, page)]
    assert tables[0]
    assert tables[0] == tables[1], "renew it: python tools/reviews_table.py"
