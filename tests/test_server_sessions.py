"""Reviews over HTTP: what a reviewer does, several at once, and what a kill cannot lose."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from helpers.server_client import make_index, problem, process, serving
from likewise import Index, Query

SESSIONS = "/v1/indexes/papers/sessions"
WORDS = "robot arm"


@pytest.fixture
def session(client, request):
    """The address of a session that only one test uses."""
    name = request.node.name
    made = client.post(SESSIONS, json={"name": name, "words": WORDS})
    assert made.status_code == 201, made.text
    return f"{SESSIONS}/{name}"


def judge(client, session, labels, **more):
    judgements = [{"id": id, "label": label} for id, label in labels.items()]
    return client.post(f"{session}/judgements", json={"judgements": judgements, **more})


def ids(page):
    return [hit["id"] for hit in page["hits"]]


def test_a_review(client, session, index):
    page = client.get(f"{session}/page", params={"explain": 2, "snippet": 20}).json()
    assert ids(page) == [hit.id for hit in index.search(WORDS)]
    assert page["number"] == 1
    assert {len(hit["snippet"]) for hit in page["hits"]} == {20}
    assert {len(hit["terms"]) for hit in page["hits"]} == {1, 2}
    assert client.get(f"{session}/page").json()["number"] == 1  # as often as it is asked for
    labels = {id: "relevant" if i < 3 else "not" for i, id in enumerate(ids(page))}
    judged = judge(client, session, labels, next={"size": 4, "explain": 1}).json()
    assert judged["entered"] == 10
    assert (judged["page"]["number"], judged["page"]["method"]) == (2, "two-class")
    assert len(judged["page"]["hits"]) == 4
    assert not set(ids(page)) & set(ids(judged["page"]))
    assert client.get(f"{session}/judgements").json()["judgements"] == labels
    told = client.get(session).json()
    assert told["judged"] == {"relevant": 3, "others": 7, "undecided": 0}
    assert (told["documents"], len(told["reviewers"])) == (2000, 1)


def test_undo_and_redo(client, session):
    problem(client.post(f"{session}/undo", json={}), 409, "nothing that could be undone")
    first, second, third = ids(client.get(f"{session}/page").json())[:3]
    judge(client, session, {first: "relevant", second: "not"})
    judge(client, session, {first: "unsure"})
    judge(client, session, {second: None})
    assert client.get(f"{session}/judgements").json()["judgements"] == {first: "unsure"}
    undone = client.post(f"{session}/undo", json={}).json()
    change = {"id": second, "before": None, "after": "not"}
    assert undone["changes"] == [change | {"stage": "title/abstract", "reasons": []}]
    client.post(f"{session}/undo", json={})
    client.post(f"{session}/undo", json={})
    assert client.get(f"{session}/judgements").json()["judgements"] == {}
    assert client.post(f"{session}/redo", json={}).json()["action"] == "redo"
    now = client.get(f"{session}/judgements").json()["judgements"]
    assert now == {first: "relevant", second: "not"}
    history = client.get(f"{session}/history", params={"limit": 2}).json()
    assert [entry["action"] for entry in history["entries"]] == ["redo", "undo"]
    assert history["total"] == 7
    problem(judge(client, session, {third: None}), 409, f"has not judged '{third}'")


def test_what_goes_with_a_judgement(client, session):
    (first, second) = ids(client.get(f"{session}/page").json())[:2]
    given = {"id": first, "label": "not", "reasons": ["old"], "note": "p. 3", "tags": ["later"]}
    there = {"id": second, "label": "relevant", "stage": "full text"}
    address = f"{session}/judgements"
    assert client.post(address, json={"judgements": [given, there]}).status_code == 200
    changes = client.get(f"{session}/history").json()["entries"][0]["changes"]
    assert [(one["stage"], one["reasons"]) for one in changes] == [
        ("title/abstract", ["old"]),
        ("full text", []),
    ]
    assert list(client.get(address).json()["judgements"]) == [first]
    line = client.get(f"{session}/export").text.splitlines()[1]
    assert ",title/abstract,old,p. 3,later" in line
    for wrong, sentence in (
        ({"label": "relevant"}, "reasons say why"),
        ({"reasons": ["a;b"]}, "not written as it must be"),
        ({"stage": "later"}, "full text"),
        ({"tags": [" x"]}, "cannot be one of the tags"),
    ):
        problem(client.post(address, json={"judgements": [{**given, **wrong}]}), 422, sentence)
    changed = client.patch(session, json={"stage": "full text", "random_rate": 0.1}).json()
    assert (changed["stage"], changed["random_rate"]) == ("full text", 0.1)
    assert list(client.get(address).json()["judgements"]) == [second]


def test_stats_conflicts_and_agreement(client, session):
    found = ids(client.get(f"{session}/page").json())
    judge(client, session, dict.fromkeys(found, "relevant"), reviewer="ada")
    judge(client, session, {found[0]: "not", found[1]: "relevant"}, reviewer="ben")
    stats = client.get(f"{session}/stats").json()
    assert (stats["gain"], stats["reviewers"]) == (list(range(1, 11)), ["ada", "ben"])
    assert len(stats["estimates"]) >= 2
    assert all(one["source"] and one["because"] for one in stats["estimates"])
    told = client.get(f"{session}/conflicts").json()
    (conflict,) = told["conflicts"]
    assert (conflict["id"], conflict["labels"]) == (found[0], {"ada": "relevant", "ben": "not"})
    assert conflict["title"]
    (agreement,) = told["agreement"]
    assert (agreement["documents"], agreement["agreed"]) == (2, 1)


def test_exports(client, session, index, tmp_path):
    found = ids(client.get(f"{session}/page").json())
    judge(client, session, {found[0]: "relevant", found[1]: "not"})

    def export(format, **asked):
        answer = client.get(f"{session}/export", params={"format": format, **asked})
        assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")
        return answer.text

    assert [line.split(",")[:2] for line in export("csv").splitlines()] == [
        ["id", "label"],
        [found[0], "relevant"],
        [found[1], "not"],
    ]
    assert export("jsonl").count("\n") == 2
    assert [line.split()[2:] for line in export("qrels").splitlines()] == [
        [found[0], "1"],
        [found[1], "0"],
    ]
    assert export("ris").count("ER  - \n") == 2
    ris = export("ris", records="relevant")
    document = index.document(found[0])
    assert f"ID  - {document.id}\nTI  - {document.title}\nAB  - {document.text[:50]}" in ris
    assert f"PY  - {document.fields['created'][:4]}\n" in ris
    assert "N1  - ASReview_relevant\n" in ris
    assert ris.count("ER  - \n") == 1
    assert export("jsonl", records="all").count("\n") == len(index)
    (tmp_path / "q.json").write_text(export("query"))
    assert Query.load(tmp_path / "q.json").learned.method


def test_judging_and_withdrawing_in_one_request_is_one_step(client, session):
    first, second, third = ids(client.get(f"{session}/page").json())[:3]
    judge(client, session, {first: "relevant", second: "not"})
    problem(judge(client, session, {second: "not", third: None}), 409, f"not judged '{third}'")
    assert judge(client, session, {first: None, third: "unsure"}).json()["entered"] == 2
    client.post(f"{session}/undo", json={})
    now = client.get(f"{session}/judgements").json()["judgements"]
    assert now == {first: "relevant", second: "not"}


def test_random_pages_and_passing_over(client, session):
    first = client.get(f"{session}/page").json()
    second = client.post(f"{session}/page", json={"size": 3}).json()
    assert len(second["hits"]) == 3
    assert not set(ids(first)) & set(ids(second))
    again = client.post(f"{session}/page", json={"size": 3, "again": True}).json()
    assert ids(again) == ids(first)[:3]
    sample = client.post(f"{session}/page", json={"size": 5, "random": True}).json()
    assert (sample["method"], len(sample["hits"])) == ("random", 5)


def test_names_choices_and_the_end(client, session):
    renamed = client.patch(session, json={"name": "Größe 1", "page_size": 2, "overlap": False})
    assert (renamed.json()["name"], renamed.json()["page_size"]) == ("Größe 1", 2)
    problem(client.get(session), 404, "no session")
    session = f"{SESSIONS}/Größe 1"
    assert len(client.get(f"{session}/page").json()["hits"]) == 2
    listed = [one["name"] for one in client.get(SESSIONS).json()["sessions"]]
    assert "Größe 1" in listed
    problem(client.post(SESSIONS, json={"name": "Größe 1"}), 409, "there is a session 'Größe 1'")
    assert client.delete(session).status_code == 204
    problem(client.get(session), 404, "no session 'Größe 1'")
    problem(client.delete(session), 404, "no session")


def test_a_start_from_examples(client, index):
    start = {"name": "like", "positive": ["1806.07419", {"text": "Robots walk"}], "seed": 3}
    assert client.post(SESSIONS, json=start).status_code == 201
    page = client.get(f"{SESSIONS}/like/page").json()
    assert "1806.07419" not in ids(page)
    wrong = client.post(SESSIONS, json={"name": "x", "positive": ["nobody"]})
    assert wrong.status_code in (404, 422)
    problem(client.get(f"{SESSIONS}/x"), 404, "no session 'x'")


@pytest.mark.parametrize("name", ["", "a/b", "..", " ", "a\nb", "x" * 201])
def test_names_that_cannot_be(client, name):
    problem(client.post(SESSIONS, json={"name": name}), 422, "name")


def test_what_makes_no_sense(client, session):
    problem(judge(client, session, {"nobody": "relevant"}), 404, "no document 'nobody' in papers")
    problem(judge(client, session, {"1806.07419": "maybe"}), 422, "/body/judgements/0/label")
    problem(client.patch(session, json={"method": "best"}), 422, "choose auto")
    problem(client.post(f"{session}/page", json={"size": 0}), 422, "/body/size")


def test_several_judge_at_once(client, session, index):
    """Everybody's judgements are kept, and pages go on meanwhile."""
    names = [f"reviewer {number}" for number in range(6)]
    documents = index.ids()[:8]

    def review(name):
        for id in documents:
            answer = judge(client, session, {id: "relevant"}, reviewer=name, next={"size": 2})
            assert answer.status_code == 200, answer.text
            assert client.get("/v1/indexes/papers/search?q=robot").status_code == 200

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(review, names))
    for name in names:
        kept = client.get(f"{session}/judgements", params={"reviewer": name}).json()
        assert kept["judgements"] == dict.fromkeys(documents, "relevant")


