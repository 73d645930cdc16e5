"""An S3 server of one's own: moto's, which keeps everything in its memory."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from helpers.clusters import answers, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@contextmanager
def object_server(*buckets: str) -> Iterator[dict[str, str]]:
    """The variables by which every program, workers among them, finds a server with buckets."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    running = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **KEYS},
    )
    try:
        wait_until(lambda: answers(port))
        import s3fs

        files = s3fs.S3FileSystem(endpoint_url=address, key="test", secret="test")
        for bucket in buckets:
            files.mkdir(f"/{bucket}")
        yield {**KEYS, "AWS_ENDPOINT_URL": address, "AWS_DEFAULT_REGION": "us-east-1"}
    finally:
        running.kill()
        running.wait()
