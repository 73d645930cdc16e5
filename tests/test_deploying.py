"""The settings of proxies in docs/deploying.md: real proxies use them, before a real server."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from helpers.server_client import make_index, serving

PAGE = Path(__file__).resolve().parents[1] / "docs" / "deploying.md"
HTTP = """pid {folder}/pid;
daemon off;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{server}}}
"""
NAME = "papers.example"
PDF = {"Content-Type": "application/pdf"}
LIKED = ["1806.07419", "1907.02555"]
PATIENCE = 20  # seconds until a proxy must have started


def example(title):
    """The settings below a title."""
    _, _, rest = PAGE.read_text().partition(f"\n## {title}\n")
    return re.search(r"```text\n(.*?)```", rest, re.DOTALL)[1]


def test_both_lead_to_where_the_server_listens():
    from likewise.server.settings import Limits, Settings

    place = f"{Settings().host}:{Settings().port}"
    for title in ("nginx", "Caddy"):
        assert place in example(title)
        for most in (Limits().body, Limits().attachment):
            assert f"{most >> 20}m" in example(title).lower()
    patience = int(re.search(r"proxy_read_timeout (\d+)s", example("nginx"))[1])
    assert patience > Limits().seconds


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server that browsers know as papers.example."""
    index = make_index(tmp_path_factory.mktemp("behind"))
    with serving(index.path, names=(NAME,)) as client:
        yield str(client.base_url).removeprefix("http://").rstrip("/")


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_nginx(tmp_path, server):
    key, certificate = tmp_path / f"{NAME}.key", tmp_path / f"{NAME}.pem"
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}")
    make = ["openssl", "req", *kind, "-keyout", key, "-out", certificate]
    subprocess.run(make, capture_output=True, check=True, timeout=60)
    port = free_port()
    said = example("nginx").replace("/etc/ssl", str(tmp_path)).replace("127.0.0.1:8000", server)
    said = said.replace("listen 443", f"listen 127.0.0.1:{port}")
    settings = tmp_path / "nginx.conf"
    settings.write_text(HTTP.format(folder=tmp_path, server=said))
    command = ["nginx", "-p", tmp_path, "-c", settings, "-e", "stderr"]
    with running(command, port):
        check(f"https://127.0.0.1:{port}", f"{NAME}:{port}")


@pytest.mark.skipif(not shutil.which("caddy"), reason="Caddy is not installed")
def test_caddy(tmp_path, server):
    port = free_port()
    said = example("Caddy").replace("127.0.0.1:8000", server)
    # The certificate is for others to vouch for: without a name in public there is none.
    said = said.replace(f"{NAME} {{", f"http://{NAME}:{port} {{\n    bind 127.0.0.1")
    settings = tmp_path / "Caddyfile"
    settings.write_text("{\n    admin off\n}\n" + said)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", settings]
    with running(command, port, HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path)):
        check(f"http://127.0.0.1:{port}", f"{NAME}:{port}")


def check(address, host):
    """A page, a search, an offline search with its progress, and what must be refused."""
    site = f"{address.partition(':')[0]}://{host}"
    with httpx.Client(base_url=address, headers={"Host": host}, verify=False, timeout=60) as client:
        assert client.get("/").status_code == 200
        found = client.get("/v1/indexes/papers/search", params={"q": "robot arm"})
        assert found.json()["hits"]
        job = offline(client, site)
        if job is not None:
            with client.stream("GET", f"/v1/jobs/{job}/events") as events:
                assert events.headers["content-type"].startswith("text/event-stream")
                assert any("done" in line for line in events.iter_lines())
        elsewhere = {"Origin": "https://elsewhere.example"}
        body = {"documents": [{"id": "x", "text": "x"}]}
        documents = "/v1/indexes/papers/documents"
        assert client.post(documents, json=body, headers=elsewhere).status_code == 403
        assert client.post(documents, content=b"x" * (17 << 20)).status_code == 413
        large = {"content": b"%PDF-" + b" " * (17 << 20), "headers": PDF | {"Origin": site}}
        attachments = "/v1/indexes/papers/sessions/none/attachments?id=x&file=x.pdf"
        assert client.post(attachments, **large).status_code == 404  # it came through


def offline(client, site):
    """The id of the first of some searches that was not done at once; None if all were."""
    for _ in range(20):
        answer = client.post(
            "/v1/indexes/papers/search",
            json={"positive": LIKED, "method": "ba"},
            headers={"Origin": site},
        )
        assert answer.status_code in (200, 202), answer.text
        if answer.status_code == 202:
            return answer.json()["id"]
    return None


@contextmanager
def running(command, port, **environment):
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | environment
    )
    try:
        give_up = time.monotonic() + PATIENCE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < give_up, "the proxy did not start"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
