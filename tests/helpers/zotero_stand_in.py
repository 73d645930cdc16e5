"""What Zotero's local API and its connector answer, as far as likewise asks, in a thread."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit


class StandIn:
    """`collections` and `items` are Zotero's JSON; `saved` are items that were imported."""

    def __init__(self, collections, items):
        self.collections, self.items = collections, items
        self.allowed = True
        self.sessions, self.targets = {}, {}

    def get(self, path, asked):
        if not self.allowed:
            return 403, b"Local API is not enabled"
        assert asked["v"] == ["3"]
        parts = path.removeprefix("/api/users/0/").split("/")
        if parts == ["collections"]:
            found = self.collections
        elif parts[0] == "collections":
            assert parts[2:] == ["items", "top"]
            found = [one for one in self.items if parts[1] in one["data"]["collections"]]
        elif parts == ["items", "top"]:
            found = self.items
        else:
            return 404, b"Not found"
        start, limit = (int(asked[name][0]) for name in ("start", "limit"))
        return 200, json.dumps(found[start : start + limit]).encode()

    def post(self, path, asked, body):
        if path == "/connector/import":
            (session,) = asked["session"]
            assert session not in self.sessions
            self.sessions[session] = body.decode()
            items = [{"id": n} for n in range(body.count(b"\nER  -"))]
            return 201, json.dumps(items).encode()
        if path == "/connector/updateSession":
            change = json.loads(body)
            self.targets[change["sessionID"]] = change["target"]
            return 200, b"{}"
        if path == "/connector/getSelectedCollection":
            return 200, json.dumps({"id": None, "targets": self._tree()}).encode()
        return 404, b"No endpoint found"

    def _tree(self):
        """As the connector lists them: the library, and under each collection those in it."""
        rows = [{"id": "L1", "name": "My Library", "level": 0}]

        def below(parent, level):
            for number, one in enumerate(self.collections, 1):
                if one["data"]["parentCollection"] == parent:
                    rows.append({"id": f"C{number}", "name": one["data"]["name"], "level": level})
                    below(one["key"], level + 1)

        below(False, 1)
        return [
            *rows,
            {"id": "L2", "name": "A group", "level": 0},
            {"id": "C99", "name": "Robots", "level": 1},
        ]


@contextmanager
def running(stand_in):
    """Its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self._answer(stand_in.get, *self._asked())

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(stand_in.post, *self._asked(), body)

        def _asked(self):
            parts = urlsplit(self.path)
            return parts.path, parse_qs(parts.query)

        def _answer(self, work, *asked):
            status, body = work(*asked)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
