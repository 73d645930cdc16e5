"""`likewise mcp`, asked by the client of the protocol's own SDK: by pipes and over HTTP."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from contextlib import asynccontextmanager, contextmanager

import pytest

from helpers.command_line import refuse
from helpers.server_client import process
from likewise import Index
from likewise.datasets import arxiv_sample

pytest.importorskip("mcp", reason="needs mcp, of the extra likewise[mcp]")

import anyio
import httpx
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

READING = ["list_indexes", "search", "more_like", "get_document", "explain"]
LONG = " ".join(f"word{n}" for n in range(5_000))


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("mcp") / "papers.idx", threads=1, latent=0)
    index.add(arxiv_sample())
    index.add({"id": "long", "title": "A long one", "text": LONG, "authors": ["Ada", "Bob"]})
    return index.path


@asynccontextmanager
async def piped(*arguments):
    """A client of a process that it has started, as programs with a model do."""
    command = ["-m", "likewise", "mcp", *map(str, arguments), "--threads", "1"]
    parameters = StdioServerParameters(command=sys.executable, args=command)
    async with Client(stdio_client(parameters)) as client:
        yield client


async def ask(client, tool, **arguments):
    """The answer; what the model reads says the same as what programs read, and is no longer."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    values, read = answer.structured_content, json.loads(answer.content[0].text)
    assert all(values[name] == value for name, value in read.items() if name not in NESTED)
    return values


NESTED = ("hits", "indexes", "next")  # where values that are usual are left out


async def refused(client, tool, **arguments):
    """The one sentence that a tool says."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    (said,) = answer.content
    assert "\n" not in said.text
    return said.text


def test_reading(papers):
    """One process for all of it: starting one takes a second or two."""

    async def reading():
        async with piped(papers) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == READING
            assert all(tool.annotations.read_only_hint for tool in listed)
            assert all(tool.description and tool.output_schema for tool in listed)
            await lists(client)
            query, first = await finds(client, papers)
            await explains(client, query, first)
            await pages(client)
            await complains(client)

    anyio.run(reading)


async def lists(client):
    (one,) = (await ask(client, "list_indexes"))["indexes"]
    assert (one["name"], one["documents"]) == ("papers", 2001)
    fields = {field["name"]: field for field in one["fields"]}
    assert fields["created"]["kind"] == "date"
    assert 0 < len(fields["primary"]["values"]) <= 5


async def finds(client, papers):
    index = Index.open(papers)
    found = await ask(client, "search", words="robot arm", k=3, characters=100)
    hits = index.search("robot arm", 4)
    assert [hit["id"] for hit in found["hits"]] == hits.ids[:3]
    assert found["next_offset"] == 3
    text = index.document(hits[0].id).text
    shown = found["hits"][0]["text"]
    assert shown.endswith(" …")
    assert len(shown) <= 102
    assert text.startswith(shown.removesuffix(" …"))
    assert found["hits"][0]["more"] == len(text) - len(shown.removesuffix(" …"))
    after = await ask(client, "search", words="robot arm", k=1, offset=3)
    assert after["hits"][0]["id"] == hits.ids[3]
    kept = await ask(client, "search", words="robot arm", filter="primary=cs.RO", k=50)
    assert {index.document(hit["id"]).fields["primary"] for hit in kept["hits"]} == {"cs.RO"}
    assert sum(len(hit["text"]) for hit in kept["hits"]) <= 20_000
    like, unlike = hits.ids[:2], hits.ids[3:]
    more = await ask(client, "more_like", like=like, unlike=unlike, texts=["a soft gripper"], k=5)
    assert len(more["hits"]) == 5
    assert not {hit["id"] for hit in more["hits"]} & {*like, *unlike}
    return more["query"], more["hits"][0]


async def explains(client, query, first):
    why = await ask(client, "explain", id=first["id"], query=query)
    assert why["score"] == pytest.approx(first["score"], abs=1e-3)
    effects = [abs(one["effect"]) for one in why["words"]]
    assert effects == sorted(effects, reverse=True)
    assert len(effects) <= 15
    by_words = await ask(client, "explain", id=first["id"], words="robots")
    assert by_words["others"] == 0
    assert "gone" in await refused(client, "explain", id=first["id"], query="gone")
    assert "either" in await refused(client, "explain", id=first["id"])


async def pages(client):
    """A long text comes in parts that make up the whole."""
    texts, offset = [], 0
    while offset is not None:
        page = await ask(client, "get_document", id="long", offset=offset, length=20_000)
        assert bool(page["fields"]) == (offset == 0)
        texts.append(page["text"])
        offset = page["next_offset"]
    assert "".join(texts) == LONG
    assert len(texts) == 3
    page = await ask(client, "get_document", id="long")
    assert (len(page["text"]), page["length"]) == (8_000, len(LONG))
    assert page["fields"]["authors"] == "Ada; Bob"


async def complains(client):
    assert await refused(client, "get_document", id="nobody") == "no document 'nobody' in papers"
    beyond = await refused(client, "get_document", id="long", offset=10**6)
    assert re.fullmatch("the text of 'long' has .* characters", beyond)
    assert (await refused(client, "search", words="a", k=51)).startswith("k: input should be")
    assert "words" in await refused(client, "search")
    said = await refused(client, "search", words="a", limit=1)
    assert said == (
        "search has no argument 'limit': choose from words, index, k, offset, filter, characters"
    )
    assert (await refused(client, "list_indexes", x=1)).endswith("argument 'x': it takes none")
    assert (await refused(client, "more_like", like=["nobody"])).startswith("no document 'nobody'")
    assert "Path" not in await refused(client, "more_like", like=["nobody"])
    assert "'nowhere'" in await refused(client, "search", words="a", index="nowhere")
    assert "filter" in await refused(client, "search", words="a", filter="x=")
    assert "no example" in await refused(client, "more_like")
    assert "--write" in await refused(client, "judge", judgements=[])
    assert await refused(client, "dance") == "Unknown tool: dance"


def test_judging(papers):
    """Judgements are kept under the reviewer's name, and what to judge next is learned of them."""
    ids = Index.open(papers).search("robot arm", 3).ids

    async def judging():
        async with piped(papers, "--write", "--reviewer", "model") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == [*READING, "judge"]
            assert not tools["judge"].annotations.read_only_hint
            assert "context" not in tools["judge"].input_schema["properties"]
            given = [{"id": ids[0], "label": "relevant", "note": "an arm"}]
            given += [{"id": ids[1], "label": "relevant"}, {"id": ids[2], "label": "not"}]
            first = await ask(client, "judge", judgements=given, session="arms", next=4)
            bad = [{"id": ids[0], "label": "perhaps"}]
            assert "label" in await refused(client, "judge", judgements=bad)
            unknown = [{"id": "nobody", "label": "not"}]
            assert "'nobody'" in await refused(client, "judge", judgements=unknown, session="arms")
            return first

    first = anyio.run(judging)
    assert (first["relevant"], first["not_relevant"], first["unsure"]) == (2, 1, 0)
    assert len(first["next"]) == 4
    assert not {hit["id"] for hit in first["next"]} & set(ids)
    session = Index.open(papers).find_session("arms", reviewer="model")
    labels = ["relevant", "relevant", "not"]
    assert session.judgements() == dict(zip(ids, labels, strict=True))


