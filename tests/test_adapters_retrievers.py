"""Retrievers of LangChain and LlamaIndex, used as those libraries use any."""

from __future__ import annotations

import asyncio

import pytest

from likewise import Index, Text, UsageError
from likewise.datasets import arxiv_sample

FIRST = "Automatic Design of Task-specific Robotic Arms"


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("adapters") / "papers.idx", threads=1, latent=0)
    index.add(arxiv_sample())
    return index


class TestLangChain:
    @pytest.fixture
    def kind(self):
        reason = "needs langchain-core, of the extra likewise[adapters]"
        pytest.importorskip("langchain_core", reason=reason)
        from likewise.adapters.langchain import LikewiseRetriever

        return LikewiseRetriever

    def test_words(self, kind, papers):
        found = kind(index=papers.path, k=3).invoke("robot arm")
        hits = papers.search("robot arm", 3)
        assert [one.id for one in found] == hits.ids
        text = papers.document(hits[0].id).text
        assert found[0].page_content == f"{FIRST}\n\n{text}"
        kept = {"title": FIRST, "rank": 1, "score": hits[0].score, "primary": "cs.RO"}
        assert kept.items() <= found[0].metadata.items()

    def test_it_is_part_of_a_chain(self, kind, papers):
        from langchain_core.runnables import RunnableLambda

        chain = kind(index=papers, k=2) | RunnableLambda(lambda found: [one.id for one in found])
        robots, graphs = papers.search("robot arm", 2).ids, papers.search("graphs", 2).ids
        assert chain.batch(["robot arm", "graphs"]) == [robots, graphs]
        assert asyncio.run(chain.ainvoke("graphs")) == graphs

    def test_what_cannot_be_is_refused_when_it_is_made(self, kind, papers):
        from pydantic import ValidationError

        for given, why in (
            ({"K": 3}, "Extra inputs are not permitted"),
            ({"index": f"{papers.path}-not"}, "no index at"),
            ({"filter": "year>>1"}, "the filter 'year>>1' is not understood"),
            ({"by": "example", "options": {"methd": "ba"}}, "unknown option 'methd'"),
            ({"by": "example", "options": {"method": "best"}}, "unknown method 'best'"),
        ):
            with pytest.raises(ValidationError, match=why):
                kind(**{"index": papers, **given})

    def test_settings_of_one_call_and_of_copies(self, kind, papers):
        retriever = kind(index=papers, k=3)
        assert len(retriever.invoke("robot arm", k=1)) == 1
        assert len(asyncio.run(retriever.ainvoke("robot arm", k=2))) == 2
        recent = retriever.invoke("robot arm", filter="created>=2019")
        assert all(one.metadata["created"] >= "2019" for one in recent)
        assert len(retriever.model_copy(update={"k": 2}).invoke("robot arm")) == 2
        retriever.k = 1
        assert len(retriever.invoke("robot arm")) == 1
        with pytest.raises(TypeError, match="unexpected keyword argument 'limit'"):
            retriever.invoke("robot arm", limit=3)

    def test_one_document_is_enough_to_learn_from(self, kind, papers):
        retriever = kind(index=papers, k=3)
        first = retriever.invoke("robot arm")[0]
        several = [one.id for one in retriever.refined(like=[first]).invoke("")]
        for one in (first, first.id, papers.search("robot arm")[0]):
            assert [found.id for found in retriever.refined(like=one).invoke("")] == several

    def test_by_example(self, kind, papers):
        good, bad = papers.search("robot arm", 2).ids, papers.search("graphs", 2).ids
        retriever = kind(
            index=papers,
            k=5,
            by="example",
            examples=good,
            unlike=bad,
            options={"method": "rocchio"},
        )
        hits = papers.like([*good, Text("soft grippers")], bad, method="rocchio", k=5)
        assert [one.id for one in retriever.invoke("soft grippers")] == hits.ids
        alone = papers.like(good, bad, method="rocchio", k=5)
        assert [one.id for one in retriever.invoke("")] == alone.ids

    def test_refined(self, kind, papers):
        retriever = kind(index=papers, k=5, filter="created>=2005", tags=["mine"])
        found = retriever.invoke("robot arm")
        better = retriever.refined(like=found[:2], unlike=found[4:])
        assert (better.by, better.filter, better.tags) == ("example", "created>=2005", ["mine"])
        liked, others = [one.id for one in found[:2]], [found[4].id]
        hits = papers.like([*liked, Text("robot arm")], others, k=5, filter="created>=2005")
        assert [one.id for one in better.invoke("robot arm")] == hits.ids
        assert better.refined(like=[hits[0].id]).examples == (*liked, hits[0].id)

    def test_bad_use(self, kind, papers, tmp_path):
        """As LangChain's own: pydantic's errors for settings, a ValueError for a query."""
        from pydantic import ValidationError

        for settings, said in (
            ({"index": 3}, "give an Index, or the path of one"),
            ({"index": papers, "by": "colour"}, "'words' or 'example'"),
            ({"index": papers, "examples": ["a"]}, 'go with by="example"'),
            ({"index": papers, "k": 0}, "k is 0: it must be 1 or more"),
        ):
            with pytest.raises(ValidationError, match=said):
                kind(**settings)
        retriever = kind(index=papers, by="example", examples=["nobody"])
        with pytest.raises(ValueError, match="no document 'nobody'"):
            retriever.invoke("robots")


