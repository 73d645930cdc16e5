"""Rules of a review: who may judge, reasons at full text, corrections, whose numbers."""

from __future__ import annotations

import pytest

from helpers.command_line import succeed
from helpers.server_client import problem, serving
from likewise import Document, Index
from likewise.errors import MissingReasonError, NotAllowedError, UsageError

BASE = "/v1/indexes/papers/sessions"


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "papers.idx", threads=1)
    made.add([Document(f"d{i}", f"sleep of rats {i}", f"Sleep {i}") for i in range(20)])
    return made


@pytest.fixture
def full_text(index):
    """A review at its full texts, with reasons to choose from."""
    session = index.session("s", query="sleep", reviewer="ada")
    session.plan(reasons=["no trial", "wrong animal"])
    for i in range(6):
        session.judge(f"d{i}", "relevant")
    return index.session("s", reviewer="ada", stage="full text")


class TestNames:
    def test_those_who_work_on_it_are_known(self, index):
        session = index.session("s", query="sleep", reviewer="ada")
        session.as_reviewer("ben").judge("d1", "relevant")
        session.team.change(adjudicator="cem")
        assert session.team.names() == ["cem", "ada", "ben"]
        assert not session.team.closed

    def test_a_team_is_closed(self, index):
        session = index.session("s", query="sleep", reviewer="eve")
        session.team.change(reviewers=["ada", "ben"], adjudicator="cem")
        assert session.team.closed
        typo = session.as_reviewer("adda")
        wanted = "'adda' is not in the team of session 's', which is ada, ben, cem, eve"
        for act in (
            lambda: typo.judge("d1", "relevant"),
            lambda: typo.annotate("d1", note="x"),
            typo.next,
            typo.sample,
            lambda: typo.page,
        ):
            with pytest.raises(NotAllowedError, match=wanted):
                act()
        for who in ("ada", "cem", "eve"):
            session.as_reviewer(who).judge("d1", "relevant")
        session.as_reviewer("root", oversees=True).judge("d1", "not")  # of a token of role owner
        assert "adda" not in session.team.names()

    def test_over_http(self, index):
        with serving(index.path) as client:
            made = client.post(BASE, json={"name": "s", "words": "sleep"}).json()
            assert not made["closed"]
            client.post(f"{BASE}/s/judgements", json=votes("d1", reviewer="ada"))
            assert client.get(f"{BASE}/s").json()["names"] == [made["owner"], "ada"]
            client.patch(f"{BASE}/s/team", json={"reviewers": ["ada", "ben"]})
            team = client.get(f"{BASE}/s/team").json()
            assert (team["closed"], team["names"]) == (True, ["ada", "ben", made["owner"]])
            said = client.post(f"{BASE}/s/judgements", json=votes("d2", reviewer="adda"))
            problem(said, 403, "'adda' is not in the team")
            said = client.get(f"{BASE}/s/page", params={"reviewer": "adda"})
            problem(said, 403, "'adda' is not in the team")

    def test_the_terminal_names_those_it_knows(self, index):
        index.session("s", query="sleep", reviewer="ada").judge("d1", "not", reasons=["no trial"])
        asked = ("judged", index.path, "--name", "s", "--id", "d1", "--correct")
        _, said = succeed(*asked, "relevant", "--reviewer", "ada")
        assert said == "ada calls d1 relevant\n"
        _, said = succeed(*asked, "not", "--reviewer", "adda", "--reason", "no data")
        assert said.startswith("adda has not judged in this review before; known: ada. If this")
        assert index.session("s", reviewer="adda").reasons() == {"d1": ("no data",)}