@contextmanager
def over_http(*arguments):
    """The address of a server in a process of its own."""
    with process(*arguments, "--http", "--threads", "1", command="mcp") as (_, address):
        yield f"{address}/v1/mcp"


@asynccontextmanager
async def holding(address, token):
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


def test_http(papers):
    async def searching():
        with over_http(papers) as address:
            async with Client(address) as client:
                found = await ask(client, "search", words="robot arm", k=3)
                assert found["hits"][0]["title"] == "Automatic Design of Task-specific Robotic Arms"
                assert "'nobody'" in await refused(client, "get_document", id="nobody")
            foreign = {"Origin": "http://evil.example"}
            assert httpx.post(address, json={}, headers=foreign).status_code == 403

    anyio.run(searching)


def test_tokens(papers, tmp_path):
    """Who may only read cannot judge; who may judge does so under the token's name."""
    tokens = tmp_path / "tokens.txt"
    tokens.write_text(f"{'r' * 20} read rita\n{'j' * 20} review jo\n")

    async def judging():
        judgement = {"judgements": [{"id": "long", "label": "not"}], "session": "http", "next": 0}
        with over_http(papers, "--write", "--token-file", tokens) as address:
            assert httpx.post(address, json={}).status_code == 401
            async with holding(address, "r" * 20) as client:
                assert (await ask(client, "search", words="robot", k=1))["hits"]
                assert "role review" in await refused(client, "judge", **judgement)
            async with holding(address, "j" * 20) as client:
                return await ask(client, "judge", **judgement)

    assert anyio.run(judging)["reviewer"] == "jo"


def test_several_indexes(papers, tmp_path):
    """Those in a folder; then a tool must be told which one."""
    other = Index.create(tmp_path / "apples.idx", threads=1)
    other.add({"id": "a", "text": "red apples"})
    Index.create(tmp_path / "pears.idx", threads=1)

    async def searching():
        async with piped(tmp_path) as client:
            listed = (await ask(client, "list_indexes"))["indexes"]
            assert [one["name"] for one in listed] == ["apples", "pears"]
            said = await refused(client, "search", words="red")
            assert said == "say which index: there is apples, pears"
            other.add({"id": "b", "text": "red, red apples"})
            found = await ask(client, "search", words="red", index="apples")
            assert {hit["id"] for hit in found["hits"]} == {"a", "b"}

    anyio.run(searching)


def test_what_it_refuses(papers, tmp_path):
    refuse(2, "there is no index in .*: likewise index makes one", "mcp", tmp_path)
    refuse(1, "no index at .*", "mcp", tmp_path / "none")
    refuse(2, ".*go with --http.*", "mcp", papers, "--token-file", "tokens.txt")
    refuse(2, "--port goes with --http.*", "mcp", papers, "--port", "0")
    refuse(2, "0.0.0.0 can be .*: give --token-file.*", "mcp", papers, "--host", "0.0.0.0")


def test_the_extra_is_missing(papers, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "mcp" else real(name)
    )
    refuse(2, r"likewise mcp needs mcp: pip install 'likewise\[mcp\]'", "mcp", papers)