class TestLlamaIndex:
    @pytest.fixture
    def kind(self):
        reason = "needs llama-index-core, of the extra likewise[adapters]"
        pytest.importorskip("llama_index.core", reason=reason)
        from likewise.adapters.llamaindex import LikewiseRetriever

        return LikewiseRetriever

    def test_words(self, kind, papers):
        found = kind(papers.path, 3).retrieve("robot arm")
        hits = papers.search("robot arm", 3)
        assert [(one.node_id, one.score) for one in found] == [(h.id, h.score) for h in hits]
        assert found[0].text == f"{FIRST}\n\n{papers.document(hits[0].id).text}"
        assert found[0].metadata["primary"] == "cs.RO"
        assert FIRST in found[0].node.get_content()

    def test_at_once(self, kind, papers):
        async def both():
            retriever = kind(papers, 2)
            asked = map(retriever.aretrieve, ("robot arm", "graphs"))
            return [[one.node_id for one in found] for found in await asyncio.gather(*asked)]

        wanted = [papers.search(words, 2).ids for words in ("robot arm", "graphs")]
        assert asyncio.run(both()) == wanted

    def test_a_query_engine_uses_it(self, kind, papers):
        from llama_index.core.llms import MockLLM
        from llama_index.core.query_engine import RetrieverQueryEngine

        engine = RetrieverQueryEngine.from_args(kind(papers, 2), llm=MockLLM())
        answer = engine.query("robot arm")
        assert [one.node_id for one in answer.source_nodes] == papers.search("robot arm", 2).ids
        assert FIRST in str(answer)  # MockLLM says what it was asked

    def test_refined(self, kind, papers):
        retriever = kind(papers, 5, filter="created>=2005")
        found = retriever.retrieve("robot arm")
        better = retriever.refined(like=found[:2], unlike=found[4:])
        liked, others = [one.node_id for one in found[:2]], [found[4].node_id]
        hits = papers.like([*liked, Text("robot arm")], others, k=5, filter="created>=2005")
        assert [one.node_id for one in better.retrieve("robot arm")] == hits.ids

    def test_bad_use(self, kind, papers):
        for index, settings, said in (
            (3, {}, "index is a int: give an Index, or the path of one"),
            (papers, {"by": "colour"}, "by is 'colour': choose words or example"),
            (papers, {"method": "ba"}, 'go with by="example"'),
        ):
            with pytest.raises(UsageError, match=said):
                kind(index, **settings)
        with pytest.raises(ValueError, match="unknown option 'colour'"):
            kind(papers, by="example", colour="red").retrieve("robots")
