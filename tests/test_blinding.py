"""While a session is blinded, nothing that a reviewer gets depends on what others have said."""

from __future__ import annotations

import json
import re

import pytest

from helpers.server_client import serving
from likewise import Index, UsageError
from likewise.errors import NotAllowedError

LABELS = ("relevant", "not")
BASE = "/v1/indexes/papers"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("blinded") / "papers.idx", threads=1)
    index.add(
        {"id": f"d{i}", "title": f"on {'cats' if i % 3 else 'dogs'}", "text": "cat dog " * (i % 4)}
        | {"text": f"cats {'dogs ' * (i % 7)} word{i % 11} number{i}"}
        for i in range(60)
    )
    return index.path


def begin(path, place, name="s", **team):
    session = Index.open(path).session(
        name, query="cats", reviewer="eve", page_size=5, database=place
    )
    chosen = {"reviewers": ("ann", "bob", "cem"), "agree": 2, "blinded": True, **team}
    session.team.change(**chosen)
    return session


def judge_some(session, reviewer, offset, n=12):
    """Judge documents, in a way that a flipped offset turns around."""
    own = session.as_reviewer(reviewer)
    for i in range(n):
        label = LABELS[(i // 2 + offset) % 2]
        reasons = [f"reason {offset}"] if label == "not" else []
        own.judge(f"d{i}", label, reasons=reasons, note=f"note {offset}", tags=[f"tag {offset}"])


def looks(session, reviewer):
    """All that a reviewer can find out in Python."""
    own = session.as_reviewer(reviewer)
    if reviewer in session.team.settings.reviewers:
        pages = {"page": own.next()._replace(number=0), "sample": own.sample(7).hits}
    else:
        with pytest.raises(NotAllowedError, match="not in the team"):
            own.next()
        pages = {}
    return {
        **pages,
        "query": re.sub(r"seconds=[^,]+", "", repr(getattr(own.query, "portable", own.query))),
        "labels": own.labels(),
        "judgements": [own.judgements(who) for who in ("ann", "bob", "cem")],
        "reasons": [own.reasons(who) for who in ("ann", "bob", "cem")],
        "notes": [own.notes(who) for who in ("ann", "bob", "cem")],
        "tags": [own.tags(who) for who in ("ann", "bob", "cem")],
        "remarks": [one._replace(at=0) for one in own.remarks()],
        "history": [one._replace(at=0) for one in own.history()],
        "stats": own.stats(),
        "conflicts": own.conflicts(),
        "agreement": own.agreement(),
        "alpha": own.team.alpha,
        "decisions": own.team.decisions(),
        "progress": own.team.progress(),
        "exports": [
            re.sub(r"20\d\d-[\d:.T-]+", "", own.export(format=format, records=records))
            for format in ("csv", "jsonl", "ris", "trec", "bibtex")
            for records in ("judged", "relevant")
        ],
    }


@pytest.mark.parametrize("overlap", [True, False])
def test_nothing_depends_on_others_votes(path, tmp_path, overlap):
    """Two worlds that differ in what others say, and in nothing else."""
    seen = []
    for offset in (0, 1):
        session = begin(path, tmp_path / f"{offset}.sqlite", agree=3)
        session = Index.open(path).session(
            "s", reviewer="eve", database=tmp_path / f"{offset}.sqlite", overlap=overlap
        )
        judge_some(session, "ann", offset)
        judge_some(session, "bob", 0, 4)
        session.team.decide("d9", LABELS[offset], note=f"decided {offset}")
        seen.append([looks(session, who) for who in ("bob", "cem", "dan")])
        assert session.conflicts() or offset == 0  # who decides sees them
        assert session.labels()["d9"] is (offset == 0)
    for first, second in zip(*seen, strict=True):
        for what in first:
            assert first[what] == second[what], what
    bob, cem, _ = seen[0]
    assert len(bob["history"]) == len(bob["labels"]) == 4
    assert not cem["history"]
    assert [share.judged for share in cem["progress"]] == [12, 4, 0]  # how many is no secret


def test_votes_are_open_once_all_have_judged(path, tmp_path):
    session = begin(path, tmp_path / "s.sqlite")
    ann, bob, cem = (session.as_reviewer(name) for name in ("ann", "bob", "cem"))
    ann.judge("d1", "relevant", note="mine")
    bob.judge("d1", "not")
    assert bob.conflicts() == ann.conflicts() == []
    assert bob.judgements("ann") == {}
    assert [one.document for one in session.conflicts()] == ["d1"]
    cem.judge("d1", "unsure")
    assert [one.labels for one in bob.conflicts()] == [
        {"ann": "relevant", "bob": "not", "cem": "unsure"}
    ]
    assert bob.notes("ann") == {"d1": "mine"}
    assert session.as_reviewer("dan").conflicts() == []
    assert bob.labels() == {"d1": False}
    session.team.decide("d1", "relevant", note="by the protocol")
    assert bob.labels() == {"d1": True}
    assert bob.team.decisions()["d1"].note == "by the protocol"
    assert bob.conflicts() == session.conflicts() == []
    bob.undo()
    assert bob.judgements("ann") == bob.labels() == {}


def test_what_was_assigned_is_open_once_those_have_judged(path, tmp_path):
    session = begin(path, tmp_path / "s.sqlite")
    session.team.assign(2, documents=["d1", "d2"], reviewers=["ann", "bob"])
    ann, bob = session.as_reviewer("ann"), session.as_reviewer("bob")
    assert set(bob.page.ids) == {"d1", "d2"}
    assert session.as_reviewer("cem").page.hits == ()
    ann.judge("d1", "relevant")
    assert not bob.judgements("ann")
    bob.judge("d1", "relevant")
    assert bob.judgements("ann") == {"d1": "relevant"}


def test_who_sees_all(path, tmp_path):
    session = begin(path, tmp_path / "s.sqlite", adjudicator="fay", sees_all=("gus",))
    session.as_reviewer("ann").judge("d1", "relevant")
    seen = {
        who: bool(session.as_reviewer(who).judgements("ann"))
        for who in ("ann", "bob", "dan", "eve", "fay", "gus")
    }
    # Eve has made it, and named another who decides.
    assert [who for who, sees in seen.items() if sees] == ["ann", "fay", "gus"]
    assert session.as_reviewer("root", oversees=True).judgements("ann")
    assert not session.as_reviewer("bob", oversees=True).judgements("ann")
    session.team.change(blinded=False)
    assert session.as_reviewer("bob").judgements("ann")


def test_who_decides(path, tmp_path):
    session = begin(path, tmp_path / "s.sqlite", adjudicator="fay")
    for who in ("bob", "dan"):
        assert not session.as_reviewer(who).team.decides
        with pytest.raises(NotAllowedError, match="fay decides where reviewers of session 's'"):
            session.as_reviewer(who).team.decide("d1", "not")
    for who in ("eve", "fay"):
        session.as_reviewer(who).team.decide("d1", "not", reasons=["off topic"])
    session = session.as_reviewer("fay")
    session.as_reviewer("fay").team.decide("d2", "relevant")
    assert session.labels() == {"d1": False, "d2": True}
    session.as_reviewer("fay").team.decide("d1", None)
    assert session.labels() == {"d2": True}
    for wrong, sentence in (
        (("d1", "maybe"), "'maybe' is no judgement"),
        (("none", "not"), "no document 'none'"),
    ):
        with pytest.raises(UsageError, match=sentence):
            session.team.decide(*wrong)
    with pytest.raises(UsageError, match="reasons say why"):
        session.team.decide("d1", "relevant", reasons=["x"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"blinded": True, "reviewers": []}, "name two reviewers or more"),
        ({"agree": 3, "reviewers": ["ann", "bob"]}, "agree is 3: there are 2 reviewers"),
        ({"agree": 0}, "agree is 0"),
        ({"reviewers": "ann"}, "reviewers are a list of names"),
        ({"reviewers": ["ann", " "]}, "name is empty"),
        ({"lease": 0}, "lease is 0"),
        ({"changes": 3}, "unknown part 'changes'"),
    ],
)
def test_teams_that_make_no_sense(path, tmp_path, given, sentence):
    session = begin(path, tmp_path / "s.sqlite", blinded=False)
    before = session.team.settings
    with pytest.raises(UsageError, match=sentence):
        session.team.change(**given)
    assert session.team.settings == before


