"""From a file that is dropped on the page to the first search in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from bench_references import MANY, references
from harness import Figure
from likewise.writers.ris import write_ris
from memory_use import ever
from rows import Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workspace import Workspace

METHOD = (
    "Records of RIS, sent to `likewise serve FOLDER` in pieces of 2 MiB as the page sends them, "
    "looked at (fields, duplicates, labels), made into an index with all defaults, and searched; "
    "two cores. Seconds are on the clock, those of the processor beside them tell what others on "
    "the machine took. The memory is the server's own high-water mark."
)
PACKAGES = ("likewise",)
PIECE = 2 << 20
LOOK = 0.2  # seconds between looks at a job


class Took(NamedTuple):
    """Seconds after which each step was done, the server's processor time, its memory in MB."""

    sent: float
    seen: float
    made: float
    found: float
    processor: float
    memory: float


def rows(workspace: Workspace) -> list[Row]:
    number = MANY if not workspace.quick else workspace.documents(MANY)
    path = workspace.directory / "dropped.ris"
    with path.open("wb") as out:
        out.writelines(write_ris(references(workspace, number), ()))
    took = [start(path, workspace.fresh("projects"), number) for _ in range(workspace.rounds(3))]
    work = f"{number:,} RIS records"
    return [
        Row(f"{work}: sent", "s", figure(took, "sent")),
        Row(f"{work}: sent and looked at", "s", figure(took, "seen")),
        Row(
            f"{work}: sent, looked at, made and searched",
            "s",
            figure(took, "found"),
            goal=at_most(60),
        ),
        Row(f"{work}: the same, of the processor", "s", figure(took, "processor")),
        Row(f"{work}: the server's memory", "MB", figure(took, "memory"), goal=at_most(800)),
    ]


def figure(took: list[Took], name: str) -> Figure:
    values = sorted(getattr(one, name) for one in took)
    return Figure(values[len(values) // 2], values[0])


def start(path: Path, folder: Path, number: int) -> Took:
    """What the page does, step by step."""
    folder.mkdir()
    with serving(folder) as (pid, address), httpx.Client(base_url=address, timeout=600) as client:
        began = time.perf_counter()
        upload = send(client, path)
        sent = time.perf_counter()
        seen = finished(client, client.post(f"/v1/uploads/{upload}/preview", json={}))
        assert seen["documents"] == number
        looked = time.perf_counter()
        made = finished(client, client.post("/v1/indexes", json={"name": "d", "upload": upload}))
        assert made["added"]["documents"] == number
        whole = time.perf_counter()
        found = client.get("/v1/indexes/d/search", params={"q": "depression in children"}).json()
        assert found["hits"]
        done = time.perf_counter()
        times = (moment - began for moment in (sent, looked, whole, done))
        return Took(*times, processor_seconds(pid), ever(pid) / 1e6)


def send(client: httpx.Client, path: Path) -> str:
    files = [{"name": path.name, "size": path.stat().st_size}]
    id = str(client.post("/v1/uploads", json={"files": files}).json()["id"])
    kind, offset = {"content-type": "application/octet-stream"}, 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            address = f"/v1/uploads/{id}/files/0?offset={offset}"
            client.put(address, content=piece, headers=kind).raise_for_status()
            offset += len(piece)
    return id


def finished(client: httpx.Client, begun: httpx.Response) -> dict[str, Any]:
    """The result of a job, which is looked at until it is done."""
    begun.raise_for_status()
    job = begun.json()
    while job["state"] in ("queued", "running"):
        time.sleep(LOOK)
        job = client.get(f"/v1/jobs/{job['id']}").json()
    assert job["state"] == "done", job
    result: dict[str, Any] = job["result"]
    return result


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, str]]:
    command = [sys.executable, "-m", "likewise", "serve", str(folder), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = None
        while address is None:
            line = process.stderr.readline()
            assert line, "the server did not start"
            address = re.search(r"http://[\d.:]+", line)
        Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield process.pid, address[0]
        finally:
            process.terminate()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
