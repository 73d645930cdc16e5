"""A client that openapi-python-client makes of /openapi.json works against a real server."""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest

from helpers.server_client import serving
from likewise import Index

GENERATOR = "openapi_python_client"
CONFIGURATION = Path(__file__).with_name("openapi_client.yaml")
KEYWORDS = jsonschema.Draft202012Validator
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
NAMES = """
add_documents add_documents_in_bulk add_files_to_index add_token assign_documents attach_full_text
back_up_index begin_upload call_news_seen call_search_seen cancel_job change_project
change_session change_team check_filter create_index create_session decide_conflict
delete_documents delete_index delete_query delete_search delete_session detach_full_text
drop_upload drop_view export_documents export_session get_attachment get_conflicts get_document
get_export_formats get_fields get_file_formats get_health get_history get_index
get_indexed_full_text get_job get_judged_record get_judgements get_labels get_metrics get_news
get_page get_preferences get_prospect get_protocol get_query get_report get_report_archive
get_report_diagram get_report_trail get_search_feed get_session get_stats get_team get_upload
get_upload_file get_upload_limits judge_documents list_attachments list_documents list_duplicates
list_indexes list_jobs list_judged list_methods list_missing_full_texts list_new_hits
list_projects list_queries list_searches list_sessions list_tokens list_uploads list_views
look_up_known make_view merge_segments preview_upload put_preferences put_protocol
put_upload_piece read_file redo_judgements revoke_token rotate_token save_query save_search search
search_batch search_by_words show_next_page terms_of_words undo_judgements unassign_documents
who_am_i write_remark
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    index = Index.create(folder / "papers.idx", threads=1)
    index.add(
        {"id": f"d{i}", "title": f"Robot {i}", "text": f"robot arm number {i}", "year": 2000 + i}
        for i in range(20)
    )
    with serving(index.path, projects=folder / "projects") as client:
        yield client


@pytest.fixture(scope="module")
def described(server):
    return server.get("/openapi.json").json()


def parts_of(schema, place=""):
    """Everything in it, with its place."""
    yield place, schema
    listed = schema.items() if isinstance(schema, dict) else enumerate(schema)
    for key, value in listed:
        if isinstance(value, (dict, list)):
            yield from parts_of(value, f"{place}/{key}")


class TestDescription:
    def test_operations_have_names_of_their_own(self, described):
        """They are functions of generated clients: changing one breaks programs."""
        found = [
            one["operationId"] for path in described["paths"].values() for one in path.values()
        ]
        assert len(found) == len(set(found))
        assert not set(NAMES.split()) - set(found)
        assert all(name.isidentifier() and "v1" not in name for name in found)

    def test_no_index_is_in_it(self, described):
        assert described["info"]["title"] == "likewise"
        parameters = [
            one
            for path in described["paths"].values()
            for operation in path.values()
            for one in operation.get("parameters", ())
            if one["name"] == "index"
        ]
        assert parameters
        assert not any("enum" in one["schema"] for one in parameters)

    def test_bounds_are_those_of_json_schema(self, described):
        models = described["components"]["schemas"]
        for model in models.values():
            KEYWORDS.check_schema(model)
        for place, part in parts_of(described):
            if not isinstance(part, dict) or part.get("type") not in ("integer", "number"):
                continue
            assert not part.keys() & {"ge", "gt", "le", "lt"}, place
            bounds = [part[word] for word in BOUNDS if word in part]
            assert all(abs(bound) <= 2**53 for bound in bounds), place
            if part["type"] == "integer":
                assert all(isinstance(bound, int) for bound in bounds), place
        assert models["LearnOptions"]["properties"]["at"]["anyOf"][0]["minimum"] == 1

    def test_models_have_one_name_each(self, described):
        assert not [name for name in described["components"]["schemas"] if not name.isidentifier()]


@pytest.fixture(scope="module")
def made(described, tmp_path_factory):
    """The generated package."""
    if find_spec(GENERATOR) is None:
        pytest.skip("openapi-python-client is not installed")
    folder = tmp_path_factory.mktemp("made")
    (folder / "openapi.json").write_text(json.dumps(described))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            GENERATOR,
            "generate",
            "--path=openapi.json",
            "--output-path=client",
            f"--config={CONFIGURATION}",
            "--fail-on-warning",
        ],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder / "client"))
    yield "likewise_client"
    sys.path.remove(str(folder / "client"))


@pytest.fixture
def client(made, server):
    with importlib.import_module(made).Client(base_url=str(server.base_url)) as client:
        yield client


class TestClient:
    def call(self, made, place, client, *given, **named):
        """An operation by its tag and name."""
        return importlib.import_module(f"{made}.api.{place}").sync(*given, client=client, **named)

    def model(self, made, name):
        return getattr(importlib.import_module(f"{made}.models"), name)

    def liked(self, made, **options):
        given = {"positive": ["d1", "d2"], **options}
        return self.model(made, "SearchByExamples").from_dict(given)

    def test_every_operation_is_there(self, made, described):
        for path in described["paths"].values():
            for one in path.values():
                module = f"{made}.api.{one['tags'][0]}.{one['operationId']}"
                assert importlib.import_module(module).sync_detailed

    def test_searches(self, made, client):
        found = self.call(made, "search.search_by_words", client, "papers", q="robot", limit=3)
        assert len(found.hits) == 3
        asked = self.liked(made, method="1c", limit=2)
        liked = self.call(made, "search.search", client, "papers", body=asked)
        assert (liked.query.method, len(liked.hits)) == ("1c", 2)
        batch = self.model(made, "BatchRequest")(
            searches=[self.model(made, "SearchByWords")(words="arm"), asked]
        )
        both = self.call(made, "search.search_batch", client, "papers", body=batch)
        assert [bool(one.answer.hits) for one in both.answers] == [True, True]

    def test_an_offline_search(self, made, client):
        asked = self.liked(made, method="ba")
        answer = self.call(made, "search.search", client, "papers", body=asked)
        if isinstance(answer, self.model(made, "JobInfo")):  # it may be done at once
            assert answer.state in ("queued", "running", "done")
            listed = self.call(made, "jobs.list_jobs", client)
            assert answer.id in [one.id for one in listed.jobs]
        else:
            assert answer.hits
        asked.wait = 30.0
        assert self.call(made, "search.search", client, "papers", body=asked).hits

    def test_an_index_from_nothing(self, made, client):
        new = self.model(made, "NewIndex")(name="mine")
        assert self.call(made, "projects.create_index", client, body=new).index == "mine"
        one = self.model(made, "NewDocument").from_dict(
            {"id": "x", "text": "They walk.", "year": 1}
        )
        body = self.model(made, "NewDocuments")(documents=[one])
        assert self.call(made, "documents.add_documents", client, "mine", body=body).ids == ["x"]
        file = importlib.import_module(f"{made}.types").File(
            payload=io.BytesIO(b'{"id": "y", "text": "They run."}\n')
        )
        named = {"body": file, "wait": 30.0}
        added = self.call(made, "documents.add_documents_in_bulk", client, "mine", **named)
        assert added.documents == 1
        listed = self.call(made, "documents.list_documents", client, "mine")
        assert [one.id for one in listed.documents] == ["x", "y"]
        got = self.call(made, "documents.get_document", client, "mine", "x")
        assert got.fields.to_dict() == {"year": 1}

    def test_a_review(self, made, client):
        new = self.model(made, "NewSession")(name="s", words="robot")
        assert self.call(made, "sessions.create_session", client, "papers", body=new).name == "s"
        page = self.call(made, "sessions.get_page", client, "papers", "s")
        label = self.model(made, "OneJudgement").from_dict(
            {"id": page.hits[0].id, "label": "relevant"}
        )
        body = self.model(made, "NewJudgements")(judgements=[label])
        done = self.call(made, "sessions.judge_documents", client, "papers", "s", body=body)
        assert done.entered == 1

    def test_what_goes_wrong(self, made, client):
        said = self.call(made, "indexes.get_index", client, "none")
        assert said.type_ == "urn:likewise:problem:unknown-index"
        assert said.status == 404