SECRETS = {name: f"{name or 'reader'}-" + "x" * 20 for name in ("", "ann", "bob", "cem", "eve")}
ROUTES = (
    *("", "/stats", "/history", "/conflicts", "/team", "/judgements", "/judgements?reviewer=ann"),
    *("/page", "/export?format=csv", "/export?format=ris", "/export?format=qrels"),
)


def test_no_route_depends_on_others_votes(path, tmp_path):
    """As above, over HTTP: whatever is there to be read, by reviewers and by who may only read."""
    tokens = tmp_path / "tokens.txt"
    lines = [f"{secret} {'review' if name else 'read'} {name}" for name, secret in SECRETS.items()]
    tokens.write_text("\n".join(line.strip() for line in lines) + "\n")
    seen = []
    for offset in (0, 1):
        place = tmp_path / f"{offset}.sqlite"
        session = begin(path, place, agree=3)
        judge_some(session, "ann", offset)
        judge_some(session, "bob", 0, 4)
        session.team.decide("d9", LABELS[offset], note=f"decided {offset}")
        with serving(path, token_file=tokens, database=str(place)) as client:
            found = {}
            for name in ("bob", "cem", ""):
                headers = {"authorization": f"Bearer {SECRETS[name]}"}
                for route in readable(client):
                    answer = client.get(f"{BASE}/sessions/s{route}", headers=headers)
                    found[name, route] = (answer.status_code, faded(answer.text))
            seen.append(found)
            eve = {"authorization": f"Bearer {SECRETS['eve']}"}
            assert client.get(f"{BASE}/sessions/s/judgements?reviewer=ann", headers=eve).json()[
                "judgements"
            ]
            impostor = client.get(
                f"{BASE}/sessions/s/stats?reviewer=ann",
                headers={"authorization": f"Bearer {SECRETS['']}"},
            )
            assert impostor.status_code == 403
    assert seen[0] == seen[1]
    assert sum(status == 200 for status, _ in seen[0].values()) > 2 * len(ROUTES)


