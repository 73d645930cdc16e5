"""The settings of proxies in docs/deploying.md: a proxy that is installed understands its own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "deploying.md"
HTTP = "pid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{server}}}\n"


def example(title):
    """The settings below a title."""
    _, _, rest = PAGE.read_text().partition(f"\n## {title}\n")
    return re.search(r"```text\n(.*?)```", rest, re.DOTALL)[1]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_both_lead_to_where_the_server_listens():
    from likewise.server.settings import Limits, Settings

    place = f"{Settings().host}:{Settings().port}"
    for title in ("nginx", "Caddy"):
        assert place in example(title)
        assert f"{Limits().body >> 20}m" in example(title).lower()
    patience = int(re.search(r"proxy_read_timeout (\d+)s", example("nginx"))[1])
    assert patience > Limits().seconds


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_nginx_understands_it(tmp_path):
    key, certificate = tmp_path / "papers.example.key", tmp_path / "papers.example.pem"
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=papers.example")
    run("openssl", "req", *kind, "-keyout", str(key), "-out", str(certificate))
    server = example("nginx").replace("/etc/ssl", str(tmp_path))
    settings = tmp_path / "nginx.conf"
    settings.write_text(HTTP.format(folder=tmp_path, server=server))
    run("nginx", "-t", "-q", "-p", str(tmp_path), "-c", str(settings), "-e", "stderr")


@pytest.mark.skipif(not shutil.which("caddy"), reason="Caddy is not installed")
def test_caddy_understands_it(tmp_path):
    settings = tmp_path / "Caddyfile"
    settings.write_text(example("Caddy"))
    run("caddy", "validate", "--adapter", "caddyfile", "--config", str(settings))
