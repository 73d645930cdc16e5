"""Runs commands of the command line within the test's process."""

from __future__ import annotations

import json
import re

from typer.testing import CliRunner

from likewise import Index
from likewise.cli.app import app


def run(*arguments, input=None):
    """Run a command; its status, stdout and stderr."""
    result = CliRunner().invoke(app, list(map(str, arguments)), input=input, prog_name="likewise")
    return result.exit_code, result.stdout, result.stderr


def succeed(*arguments, input=None):
    status, stdout, stderr = run(*arguments, input=input)
    assert status == 0, stderr
    return stdout, stderr


def refuse(status, sentence, *arguments, input=None):
    """The command must end with this status and say this, in one line."""
    found, stdout, stderr = run(*arguments, input=input)
    assert (found, stdout) == (status, "")
    assert re.fullmatch(rf"likewise: {sentence}\n", stderr), stderr


def ids(directory, *words):
    stdout, _ = succeed("search", directory, *words, "--format", "jsonl", "-k", 10_000)
    return [json.loads(line)["id"] for line in stdout.splitlines()]


def info(directory):
    """What an index holds, but for the time of a pass, which is another each time."""
    found = json.loads(succeed("info", directory, "--json")[0])
    for view in found["views"].values():
        assert view.pop("seconds") > 0
    return found


def write_jsonl(path, *documents):
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def three_papers(folder):
    """A file of three documents."""
    return write_jsonl(
        folder / "papers.jsonl",
        {"id": "a", "title": "Gases", "text": "quantum gases in a trap"},
        {"id": "b", "title": "Arms", "text": "the robot moves its arm"},
        {"id": "c", "text": "quantum robots"},
    )


def index_of_three(folder):
    """An index of them."""
    succeed("index", three_papers(folder), "-o", folder / "papers.idx")
    return folder / "papers.idx"


def three_fruits(folder):
    """An index of three documents, one of them with an id that needs care."""
    fruit = write_jsonl(
        folder / "fruit.jsonl",
        {"id": "a", "text": "red apples", "title": "Apples"},
        {"id": "mail@x:1=2", "text": "red berries", "title": "Berries"},
        {"id": "c", "text": "green cherries", "title": "Cherries"},
    )
    succeed("index", fruit, "-o", folder / "fruit.idx")
    return folder / "fruit.idx"


def search(index, *arguments, input=None):
    """The result of a search as JSON."""
    path = index.path if isinstance(index, Index) else index
    return json.loads(succeed("search", path, *arguments, "--format", "json", input=input)[0])


def hit_ids(found):
    return [hit["id"] for hit in found["hits"]]
