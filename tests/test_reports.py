"""What a publication needs: counts, flow diagram, methods, trail, an archive that replays."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from helpers.command_line import refuse, run, succeed
from likewise import Document, Index
from likewise.errors import StoreError, UsageError
from likewise.reviews.database import Database
from likewise.reviews.report import Flow, FullText
from likewise.reviews.report.diagram import svg
from likewise.reviews.report.flow import NO_REASON, sources_of
from likewise.reviews.tables import events, pages, sessions

if TYPE_CHECKING:
    from likewise.reviews import Session

TOPICS = {"heat": "engine steam heat boiler", "bird": "wing feather nest egg"}


def papers(n: int = 60) -> list[Document]:
    kinds = list(TOPICS)
    return [
        Document(
            f"p{i}",
            f"{TOPICS[kinds[i % 2]]} study number word{i} word{i * 7 % 11}",
            f"{kinds[i % 2]} paper {i}",
            year=2000 + i % 20,
        )
        for i in range(n)
    ]


@pytest.fixture
def index(tmp_path) -> Index:
    made = Index.create(tmp_path / "papers.idx")
    made.add(papers())
    return made


def screen(session: Session, pages: int) -> None:
    for _ in range(pages):
        for hit in session.next().hits:
            about_heat = hit.title.startswith("heat")
            reasons = [] if about_heat else ["about birds"]
            session.judge(hit, "relevant" if about_heat else "not", reasons=reasons)


@pytest.fixture
def session(index) -> Session:
    begun = index.session("heat", examples=["p0"], reviewer="ada", page_size=5, random_rate=0.25)
    screen(begun, 6)
    return begun


def test_counts_add_up(session):
    flow = session.report.flow()
    stats = session.stats()
    assert flow.identified == flow.screened == 60
    assert flow.relevant == stats.relevant + 1  # p0, which was known
    assert flow.excluded == stats.others
    assert flow.reasons == {"about birds": stats.others}
    assert flow.screened == flow.relevant + flow.excluded + flow.undecided + flow.not_reached
    assert (flow.full_text, flow.included) == (None, flow.relevant)


def test_full_texts_are_counted_by_reason(index, session):
    found = [id for id, label in session.judgements().items() if label == "relevant"]
    later = index.session("heat", reviewer="ada", stage="full text")
    later.judge(found[0], "relevant")
    later.judge(found[1], "not", reasons=["no data"])
    later.judge(found[2], "not", reasons=["Not retrieved"])
    later.judge(found[3], "unsure")
    later.judge(found[4], "not")
    flow = later.report.flow()
    text = flow.full_text
    assert text.sought == flow.relevant
    assert (text.not_retrieved, text.assessed, text.undecided) == (1, 4, 1)
    assert text.excluded == {"no data": 1, NO_REASON: 1}
    assert text.waiting == text.sought - 5
    assert flow.included == 1


def test_duplicates_and_sources(index, session):
    index.add([Document("copy", papers()[0].text, papers()[0].title, year=2000)])
    flow = session.report.flow({"PubMed": 50, "Embase": 20})
    assert flow.sources == {"PubMed": 50, "Embase": 20}
    assert flow.identified == 70  # nine went before they came here
    assert flow.duplicates == 10
    assert flow.screened == 60


def test_a_conflict_is_undecided(index, session):
    id = next(id for id, label in session.judgements().items() if label == "relevant")
    index.session("heat", combine="majority")
    session.as_reviewer("bob").judge(id, "not")
    assert session.report.flow().undecided == 1


@pytest.mark.parametrize(
    "bad", ["PubMed", "=3", "PubMed=", "PubMed=-1", "PubMed=1.5", "P=" + "9" * 13]
)
def test_a_source_that_is_not_understood(bad):
    with pytest.raises(UsageError, match="write PubMed=812"):
        sources_of([bad])


def test_sources_are_counts(session):
    with pytest.raises(UsageError, match="PubMed are True"):
        session.report.flow({"PubMed": True})
    with pytest.raises(UsageError, match="no name"):
        session.report.flow({" ": 3})
    assert sources_of(["A=B=3", "C = 4"]) == {"A=B": 3, "C": 4}


def test_the_diagram_is_a_picture_with_its_text():
    text = FullText(66, 3, 61, {"<b>&\x00" + "long reason " * 9: 12}, 1, 2)
    flow = Flow({"PubMed": 812}, 4491, 12, 4479, 311, 4100, 2, 66, {}, text, 41)
    root = ElementTree.fromstring(svg(flow))
    told = " ".join(root.itertext()).replace("\u00a0", " ")
    for part in ("n = 4,491", "PubMed (n = 812)", "n = 4,100", "(n = 66)", "(n = 41)", "<b>&"):
        assert part in told
    drawn = list(root.iter("{http://www.w3.org/2000/svg}text"))
    height = float(root.get("height"))
    assert all(0 < float(one.get("y")) < height for one in drawn)
    assert "full text" not in svg(flow._replace(full_text=None)).lower()


def test_methods_say_what_was_done(index, session):
    session.plan(question="What heats?", criteria="Engines only.")
    text = session.report.methods()
    flow = session.report.flow()
    assert text.startswith("Question: What heats?\n\nCriteria of inclusion: Engines only.")
    for part in (
        "1 record known to be relevant",
        f"{flow.not_reached:,} records with lower ranks",
        "drawn at random",
        "One reviewer",
        "likewise (version ",
        "ranked by a support vector machine",
        "60 records were identified.",
    ):
        assert part in text.partition("Details")[0]
    paragraphs, _, details = text.partition("\n\nDetails (for an appendix):\n")
    for raw in ("two-class", "page_size", "None", "True", "seed"):
        assert raw not in paragraphs
    for fact in ("- random seed: 0\n", "- methods used: ", "- records a page: 5\n", "identity "):
        assert fact in details


def test_methods_of_a_team_that_knew_something_before(index):
    team = {"reviewers": ["ann", "ben"], "agree": 2, "blinded": True, "adjudicator": "carol"}
    session = index.reviews.begin(
        "team", reviewer="eve", known=["p1", "p2"], known_not=["p3"], team=team
    )
    session.as_reviewer("ann").judge("p4", "relevant")
    text = session.as_reviewer("carol").report.methods()
    began = "Screening began with 2 records known to be relevant and 1 record known not to be"
    assert began in text
    assert (
        "Two reviewers each judged every record by title and abstract, blinded to each other's "
        "judgements; two had to agree on a record. Disagreements were resolved by carol."
    ) in text


def test_the_archive_of_a_blinded_review_is_replayed_by_anybody(index, tmp_path, monkeypatch):
    session = index.session("blind", query="heat", reviewer="eve", page_size=3)
    session.team.change(reviewers=["ann", "ben"], blinded=True)
    ann = session.as_reviewer("ann")
    ann.judge(ann.next().ids[0], "relevant")
    session.report.archive(tmp_path / "blind.zip")
    for user in ("ann", "zoe"):
        monkeypatch.setenv("LOGNAME", user)
        assert "all with the same records" in succeed("replay", tmp_path / "blind.zip")[0]


def test_the_trail_has_everything_in_order(session):
    session.judge("p1", "not", note="=HYPERLINK(1)", tags=["odd"])
    session.undo()
    session.plan(question="why")
    traces = session.report.trail()
    assert [one.time for one in traces] == sorted(one.time for one in traces)
    assert {"create", "show", "judge", "undo", "write", "protocol"} <= {
        one.action for one in traces
    }
    assert sum(one.action == "show" for one in traces) == 6
    judged = [one for one in traces if one.action == "judge"]
    assert len(judged) == 31
    table = list(csv.DictReader(io.StringIO(b"".join(session.report.trail_file()).decode())))
    assert len(table) == len(traces)
    assert any(row["note"] == "'=HYPERLINK(1)" for row in table)  # no formula
    lines = [json.loads(line) for line in session.report.trail_file("jsonl")]
    assert [one["action"] for one in lines] == [one.action for one in traces]
    with pytest.raises(UsageError, match="choose csv or jsonl"):
        session.report.trail_file("ris")


def test_a_review_is_made_again(index, session):
    index.session("heat", reviewer="ada", page_size=3, method="rocchio")  # changed on the way
    screen(session, 2)
    session.undo()
    screen(session, 1)
    replay = session.report.replay()
    assert len(replay.pages) == 9
    assert not replay.differing
    assert [page.shown for page in replay.pages] == [page.now for page in replay.pages]


def test_what_differs_is_named(index, session):
    with index.reviews._database(None).writing() as connection:
        connection.execute(pages.update().values(version="0.0.1"))
    assert not session.report.replay().differing  # another version, the same order
    index.add([Document(f"new{i}", "engine steam heat boiler", f"heat new {i}") for i in range(9)])
    index.delete("p2")
    differing = index.session("heat", reviewer="ada").report.replay().differing
    assert differing
    assert "likewise 0.0.1" in differing[0].difference
    assert "generation" in differing[0].difference


def test_pages_from_before_records_were_added_are_made_again(index, session, tmp_path):
    more = [Document(f"new{i}", "engine steam heat boiler", f"heat new {i}") for i in range(40)]
    index.add(more[:25])
    screen(session, 3)
    index.project.rename("Heat")  # another generation of the same documents
    index.add(more[25:], merge=False)
    screen(session, 2)
    index.merge()
    replay = index.session("heat", reviewer="ada").report.replay()
    assert len(replay.pages) == 11
    assert not replay.differing, replay.differing[0].difference
    assert any("new" in id for page in replay.pages[6:] for id in page.shown)
    session.report.archive(tmp_path / "heat.zip")
    assert "all with the same records" in succeed("replay", tmp_path / "heat.zip")[0]


def test_an_archive_holds_one_session_and_replays(index, session, tmp_path):
    other = index.session("secret", reviewer="eve")
    other.judge("p7", "not", note="nobody's business")
    session.judge("p3", "not", note="dull")
    path = tmp_path / "heat.zip"
    made = session.report.archive(path, sources={"PubMed": 70})
    assert made.documents == 60
    assert made.judgements == 31
    with zipfile.ZipFile(path) as zipped:
        names = set(zipped.namelist())
        assert {"review/methods.txt", "review/prisma.svg", "review/judgements.csv"} <= names
        counts = json.loads(zipped.read("review/prisma.json"))
        assert counts["sources"] == {"PubMed": 70}
    assert b"nobody's business" not in path.read_bytes()
    back = Index.restore(path, tmp_path / "back.idx")
    again = back.session("heat", reviewer="ada")
    assert again.judgements() == session.judgements()
    assert again.notes() == {"p3": "dull"}
    assert again.history() == session.history()
    assert not again.report.replay().differing
    with pytest.raises(UsageError, match="is there already"):
        session.report.archive(path)
    session.report.archive(path, force=True)


def test_an_archive_of_a_large_history(index, tmp_path):
    """Rows are copied in groups."""
    begun = index.session("long", reviewer="ada")
    for _ in range(21):
        begun.judge_all({f"p{i}": "not" for i in range(60)})
    assert begun.report.archive(tmp_path / "long.zip").judgements == 21 * 60
    back = Index.restore(tmp_path / "long.zip", tmp_path / "back.idx").session("long")
    assert back.history() == begun.history()


def test_report_and_replay_from_the_shell(index, session, tmp_path):
    place = (index.path, "--name", "heat")
    shown, _ = succeed("report", *place)
    assert "identified" in shown
    assert "Records were screened with likewise" in shown
    counted = json.loads(succeed("report", *place, "--json")[0])
    assert counted["flow"] == session.report.flow()._asdict()
    files = [tmp_path / name for name in ("flow.svg", "trail.jsonl", "heat.zip")]
    given = ("--diagram", files[0], "--trail", files[1], "--archive", files[2])
    succeed("report", *place, *given, "--source", "PubMed=70")
    assert "PubMed" in files[0].read_text()
    assert len(files[1].read_text().splitlines()) == len(session.report.trail())
    assert "all with the same records" in succeed("replay", files[2])[0]
    assert json.loads(succeed("replay", files[2], "--json")[0])["differing"] == []


def test_replay_says_where_it_differs(index, session, tmp_path):
    with index.reviews._database(None).writing() as connection:
        first = pages.update().where(pages.c.number == 1)
        connection.execute(first.values(hits='[["p1", 1.0, "", 1]]', version="9"))
    Index.open(index.path).session("heat").report.archive(tmp_path / "odd.zip")
    status, stdout, _ = run("replay", tmp_path / "odd.zip")
    assert status == 1
    assert "page 1" in stdout
    assert "likewise 9" in stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--name", "none"), "no session 'none'.*"),
        (("--name", "heat", "--json", "--trail", "t.csv"), "--json goes without.*"),
        (("--name", "heat", "--force"), "--force goes with --archive"),
        (("--name", "heat", "--source", "PubMed"), ".*write PubMed=812"),
    ],
)
def test_wrong_use_is_one_sentence(index, session, given, said):
    refuse(2, said, "report", index.path, *given)


def test_replay_of_something_else(index, session, tmp_path):
    (tmp_path / "no.zip").write_bytes(b"PK no")
    refuse(1, ".*no backup.*", "replay", tmp_path / "no.zip")
    index.session("second")
    index.backup(tmp_path / "two.zip")
    refuse(2, ".*holds 2 sessions.*", "replay", tmp_path / "two.zip")


def test_a_damaged_archive_is_refused(session, tmp_path):
    path = tmp_path / "heat.zip"
    session.report.archive(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError):
        Index.restore(path, tmp_path / "back.idx")


def test_an_archive_from_postgres_is_a_file(index, postgres, tmp_path):
    place = postgres.database()
    begun = index.session("heat", examples=["p0"], reviewer="ada", page_size=5, database=place)
    screen(begun, 2)
    begun.report.archive(tmp_path / "heat.zip")
    back = Index.restore(tmp_path / "heat.zip", tmp_path / "back.idx").session("heat")
    assert back.history() == begun.history()
    assert not back.report.replay().differing


def test_the_database_of_an_archive_has_no_more(index, session, tmp_path):
    index.session("other", reviewer="eve").judge("p1", "not")
    session.report.archive(tmp_path / "heat.zip")
    with zipfile.ZipFile(tmp_path / "heat.zip") as zipped:
        zipped.extract("sessions.sqlite", tmp_path)
    kept = Database(tmp_path / "sessions.sqlite")
    with kept.reading() as connection:
        assert [row.name for row in connection.execute(sessions.select())] == ["heat"]
        assert {row.reviewer for row in connection.execute(events.select())} == {"ada"}
    kept.close()


@pytest.mark.parametrize("force", [False, True])
def test_only_a_regular_file_is_replaced(session, tmp_path, force):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (tmp_path, pipe):
        with pytest.raises(UsageError, match="is no regular file"):
            session.report.archive(place, force=force)
    assert pipe.is_fifo()