def test_documents_added_meanwhile_are_found(tmp_path):
    index = Index.create(tmp_path / "papers.idx", threads=1)
    index.add([{"id": "a", "text": "red apples"}, {"id": "b", "text": "green apples"}])
    with serving(index.path) as client:
        client.post(SESSIONS, json={"name": "one", "words": "apples"})
        session = f"{SESSIONS}/one"
        judge(client, session, {"a": "relevant", "b": "not"})
        assert client.post(f"{session}/page", json={}).json()["hits"] == []
        new = {"documents": [{"id": "c", "text": "more red apples"}]}
        client.post("/v1/indexes/papers/documents", json=new)
        assert ids(client.get(f"{session}/page").json()) == ["c"]


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path):
    """Judges go on until the server is gone; what was answered must be there afterwards."""
    index = make_index(tmp_path)
    documents = index.ids()
    acknowledged: dict[str, list[str]] = {name: [] for name in ("ada", "ben", "cy")}

    with process(index.path, "--rate-limit", "0", "--threads", "1") as (running, address):
        with httpx.Client(base_url=address, timeout=60) as client:
            client.post(SESSIONS, json={"name": "killed", "words": WORDS}).raise_for_status()

        def review(name):
            with httpx.Client(base_url=address, timeout=60) as client:
                try:
                    for id in documents:
                        answer = judge(
                            client,
                            f"{SESSIONS}/killed",
                            {id: "relevant"},
                            reviewer=name,
                            next={"size": 1},
                        )
                        assert answer.status_code == 200, answer.text
                        acknowledged[name].append(id)
                        if sum(map(len, acknowledged.values())) == 40:
                            running.kill()
                except httpx.TransportError:
                    pass

        with ThreadPoolExecutor(3) as pool:
            list(pool.map(review, acknowledged))
    session = index.session("killed")
    assert sum(map(len, acknowledged.values())) >= 40
    for name, ids in acknowledged.items():
        kept = session.judgements(name)
        assert [id for id in ids if id not in kept] == []
    with serving(index.path) as client:
        assert client.get(f"{SESSIONS}/killed/page?reviewer=ada").status_code == 200


