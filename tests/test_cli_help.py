"""The help of every command: complete, in the manual, and from the library's own tables."""

from __future__ import annotations

import inspect
import re
import runpy
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from typer.main import get_command

from helpers.command_line import succeed
from likewise import cli
from likewise.cli.app import app
from likewise.cli.commands import add, serve
from likewise.cli.commands import index as index_command
from likewise.cli.options.query import QueryOptions
from likewise.cli.printing.hits import FORMATS as HIT_FORMATS
from likewise.engines import ENGINES
from likewise.evaluation.simulation import STARTS
from likewise.feedback import FEEDBACK, SELECTIONS
from likewise.readers import FORMATS
from likewise.reviews.agreement import Combine
from likewise.reviews.exports import NAMES as JUDGEMENT_FORMATS
from likewise.search.methods import METHODS, Options
from likewise.server.settings import Limits
from likewise.solvers.blocks import SCALINGS
from likewise.store import MEMORY
from likewise.store.known import OnDuplicate
from likewise.text import AnalyzerSettings
from likewise.weighting import WEIGHTINGS


def test_the_help_of_every_command_and_option_is_there_and_in_the_manual():
    manual = (Path(__file__).parents[1] / "docs" / "cli.md").read_text()
    program = get_command(app)
    undocumented = [f"--{o}" for o in ("version", "help") if f"--{o}" not in manual]
    for name, command in program.commands.items():
        assert command.help, name
        assert f"likewise {name}" in command.epilog, name
        section = manual.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section, f"docs/cli.md has no section on {name}"
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name}"
            options = [*parameter.opts, *parameter.secondary_opts]
            if parameter.param_type_name == "option":
                undocumented += [f"{name} {o}" for o in options if f"`{o}" not in section]
    assert not undocumented


def test_usage_has_no_braces():
    """Those around an argument that is needed are typer's; people would type them."""
    said, _ = succeed("export-query", "--help")
    assert said.startswith("Usage: likewise export-query [OPTIONS] QUERY\n")
    assert "(vectors)" not in said


def test_defaults_that_the_help_shows_are_those_of_the_library():
    """They are repeated so that a command starts without the library."""
    made = inspect.signature(index_command.index).parameters
    settings = AnalyzerSettings()
    assert (made["language"].default, made["bigrams"].default) == (settings.language, False)
    assert tuple(made["fields"].default.split(",")) == settings.fields
    assert made["stop_words"].default == settings.stop_words
    for command in (index_command.index, add.add):
        parameters = inspect.signature(command).parameters
        assert parameters["memory"].default << 20 == MEMORY
    options = {name: one.default for name, one in inspect.signature(serve.serve).parameters.items()}
    limits = Limits()
    assert options["max_body"] << 20 == limits.body
    for name in ("documents", "examples", "results", "seconds"):
        assert options[f"max_{name}"] == getattr(limits, name)
    assert options["rate_limit"] == limits.rate
    for name in ("jobs", "waiting", "keep"):
        assert options[name] == getattr(limits, name)
    assert options["max_connections"] == limits.connections
    assert options["jobs_per_client"] == limits.jobs_of_one
    assert options["keep_results"] << 20 == limits.result_bytes
    assert options["keep_queries"] << 20 == limits.query_bytes
    assert options["header_seconds"] == limits.head_seconds
    assert options["body_seconds"] == limits.body_seconds


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        ("search", "--method", ("auto", *METHODS)),
        ("explain", "--method", ("auto", *METHODS)),
        ("review", "--method", ("auto", *FEEDBACK)),
        ("simulate", "--method", ("auto", *FEEDBACK)),
        ("review", "--selection", SELECTIONS),
        ("review", "--combine", get_args(Combine)),
        ("search", "--weighting", WEIGHTINGS),
        ("search", "--scaling", SCALINGS),
        ("search", "--engine", ENGINES),
        ("search", "--format", HIT_FORMATS),
        ("index", "--format", FORMATS),
        ("add", "--on-duplicate", get_args(OnDuplicate)),
        ("judgements", "--format", JUDGEMENT_FORMATS),
        ("simulate", "--start-from", STARTS),
    ],
)
def test_names_to_choose_from_are_those_of_the_library(command, option, names):
    """In the help, in the order of the library's table, and in the shell's completion."""
    shown = succeed(command, "--help")[0]
    if f"Values of {option}:" in shown:
        listed = shown.partition(f"Values of {option}:\n")[2].partition("\n\n")[0]
        found = re.findall(r"^  (\S+)  ", listed, re.MULTILINE)
    else:
        values = shown.partition("\nValues:\n")[2].partition("\n\n")[0]
        found = re.search(rf"^  {option} +(.*(?:\n {{8,}}.*)*)", values, re.MULTILINE)[1]
        found = found.replace(",", "").split()
    assert found == list(names)
    (parameter,) = [one for one in get_command(app).commands[command].params if option in one.opts]
    completed = parameter.shell_complete(None, "")
    assert [one.value for one in completed] == list(names)


@pytest.mark.parametrize("method", ["ba", "steady"])
def test_what_a_method_does_is_said_in_the_help(method):
    shown = " ".join(succeed("search", "--help")[0].split())
    assert f"{method} {METHODS[method].about}" in shown


def test_every_option_of_learning_can_be_given():
    """But for weights, which --weight gives example by example."""
    options = {field.name for field in fields(QueryOptions)}
    assert {field.name for field in fields(Options)} - {"weights"} <= options


class TestAtOnce:
    """The list of commands is kept as text: making it takes longer than `import numpy`."""

    def test_it_is_what_the_commands_say(self):
        kept = Path(cli.HELP).read_text()
        tool = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "help_text.py"))
        assert kept == tool["text"](), "python tools/help_text.py writes it anew"
        assert kept.isascii()

    def test_it_is_shown(self, monkeypatch, capsys):
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr("sys.argv", ["likewise", "--help"])
        cli.main()
        assert capsys.readouterr().out == Path(cli.HELP).read_text()

    def test_a_narrow_terminal_has_its_own(self, monkeypatch, capsys):
        monkeypatch.setenv("COLUMNS", "60")
        monkeypatch.setattr("sys.argv", ["likewise", "-h"])
        with pytest.raises(SystemExit):
            cli.main()
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("Usage: likewise")
        assert max(map(len, lines)) <= 60
