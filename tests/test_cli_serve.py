"""`likewise serve`: what it refuses, and that it serves."""

from __future__ import annotations

import importlib.util
import os
import pty
import select
import signal
import socket
import sys
import time
from pathlib import Path

import httpx
import pytest
from typer.main import get_command

from helpers.command_line import refuse, run, succeed
from helpers.server_client import process
from likewise import Index
from likewise.cli.app import app


@pytest.fixture
def index(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": "a", "text": "red apples"}])
    return index


def test_it_serves(index, tmp_path):
    other = Index.create(tmp_path / "my news.idx", threads=1)
    with process(index.path, other.path, "--quiet", "--threads", "1") as (_, address):
        found = httpx.get(f"{address}/v1/indexes/papers/search?q=apples").json()
        names = [one["name"] for one in httpx.get(f"{address}/v1/indexes").json()["indexes"]]
    assert [hit["id"] for hit in found["hits"]] == ["a"]
    assert names == ["papers", "my-news"]


def test_other_addresses_need_tokens(index):
    refuse(2, "0.0.0.0 can be .*: give --token-file.*", "serve", index.path, "--host", "0.0.0.0")


def test_a_token_file_that_is_not_there(index, tmp_path):
    refuse(1, "cannot read the tokens in .*", "serve", index.path, "--token-file", tmp_path / "no")


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_a_port_in_use(index, command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = f"port {port} of 127.0.0.1 is in use: give another by --port, or 0 for any free one"
        http = ["--http"] if command == "mcp" else []
        refuse(1, said, command, index.path, *http, "--port", port)


class TestEnvironment:
    """Settings as variables, for containers and services."""

    def test_settings_come_from_it(self, index, tmp_path, monkeypatch):
        tokens = tmp_path / "tokens.txt"
        token = succeed("tokens", tokens, "--add", "eve", "--role", "read")[0].strip()
        monkeypatch.setenv("LIKEWISE_TOKEN_FILE", str(tokens))
        monkeypatch.setenv("LIKEWISE_NAME", "papers.example other.example")
        monkeypatch.setenv("LIKEWISE_MAX_EXAMPLES", "7")
        monkeypatch.setenv("LIKEWISE_PORT", "1")  # the option counts more
        with process(index.path, "--quiet") as (_, address):
            bare = httpx.get(f"{address}/v1/indexes")
            named = {"Host": "other.example", "Authorization": f"Bearer {token}"}
            found = httpx.get(f"{address}/v1/indexes", headers=named)
            schema = httpx.get(f"{address}/openapi.json", headers=named)
        assert bare.status_code == 401
        assert found.status_code == 200
        assert '"maxItems":7' in schema.text

    def test_a_bad_value_is_named(self, index, monkeypatch):
        monkeypatch.setenv("LIKEWISE_PORT", "http")
        said = r".*'--port' \(env var: 'LIKEWISE_PORT'\): 'http' is not a whole number: .*"
        refuse(2, said, "serve", index.path)

    def test_every_option_has_one(self):
        options = [
            one for one in get_command(app).commands["serve"].params if one.opts[0][0] == "-"
        ]
        page = (Path(__file__).parents[1] / "docs" / "deploying.md").read_text()
        assert len(options) > 20
        for option in options:
            assert option.envvar == f"LIKEWISE_{option.opts[0][2:].replace('-', '_').upper()}"
            assert f"`{option.envvar}`" in page


def test_no_index(tmp_path):
    refuse(1, "no index at .*", "serve", tmp_path / "none")


class TestProjects:
    """A folder that is no index is where the page makes new ones."""

    def test_a_folder(self, index, tmp_path):
        with process(tmp_path, "--quiet") as (_, address):
            found = httpx.get(f"{address}/v1/projects").json()
        assert found["creates"]
        assert [one["name"] for one in found["projects"]] == ["papers"]

    def test_the_folder_that_is_usual(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LIKEWISE_PROJECTS", str(tmp_path / "mine"))
        with process("--quiet") as (_, address):
            found = httpx.get(f"{address}/v1/projects").json()
            assert (found["projects"], found["creates"]) == ([], True)
        assert (tmp_path / "mine").is_dir()

    def test_indexes_alone_make_none(self, index):
        with process(index.path, "--quiet") as (_, address):
            assert not httpx.get(f"{address}/v1/projects").json()["creates"]

    def test_two_folders(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        said = ".*a and .*b are no indexes: give one such folder"
        refuse(2, said, "serve", tmp_path / "a", tmp_path / "b")


def test_the_extra_is_missing(index, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "fastapi" else real(name)
    )
    refuse(2, r"serving needs fastapi: pip install 'likewise\[server\]'", "serve", index.path)


class TestAlone:
    """`likewise` without a command."""

    def test_prints_its_help_where_nobody_looks(self):
        status, stdout, stderr = run()
        assert (status, stdout) == (2, "")
        assert "serve" in stderr

    def test_opens_the_page_in_a_terminal(self, tmp_path):
        """A browser of our own writes down what it is to open."""
        opened = tmp_path / "opened"
        program = tmp_path / "browser"
        program.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
        program.chmod(0o755)
        given = {"LIKEWISE_PROJECTS": str(tmp_path / "mine"), "BROWSER": f"{program} %s"}
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(given)
            os.execv(sys.executable, [sys.executable, "-m", "likewise"])
        try:
            address = wait_for(opened, terminal)
            found = httpx.get(f"{address}/v1/projects").json()
            assert (found["projects"], found["creates"]) == ([], True)
        finally:
            os.kill(pid, signal.SIGINT)
            drain(terminal)
            os.waitpid(pid, 0)
            os.close(terminal)


def wait_for(path, terminal, seconds=60):
    """What a file says, once it is there; the terminal is read meanwhile."""
    end = time.monotonic() + seconds
    while not (path.exists() and path.read_text().strip()):
        assert time.monotonic() < end
        if select.select([terminal], [], [], 0.05)[0]:
            os.read(terminal, 4096)
    return path.read_text().strip()


def drain(terminal):
    """A program that ends waits until its terminal is read."""
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:  # nobody writes any more
        return
