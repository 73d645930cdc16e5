"""Runs commands of the command line within the test's process."""

from __future__ import annotations

import json
import re

from typer.testing import CliRunner

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
    return json.loads(succeed("info", directory, "--json")[0])


def write_jsonl(path, *documents):
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path
