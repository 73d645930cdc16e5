"""Sends files to a server as the page does."""

from __future__ import annotations

BYTES = {"content-type": "application/octet-stream"}
PIECE = 1 << 20


def send(client, files, piece=PIECE):
    """Send files, their contents by name, in pieces; the upload's id."""
    listed = [{"name": name, "size": len(content)} for name, content in files.items()]
    begun = client.post("/v1/uploads", json={"files": listed})
    assert begun.status_code == 201, begun.text
    id = begun.json()["id"]
    for number, content in enumerate(files.values()):
        for offset in range(0, len(content), piece):
            part = content[offset : offset + piece]
            answer = put(client, id, number, offset, part)
            assert answer.status_code == 200, answer.text
    return id


def put(client, id, number, offset, part):
    address = f"/v1/uploads/{id}/files/{number}"
    return client.put(address, params={"offset": offset}, content=part, headers=BYTES)


def make(client, name, files, **more):
    """An index of files; the answer."""
    id = send(client, files)
    made = client.post("/v1/indexes?wait=60", json={"name": name, "upload": id, **more})
    if made.status_code != 201:
        client.delete(f"/v1/uploads/{id}")
    return made


def ris(number, first=0):
    """So many records."""
    return "".join(
        f"TY  - JOUR\nID  - r{i}\nTI  - Study {i} of sleep and {WORDS[i % len(WORDS)]}\n"
        f"AU  - Doe{i}, Jane\nPY  - {1990 + i % 30}\nDO  - 10.1000/x.{i}\n"
        f"AB  - We looked at number {i} and {WORDS[i % len(WORDS)]} in rats.\nER  - \n\n"
        for i in range(first, first + number)
    ).encode()


WORDS = ("caffeine", "exercise", "noise", "light", "stress", "diet", "age")
