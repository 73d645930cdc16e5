"""The way to a cluster: addresses, silence, workers of other versions; all with real processes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from helpers.clusters import answers, dask, free_port, scheduler, wait_until
from likewise import Document, Index
from likewise.engines.cluster import model
from likewise.engines.cluster.connecting import Build, connect, own_build, refuse_other
from likewise.engines.cluster.tasks import dask_graphs
from likewise.errors import ClusterError, UsageError

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address():
    with scheduler() as (found, _):
        yield found


@pytest.mark.parametrize(
    "address",
    ["", "here", "http://a:1", "local:", "local:0", "local:9999", "tcp://", "tcp://a b:1"],
)
def test_an_address_of_no_known_form_is_refused(address):
    with pytest.raises(UsageError, match="cluster is"), connect(address):
        pass


def test_dask_has_the_graphs_that_are_sent():
    """They are of modules that are not public; if this fails, look at `dask_graphs`."""
    graphs = dask_graphs()
    one = graphs.task("one", sum, [1, 2])
    other = graphs.task("other", max, graphs.reference("one"), 2)
    whole = graphs.whole({"one": one, "other": other}, _determ_token="any")
    assert set(whole.__dask_graph__()) == {"one", "other"}


def test_a_dask_without_these_graphs_is_named(monkeypatch):
    dask_graphs.cache_clear()
    monkeypatch.setitem(sys.modules, "dask._task_spec", None)
    with pytest.raises(ClusterError, match=r"dask \d.* has no graphs of the kind .* install dask"):
        dask_graphs()


def test_nobody_answers():
    address = f"tcp://127.0.0.1:{free_port()}"
    with (
        pytest.raises(ClusterError, match=f"nobody answers at {address} within 0.5 s"),
        connect(address, seconds=0.5),
    ):
        pass


def test_a_worker_of_another_version_is_named(address, tmp_path):
    """First no worker at all, then one whose likewise says that it is another version."""
    with pytest.raises(ClusterError, match="has no workers"), connect(address, seconds=1):
        pass
    other = tmp_path / "likewise-9.9.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: likewise\nVersion: 9.9\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    worker = dask("worker", address, "--no-nanny", "--no-dashboard", PYTHONPATH=path)
    try:
        with (
            pytest.raises(ClusterError, match=r"worker tcp://\S+ runs likewise 9\.9 .* but this"),
            connect(address, seconds=30),
        ):
            pass
    finally:
        worker.terminate()
        worker.wait()


def test_nothing_of_dask_is_imported_without_a_cluster(tmp_path):
    program = (
        "import sys; from likewise import Document, Index; "
        f"index = Index.create({str(tmp_path / 'a')!r}, shards=2); "
        "index.add([Document('a', 'cells')]); index.search('cells'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.stderr
    assert not {"dask", "distributed", "fsspec"} & set(done.stdout.split())


def test_the_compose_file_publishes_nothing_and_its_commands_work(tmp_path):
    """Started by hand, as processes: a scheduler, a worker, and likewise beside them."""
    import yaml

    root = Path(__file__).parents[1]
    services = yaml.safe_load((root / "examples/cluster/compose.yaml").read_text())["services"]
    assert set(services) == {"scheduler", "worker", "likewise"}
    assert not any("ports" in service for service in services.values())
    port = str(free_port())
    with ExitStack() as stack:
        for name in ("scheduler", "worker"):
            command = [
                part.replace("8786", port).replace("//scheduler:", "//127.0.0.1:")
                for part in services[name]["entrypoint"]
            ]
            assert command[:2] == ["dask", name]
            started = dask(*command[1:], **services[name].get("environment", {}))
            stack.callback(started.wait)
            stack.callback(started.terminate)  # and with it the process that it has started
        (tmp_path / "papers.jsonl").write_text('{"id": "a", "text": "graph networks"}\n' * 1)
        there = ["--cluster", f"tcp://127.0.0.1:{port}"]
        wait_until(lambda: answers(int(port)))
        likewise(tmp_path, "index", "papers.jsonl", "-o", "big.idx", "--shards", "2", *there)
        found = likewise(tmp_path, "search", "big.idx", "networks", "--format", "trec", *there)
        assert found.split()[2] == "a"


def likewise(folder, *arguments, status=0, **environment):
    """What a command says."""
    done = subprocess.run(
        [sys.executable, "-m", "likewise", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    return done.stdout if not status else done.stderr


@pytest.fixture
def certificates(tmp_path):
    """The settings of docs/cluster.md, with certificates of one's own."""
    if shutil.which("openssl") is None:
        pytest.skip("TLS IS NOT TESTED: openssl is not installed")
    folder = tmp_path / "tls"
    folder.mkdir()

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-subj", "/CN=ca", "-keyout", "ca-key.pem", "-out", "ca.pem")
    for name in ("scheduler", "worker", "client"):
        openssl(
            "req", *key, "-subj", f"/CN={name}", "-keyout", f"{name}-key.pem", "-out", f"{name}.csr"
        )
        openssl(
            *["x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca-key.pem"],
            *["-CAcreateserial", "-out", f"{name}.pem"],
        )
    manual = (Path(__file__).parents[1] / "docs/cluster.md").read_text()
    (settings,) = re.findall(r"```yaml\n(distributed:.*?)```", manual, re.DOTALL)
    (folder / "tls.yaml").write_text(settings.replace("/etc/likewise/", f"{folder}/"))
    return folder