class TestReasons:
    def test_a_full_text_is_left_out_for_one(self, full_text):
        with pytest.raises(MissingReasonError, match=r"'d1' is left out for no reason.*'no trial'"):
            full_text.judge("d1", "not")
        assert full_text.judgements() == {}
        full_text.judge("d1", "not", reasons=["no trial"])
        full_text.judge("d2", "unsure")
        full_text.judge("d3", "relevant")

    def test_unless_the_protocol_says_otherwise(self, full_text):
        full_text.plan(require_reason=False)
        full_text.judge("d1", "not")
        full_text.plan(require_reason=True, reasons=[])
        full_text.judge("d2", "not")
        with pytest.raises(UsageError, match="require_reason is 'yes'"):
            full_text.plan(require_reason="yes")

    def test_titles_need_none(self, index, full_text):
        index.session("s", reviewer="ada", stage="title/abstract").judge("d9", "not")

    def test_a_correction_keeps_reasons_unless_changed(self, full_text):
        full_text.judge("d1", "not", reasons=["no trial"])
        full_text.judge("d1", "not", note="see the appendix")
        assert full_text.reasons() == {"d1": ("no trial",)}
        full_text.judge("d1", "unsure")
        assert full_text.reasons() == {"d1": ("no trial",)}
        full_text.judge("d1", "not", reasons=["wrong animal"])
        assert full_text.reasons() == {"d1": ("wrong animal",)}
        full_text.judge("d1", "relevant")
        assert full_text.reasons() == {}
        with pytest.raises(MissingReasonError):
            full_text.judge("d1", "not")

    def test_reasons_can_be_taken_away(self, index):
        session = index.session("s", query="sleep", reviewer="ada")
        session.judge("d1", "not", reasons=["no trial"])
        session.judge("d1", "not", reasons=[])
        assert session.reasons() == {}

    def test_copies_have_the_reason_too(self, tmp_path):
        index = Index.create(tmp_path / "copies.idx")
        same = {"title": "Sleep and noise in rats and mice", "doi": "10.1000/x"}
        index.add([Document("a", "the same text of a study", **same) for _ in range(1)])
        index.add([Document("b", "the same text of a study", **same)])
        session = index.session("s", query="sleep", reviewer="ada")
        session.judge("a", "not", reasons=["no trial"])
        session.judge("a", "not")
        assert session.reasons() == {"a": ("no trial",), "b": ("no trial",)}

    def test_over_http(self, index, full_text):
        with serving(index.path) as client:
            protocol = client.get(f"{BASE}/s/protocol").json()
            assert protocol["require_reason"] is True
            wanted = votes("d1", label="not", reviewer="ada")
            said = client.post(f"{BASE}/s/judgements", json=wanted)
            problem(said, 422, "'d1' is left out for no reason: at full text give one")
            wanted["judgements"][0]["reasons"] = ["no trial"]
            assert client.post(f"{BASE}/s/judgements", json=wanted).status_code == 200
            wanted["judgements"][0] |= {"reasons": None, "note": "later"}
            assert client.post(f"{BASE}/s/judgements", json=wanted).status_code == 200
            assert index.session("s", reviewer="ada").reasons() == {"d1": ("no trial",)}
            client.put(f"{BASE}/s/protocol", json={"require_reason": False})
            later = votes("d2", label="not", reviewer="ada")
            assert client.post(f"{BASE}/s/judgements", json=later).status_code == 200


class TestBlindedProgress:
    def begin(self, index, **team):
        session = index.session("s", query="sleep", reviewer="eve")
        session.team.change(reviewers=["ada", "ben"], blinded=True, **team)
        for i in range(3):
            session.as_reviewer("ada").judge(f"d{i}", "relevant")
        return session

    def test_an_owner_who_decides_sees_all_and_is_told(self, index):
        stats = self.begin(index).stats()
        assert (stats.judged, stats.blinded, stats.blind) == (3, True, False)
        assert stats.note.endswith("You see everything.")

    def test_an_owner_who_does_not_is_told_why_there_is_nothing(self, index):
        stats = self.begin(index, adjudicator="cem").stats()
        assert (stats.judged, stats.blinded, stats.blind) == (0, True, True)
        assert stats.note == (
            "This review is blinded: you see your own judgements, and what others say of a record "
            "once all have judged it. Others have judged 3 more records."
        )

    def test_a_session_that_is_not_says_nothing(self, index):
        stats = index.session("s", query="sleep", reviewer="eve").stats()
        assert (stats.blinded, stats.blind, stats.note) == (False, False, "")

    def test_over_http_and_in_the_terminal(self, index):
        self.begin(index, adjudicator="cem")
        with serving(index.path) as client:
            found = client.get(f"{BASE}/s/stats", params={"reviewer": "eve"}).json()
            assert (found["blinded"], found["blind"]) == (True, True)
            assert "Others have judged 3 more records." in found["note"]
            assert client.get(f"{BASE}/s").json()["blinded"]
        shown, _ = succeed("judgements", index.path, "--name", "s", "--reviewer", "eve")
        assert "This review is blinded" in shown


def votes(id, label="relevant", **more):
    return {"judgements": [{"id": id, "label": label}], **more}