def readable(client):
    """Every route below a session that answers GET, with what it needs."""
    known = client.get("/openapi.json").json()["paths"]
    start = "/v1/indexes/{index}/sessions/{name}"
    bare = [path.removeprefix(start) for path, ways in known.items() if "get" in ways]
    bare = [path for path in bare if not path.startswith("/v1/") and path != "/"]
    return sorted({*ROUTES, *(one.replace("{id}", "d3") for one in bare)})


def faded(text):
    """Without times, which differ anyway."""
    text = re.sub(r'"seconds":[\d.e-]+|"request_id":"\w+"', "", text)
    return re.sub(r"20\d\d-\d\d-\d\dT[\d:.]+Z?", "", text)


def test_a_page_of_a_blinded_review_has_own_scores_only(path, tmp_path):
    """The finding that this answers: a third reviewer's highest scores were all relevant."""
    session = begin(path, tmp_path / "s.sqlite")
    judge_some(session, "ann", 0, 30)
    before = session.as_reviewer("dan").query
    assert before == "cats"
    scores = json.dumps([hit.score for hit in session.as_reviewer("cem").next(30).hits])
    judge_some(session, "ann", 1, 30)
    later = begin(path, tmp_path / "s2.sqlite")
    judge_some(later, "ann", 1, 30)
    assert scores == json.dumps([hit.score for hit in later.as_reviewer("cem").next(30).hits])


def test_what_is_known_before_is_known_to_everybody(path, tmp_path):
    """A blinded reviewer's order is learned from it, too; and she judges it herself."""
    team = {"reviewers": ["ann", "bob"], "agree": 2, "blinded": True}
    session = Index.open(path).reviews.begin(
        "s",
        known=["d7"],
        known_not=["d3"],
        team=team,
        reviewer="eve",
        page_size=5,
        database=tmp_path / "s.sqlite",
    )
    ann = session.as_reviewer("ann")
    assert ann.labels() == {"d7": True, "d3": False}
    assert ann.judgements() == {}
    page = ann.next()
    assert len(page.hits) == 5
    assert set(page.ids[:2]) == {"d7", "d3"}
    assert not set(page.ids) & set(ann.next().ids)
    ann.judge("d7", "not")
    assert ann.labels()["d7"] is False
    assert session.as_reviewer("bob").labels()["d7"] is True