def test_a_report(client, session, index, tmp_path):
    page = client.get(f"{session}/page").json()
    judge(client, session, {id: "not" if i else "relevant" for i, id in enumerate(ids(page))})
    asked = {"source": ["PubMed=1500", "Embase = 700"]}
    told = client.get(f"{session}/report", params=asked).json()
    flow = told["flow"]
    assert flow["sources"] == {"PubMed": 1500, "Embase": 700}
    assert (flow["identified"], flow["screened"], flow["excluded"]) == (2200, 2000, 9)
    assert (flow["included"], flow["not_reached"], flow["full_text"]) == (1, 1990, None)
    assert "2,000 records" in told["methods"]
    drawn = client.get(f"{session}/report/diagram", params=asked)
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "PubMed (n\u00a0=\u00a01,500)" in drawn.text
    trail = client.get(f"{session}/report/trail").text.splitlines()
    assert sum(",judge," in line for line in trail) == 10
    (tmp_path / "review.zip").write_bytes(client.get(f"{session}/report/archive").content)
    back = Index.restore(tmp_path / "review.zip", tmp_path / "back.idx")
    assert len(back) == 2000
    (only,) = back.sessions()
    assert not back.session(only.name).report.replay().differing
    problem(client.get(f"{session}/report", params={"source": "PubMed"}), 422, "PubMed=812")
    problem(client.get(f"{SESSIONS}/none/report/archive"), 404, "no session")