def test_tls_as_the_manual_has_it(tmp_path, certificates):
    """Everything is encrypted; whoever has no certificate is told so, in a sentence."""
    settings = {"DASK_CONFIG": str(certificates)}
    port = free_port()
    address = f"tls://127.0.0.1:{port}"
    Index.create(tmp_path / "a.idx", shards=2, latent=0).add([Document("a", "cells")])
    options = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--protocol", "tls")
    with ExitStack() as stack:
        for command in (
            ("scheduler", *options),
            ("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
        ):
            started = dask(*command, **settings)
            stack.callback(started.wait)
            stack.callback(started.kill)
            wait_until(lambda: answers(port))
        asked = ["search", "a.idx", "cells", "--format", "trec", "--cluster"]
        assert likewise(tmp_path, *asked, address, **settings).split()[2] == "a"
        said = likewise(tmp_path, *asked, address, status=1)
        assert re.fullmatch(rf"likewise: (cannot connect to|nobody answers at) {address}.*\n", said)
        said = likewise(tmp_path, *asked, address.replace("tls", "tcp"), status=1, **settings)
        assert re.fullmatch(r"likewise: .*tcp://.*\n", said)


def test_the_calculator_adds_up_what_is_done_one_after_another_only():
    """Each worker more costs program and scheduler a call or a task; what workers do, once."""
    c = model.Constants()
    few, many = (model.Size(10**6, n, 10**5) for n in (8, 64))
    longer = model.trip_seconds(many, c) - model.trip_seconds(few, c)
    assert longer == pytest.approx(56 * c.call)
    shared = model.Size(10**6, 64, 10**5, cores=8)
    assert model.trip_seconds(shared, c) - model.trip_seconds(many, c) == pytest.approx(
        7 * c.answer
    )
    assert model.graph_seconds(many, c) - model.graph_seconds(few, c) < 1.1 * 64 * c.task
    for documents, workers, (search, auto, ba) in model.table():
        assert search < auto < ba
        size = model.Size(documents, workers, model.terms_of(documents))
        assert model.seconds(model.BA, size) == ba


def test_a_worker_that_comes_later_refuses_by_itself():
    with connect("local:1") as client:
        own = own_build()
        assert client.submit(refuse_other, own).result() is None
        later = client.submit(refuse_other, own._replace(python="2.7"))
        with pytest.raises(ClusterError, match=r"but this process runs .* on Python 2\.7"):
            later.result()
        assert Build(*own) == own
