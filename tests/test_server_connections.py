"""Connections that are slow, endless or too many do not keep others out."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from contextlib import ExitStack
from threading import Event

import httpx
import pytest

from helpers.server_client import problem, serving
from likewise.server import connections
from likewise.server.connections import NO_DESCRIPTORS, Connection, quieten
from likewise.server.problems import ProblemError
from likewise.server.settings import Limits

TOKEN = "r" * 20
HALF = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
WHOLE = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
POST = (
    b"POST /v1/indexes/papers/search HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\n"
)
PATIENCE = 60  # seconds until a test gives up


def connect(client):
    place = (client.base_url.host, client.base_url.port)
    return socket.create_connection(place, timeout=PATIENCE)


def rest(connection):
    """All that comes until the server closes; b"" if it has dropped the connection."""
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except ConnectionError:
        pass
    return found


def send(connection, content):
    """The server may close before it has read all."""
    try:
        connection.sendall(content)
    except ConnectionError:
        return


class TestHeads:
    def test_a_header_without_end(self, client):
        with connect(client) as connection:
            send(connection, HALF + b"x" * (connections.HEAD_BYTES + 1))
            assert rest(connection).startswith(b"HTTP/1.1 431 ")

    def test_headers_without_end(self, client):
        with connect(client) as connection:
            lines = b"".join(b"X-%d: a\r\n" % n for n in range(connections.HEAD_LINES + 1))
            send(connection, WHOLE[:-2] + lines)
            assert rest(connection).startswith(b"HTTP/1.1 400 ")

    def test_headers_behind_a_body_without_end(self, client):
        with connect(client) as connection:
            head = POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
            lines = b"".join(b"X-%d: a\r\n" % n for n in range(connections.HEAD_LINES))
            send(connection, head + lines)
            assert rest(connection).startswith(b"HTTP/1.1 400 ")

    def test_as_many_as_are_allowed(self, client):
        with connect(client) as connection:
            lines = b"".join(b"X-%d: a\r\n" % n for n in range(100))
            send(connection, WHOLE[:-2] + lines + b"Connection: close\r\n\r\n")
            assert rest(connection).startswith(b"HTTP/1.1 200 ")

    def test_many_ids_in_an_address(self, client):
        ids = [f"none-{number:06}" for number in range(3_000)]
        answer = client.request(
            "DELETE",
            "/v1/indexes/papers/documents",
            params={"id": ids, "ignore_missing": True},
        )
        assert (answer.status_code, answer.json()["documents"]) == (200, 0)


class TestTime:
    def test_half_a_head(self, index):
        with serving(index.path, limits=Limits(head_seconds=0.1)) as client:
            for sent in (b"", HALF):
                with connect(client) as connection:
                    send(connection, sent)
                    assert rest(connection).startswith(b"HTTP/1.1 408 ")
            with connect(client) as connection:  # also the second on a connection
                send(connection, WHOLE)
                first = connection.recv(65536)
                send(connection, HALF)
                assert b"HTTP/1.1 408 " in first + rest(connection)

    def test_half_a_body(self, index):
        with serving(index.path, limits=Limits(body_seconds=0.1)) as client:
            with connect(client) as connection:
                send(connection, POST + b'Content-Length: 100\r\n\r\n{"words"')
                answer = rest(connection)  # at last, the connection is closed
            assert answer.startswith(b"HTTP/1.1 400 ")
            assert b"the request was not complete after 0.1 s" in answer

    def test_an_answer_that_nobody_reads(self, index, monkeypatch):
        dropped, drop = Event(), Connection.drop
        monkeypatch.setattr(connections, "STALLED", 0.1)
        monkeypatch.setattr(Connection, "drop", lambda one: drop(one) or dropped.set())
        words = "model+data+learning+system+method+theory+results"
        address = f"/v1/indexes/papers/search?q={words}&limit=2000&snippet=10000"
        large = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        with serving(index.path) as client, socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(PATIENCE)
            connection.connect((client.base_url.host, client.base_url.port))
            send(connection, large * 20)
            assert dropped.wait(PATIENCE)
            assert client.get("/v1/health").status_code == 200


class TestNumber:
    def test_half_requests_make_room_for_whole_ones(self, index):
        """The least that is kept out is somebody who has sent nothing whole."""
        with ExitStack() as stack:
            client = stack.enter_context(serving(index.path, limits=Limits(connections=5)))
            slow = [stack.enter_context(connect(client)) for _ in range(30)]
            for connection in slow:
                send(connection, HALF)
            for _ in range(3):
                answer = httpx.get(f"{client.base_url}/v1/health", timeout=PATIENCE)
                assert answer.status_code == 200
            assert [rest(connection) for connection in slow[:20]] == [b""] * 20

    def test_as_many_as_work(self, index, monkeypatch):
        free, begun = Event(), Event()

        def work(*_):
            begun.set()
            free.wait(PATIENCE)
            raise ProblemError(404, "nothing is found")

        monkeypatch.setattr("likewise.server.search.Searches.answer", work)
        limits = Limits(connections=1)
        with serving(index.path, limits=limits) as client:
            address = "/v1/indexes/papers/search?q=robot&explain=1"
            asking = threading.Thread(target=lambda: client.get(address))
            asking.start()
            assert begun.wait(PATIENCE)
            with connect(client) as connection:
                answer = rest(connection)
            free.set()
            asking.join()
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 5" in answer

    def test_no_more_than_descriptors_allow(self, monkeypatch):
        monkeypatch.setattr(connections, "_descriptors", lambda: 64)
        assert connections.Room(Limits()).make(32)
        assert not connections.Room(Limits()).make(33)

    def test_the_log_says_once_that_descriptors_are_gone(self, caplog):
        async def run():
            loop = asyncio.get_running_loop()
            quieten(loop)
            for _ in range(1_000):
                loop.call_exception_handler({"message": NO_DESCRIPTORS})
            loop.call_exception_handler({"message": "something else"})

        with caplog.at_level(logging.WARNING):
            asyncio.run(run())
        lines = [record.getMessage() for record in caplog.records]
        assert lines == [
            "no file descriptors are left (1 times): raise ulimit -n",
            "something else",
        ]


class TestStrangers:
    @pytest.fixture
    def tokens(self, tmp_path):
        path = tmp_path / "tokens.txt"
        path.write_text(f"{TOKEN} read ada\n")
        return path

    def test_wrong_tokens(self, index, tokens):
        """Who has the right one is let in, also from the same address."""
        limits = Limits(refusals=0.001)
        with serving(index.path, token_file=tokens, limits=limits) as client:
            wrong = {"authorization": "Bearer " + "x" * 20}
            problem(client.get("/v1/indexes", headers=wrong), 401, "needs a token")
            for headers in (wrong, {}):
                answer = client.get("/v1/indexes", headers=headers)
                problem(answer, 429, "too many requests")
                assert int(answer.headers["retry-after"]) >= 1
            right = {"authorization": f"Bearer {TOKEN}"}
            assert client.get("/v1/indexes", headers=right).status_code == 200

    @pytest.mark.parametrize("origin", ["http://[", "http://[x]", "//]"])
    def test_an_origin_that_is_none(self, client, origin):
        answer = client.get("/v1/indexes", headers={"origin": origin})
        problem(answer, 400, "the header Origin is no address of a site")

    def test_one_reader_does_not_fill_the_queue(self, index, tokens, monkeypatch):
        free = Event()

        def work(*_):
            free.wait(PATIENCE)
            raise ProblemError(404, "nothing is found")

        monkeypatch.setattr("likewise.server.search.Searches.answer", work)
        tokens.write_text(f"{TOKEN} read ada\n{TOKEN[::-1]}b read ben\n")
        asked = {"positive": ["1806.07419"], "method": "ba"}
        address = "/v1/indexes/papers/search"
        with serving(index.path, token_file=tokens, limits=Limits(jobs_of_one=3)) as client:
            ada = {"authorization": f"Bearer {TOKEN}"}
            ben = {"authorization": f"Bearer {TOKEN[::-1]}b"}
            codes = [client.post(address, json=asked, headers=ada).status_code for _ in range(5)]
            assert codes == [202, 202, 202, 429, 429]
            assert client.post(address, json=asked, headers=ben).status_code == 202
            free.set()
