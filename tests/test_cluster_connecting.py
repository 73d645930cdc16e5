"""The way to a cluster: addresses, silence, workers of other versions; all with real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.clusters import dask, free_port, scheduler
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


def test_the_compose_file_starts_what_there_is_and_publishes_nothing():
    import yaml

    path = Path(__file__).parents[1] / "examples" / "cluster" / "compose.yaml"
    services = yaml.safe_load(path.read_text())["services"]
    assert set(services) == {"scheduler", "worker", "likewise"}
    for name in ("scheduler", "worker"):
        assert "ports" not in services[name]
        command, what, *options = services[name]["entrypoint"]
        assert (command, what) == ("dask", name)
        help = subprocess.run(
            [sys.executable, "-m", "dask", what, "--help"], capture_output=True, text=True
        ).stdout
        for option in options:
            assert not option.startswith("--") or option in help


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
