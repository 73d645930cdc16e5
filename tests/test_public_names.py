"""The names that people learn first keep working: imports, Index' methods, routes, commands."""

from __future__ import annotations

import importlib
import inspect

import pytest

from helpers.server_client import serving
from likewise import Index

NAMES = {
    "likewise": "Document Drifted Hit Hits Index InputError LikewiseError LockedError NotConverged "
    "Query StoreError Text UsageError",
    "likewise.adapters.asreview": "Likewise METADATA Records",
    "likewise.adapters.langchain": "LikewiseRetriever",
    "likewise.adapters.llamaindex": "LikewiseRetriever",
    "likewise.adapters.pyterrier": "ByExample Feedback Retrieve",
    "likewise.adapters.zotero": "Collection Zotero",
    "likewise.estimators": "ActiveRankSVM BalancedSVM Centroid CombinedRankingRegression F1SVM "
    "NuOneClassSVM OneClassSVM PrecisionAtK PrecisionRecallSVM RankSVM RecallAtK Rocchio SVDD "
    "WeightedSVM",
    "likewise.datasets": "ARXIV_TOPICS arxiv_sample topics",
    "likewise.duplicates": "Duplicates Group Member THRESHOLD find_duplicates",
    "likewise.feedback": "Ranker Start",
    "likewise.corpus": "Corpus Collection Engine SparseVector Csr",
    "likewise.engines": "ENGINES engine_of",
    "likewise.search.elsewhere": "TARGETS Exported export_query",
    "likewise.previewing": "FieldPreview Preview preview",
    "likewise.watching": "Arrivals Look Watch",
    "likewise.writers": "FORMATS Format Record written",
}
NEEDS = {
    "likewise.adapters.langchain": "langchain_core",
    "likewise.adapters.llamaindex": "llama_index.core",
    "likewise.adapters.pyterrier": "pyterrier",
}
METHODS = {
    "create": "path language stop_words bigrams fields kind latent shards threads",
    "open": "path threads engine",
    "add": "documents on_duplicate strict memory merge progress cluster reading",
    "delete": "ids ignore_missing",
    "merge": "small",
    "backup": "path database force progress",
    "restore": "backup path database force progress",
    "upgrade": "",
    "reindex": "language stop_words bigrams fields memory progress",
    "refresh": "",
    "verify": "",
    "search": "words k weighting filter skip group_duplicates",
    "like": "examples unlike method k weighting filter group_duplicates progress options",
    "learn": "examples unlike method weighting progress options",
    "run": "query k filter skip among group_duplicates",
    "matrix": "ids weighting views",
    "as_query": "vector weighting views exclude",
    "export_query": "query to terms fields scoring relevant others beta",
    "duplicates": "threshold progress",
    "explain": "document query weighting",
    "document": "id",
    "documents": "ids",
    "export": "path format ids filter",
    "count": "filter",
    "fields": "most",
    "ids": "",
    "terms": "",
    "info": "",
    "corpus": "weighting",
    "learn_latent": "dimensions seed",
    "drop_latent": "",
    "embed": "vectors ids source replace",
    "embed_with": "model progress",
    "drop_embeddings": "",
    "session": "name query examples unlike reviewer database adopt settings",
    "sessions": "database",
    "rename_session": "name new database",
    "delete_session": "name database",
}
COMMANDS = (
    "add attach backup check delete duplicates embed evaluate explain export-query fields "
    "formats index info judgements latent mcp merge projects reindex restore review roots search "
    "serve sessions show simulate tables tokens upgrade watch zotero"
)
ROUTES = """
/v1/indexes /v1/indexes/{index} /v1/indexes/{index}/fields /v1/indexes/{index}/documents
/v1/indexes/{index}/documents/{id} /v1/indexes/{index}/search /v1/indexes/{index}/terms
/v1/indexes/{index}/merge
/v1/indexes/{index}/queries /v1/indexes/{index}/queries/{name}
/v1/indexes/{index}/queries/{name}/export /v1/indexes/{index}/sessions
/v1/indexes/{index}/sessions/{name} /v1/indexes/{index}/sessions/{name}/page
/v1/indexes/{index}/sessions/{name}/judgements /v1/indexes/{index}/sessions/{name}/undo
/v1/indexes/{index}/sessions/{name}/redo /v1/indexes/{index}/sessions/{name}/history
/v1/indexes/{index}/sessions/{name}/stats /v1/indexes/{index}/sessions/{name}/conflicts
/v1/indexes/{index}/sessions/{name}/attachments
/v1/indexes/{index}/sessions/{name}/attachments/{number}
/v1/indexes/{index}/sessions/{name}/full-texts/missing
/v1/indexes/{index}/sessions/{name}/full-texts/indexed
/v1/indexes/{index}/sessions/{name}/export /v1/jobs/{id} /v1/jobs/{id}/events /v1/health
/v1/metrics /v1/me /v1/tokens /v1/tokens/{which} /v1/tokens/{which}/rotate
/v1/projects /v1/uploads /v1/projects/about /v1/uploads/{id} /v1/uploads/{id}/preview
/v1/uploads/{id}/files/{number} /v1/indexes/{index}/files /v1/indexes/{index}/backup
/v1/exports /v1/indexes/{index}/export /v1/indexes/{index}/duplicates
"""


@pytest.mark.parametrize("module", NAMES)
def test_names_can_be_imported(module):
    if module in NEEDS:
        pytest.importorskip(NEEDS[module], reason=f"{module} needs it: likewise[adapters]")
    home = importlib.import_module(module)
    for name in NAMES[module].split():
        assert getattr(home, name) is not None
        assert name in dir(home), "a shell completes what dir() lists"


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_an_index_take_what_they_took(method):
    parameters = list(inspect.signature(getattr(Index, method)).parameters)
    expected = METHODS[method].split()
    assert [name for name in parameters if name in expected] == expected


def test_commands_are_there():
    from typer.main import get_command

    from likewise.cli.app import app

    assert set(COMMANDS.split()) <= set(get_command(app).commands)


def test_routes_and_their_fields_are_there(tmp_path):
    Index.create(tmp_path / "papers.idx")
    with serving(tmp_path / "papers.idx") as client:
        schema = client.get("/openapi.json").json()
    assert set(schema["paths"]) >= set(ROUTES.split())
    search = schema["paths"]["/v1/indexes/{index}/search"]
    asked = {parameter["name"] for parameter in search["get"]["parameters"]}
    assert {"q", "filter"} <= asked
    models = schema["components"]["schemas"].values()
    by_example = {"positive", "negative", "method", "filter"}
    assert any(by_example <= set(model.get("properties", ())) for model in models)
