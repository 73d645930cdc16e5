"""Projects: what they are called, archives of them, and which files their records came from."""

from __future__ import annotations

import json

import pytest

from helpers.command_line import refuse, run, succeed
from helpers.server_client import problem, serving
from helpers.uploading import make, ris, send
from likewise import Document, Index, UsageError
from likewise.reviews.report.diagram import svg
from likewise.store.manifest import Manifest, decode_manifest, encode_manifest
from likewise.store.sources import MOST, OTHERS


def record(id: str, title: str, doi: str = "", pmid: str = "") -> str:
    more = (f"DO  - {doi}\n" if doi else "") + (f"AN  - {pmid}\nDB  - PubMed\n" if pmid else "")
    return f"TY  - JOUR\nID  - {id}\nTI  - {title}\nAB  - About {title}.\n{more}ER  - \n\n"


@pytest.fixture
def folder(tmp_path):
    """Two exports of databases that share records."""
    (tmp_path / "pubmed.ris").write_text(
        "".join(record(f"p{i}", f"study {i} of sleep", f"10.1000/x{i}") for i in range(5))
    )
    again = "".join(record(f"e{i}", f"study {i} of sleep", f"10.1000/x{i}") for i in range(3))
    other = "".join(record(f"e{i}", f"trial {i} of noise", f"10.1000/y{i}") for i in range(3, 7))
    (tmp_path / "embase.ris").write_text(again + other + record("p0", "study 0 of sleep"))
    return tmp_path


class TestNames:
    def test_a_project_is_renamed_and_archived(self, tmp_path):
        index = Index.create(tmp_path / "soft-robots.idx")
        index.add([Document("a", "gripper")])
        assert (index.project.title, index.project.archived) == ("soft-robots", False)
        index.project.rename(" Soft robots in surgery ")
        index.project.archive()
        other = Index.open(tmp_path / "soft-robots.idx")
        assert (other.project.title, other.project.archived) == ("Soft robots in surgery", True)
        index.add([Document("b", "hand")])
        index.project.reopen()
        assert (index.project.title, index.project.archived) == ("Soft robots in surgery", False)
        assert index.ids() == ["a", "b"]

    def test_the_same_name_again_changes_nothing(self, tmp_path):
        index = Index.create(tmp_path / "a.idx")
        index.project.rename("A")
        before = index.generation
        index.project.rename("A")
        index.project.reopen()
        assert index.generation == before

    @pytest.mark.parametrize("title", ["", "  ", "a\nb", "x" * 201])
    def test_what_is_no_name_is_refused(self, tmp_path, title):
        index = Index.create(tmp_path / "a.idx")
        with pytest.raises(UsageError, match="no name for a project"):
            index.project.rename(title)
        assert index.project.title == "a"

    def test_a_backup_keeps_the_name(self, tmp_path):
        index = Index.create(tmp_path / "a.idx")
        index.add([Document("a", "gripper")])
        index.project.rename("Robots")
        index.backup(tmp_path / "a.zip")
        assert Index.restore(tmp_path / "a.zip", tmp_path / "b.idx").project.title == "Robots"

    def test_a_manifest_without_the_keys_is_one(self, tmp_path):
        content = encode_manifest(Manifest())
        assert decode_manifest(tmp_path, content).title == ""


class TestFromTheTerminal:
    @pytest.fixture
    def projects(self, tmp_path):
        for name in ("birds", "robots"):
            Index.create(tmp_path / f"{name}.idx").add([Document("a", name)])
        (tmp_path / "notes").mkdir()
        return tmp_path

    def listed(self, folder, *options):
        return json.loads(succeed("projects", folder, "--json", *options)[0])["projects"]

    def test_list_rename_archive_and_open_again(self, projects):
        assert [one["name"] for one in self.listed(projects)] == ["birds", "robots"]
        _, said = succeed("projects", projects, "--rename", "birds", "--to", "Birds of prey")
        assert said == "project birds renamed to Birds of prey\n"
        succeed("projects", projects, "--archive", "Birds of prey")
        assert [one["name"] for one in self.listed(projects)] == ["robots"]
        shown, said = succeed("projects", projects)
        assert "Birds" not in shown
        assert said == "1 archived: --all lists it, too\n"
        assert "Birds of prey (archived)" in succeed("projects", projects, "--all")[0]
        assert "Birds of prey" in succeed("info", projects / "birds.idx")[0]
        succeed("projects", projects, "--reopen", "birds")
        assert self.listed(projects)[0]["title"] == "Birds of prey"

    def test_a_damaged_one_is_named_and_the_others_listed(self, projects):
        (projects / "birds.idx" / "manifest.json").write_text("{")
        status, stdout, stderr = run("projects", projects)
        assert (status, "robots" in stdout) == (0, True)
        assert "birds.idx is left out: " in stderr

    def test_what_is_not_there_is_named(self, projects):
        wanted = rf"no project 'fish' in {projects}: it has birds, robots"
        refuse(2, wanted, "projects", projects, "--archive", "fish")
        refuse(2, "--rename and --to go together.*", "projects", projects, "--rename", "birds")
        refuse(2, "--json and --all go with.*", "projects", projects, "--archive", "a", "--all")
        wanted = "--archive and --reopen exclude each other.*"
        refuse(2, wanted, "projects", projects, "--archive", "birds", "--reopen", "birds")
        refuse(2, "there is no folder .*", "projects", projects / "none")
        refuse(2, ".* is an index: give the folder.*", "projects", projects / "birds.idx")

    def test_a_folder_without_an_index_says_so(self, tmp_path):
        assert f"there is no index in {tmp_path}" in succeed("projects", tmp_path)[1]


class TestOverHttp:
    def test_rename_archive_and_open_again(self, tmp_path):
        with serving(projects=tmp_path) as client:
            name = make(client, "Soft robots", {"a.ris": ris(3)}).json()["index"]
            address = f"/v1/indexes/{name}"
            changed = client.patch(address, json={"title": "Robots, soft"}).json()
            assert (changed["name"], changed["title"]) == ("Soft-robots", "Robots, soft")
            assert client.patch(address, json={"archived": True}).json()["is_archived"]
            hidden = client.get("/v1/projects").json()
            assert (hidden["projects"], hidden["archived"]) == ([], 1)
            (there,) = client.get("/v1/projects?archived=true").json()["projects"]
            assert (there["title"], there["is_archived"]) == ("Robots, soft", True)
            assert client.get(f"{address}/search?q=sleep").json()["hits"]
            assert not client.patch(address, json={"archived": False}).json()["is_archived"]
            assert len(client.get("/v1/projects").json()["projects"]) == 1
            problem(client.patch(address, json={"title": " "}), 422, "title")
            problem(client.patch(address, json={"folder": "b"}), 422, "folder")

    def test_files_that_were_sent_are_counted_by_their_names(self, tmp_path):
        with serving(projects=tmp_path) as client:
            made = make(client, "sleep", {"pubmed.ris": ris(6), "in/embase.ris": ris(4, 3)})
            assert made.json()["added"]["skipped"] == 3
            upload = send(client, {"more.ris": ris(2)})
            more = client.post("/v1/indexes/sleep/files?wait=60", json={"upload": upload}).json()
            assert (more["documents"], more["skipped"]) == (0, 2)
            sessions = "/v1/indexes/sleep/sessions"
            client.post(sessions, json={"name": "s", "words": "caffeine"})
            flow = client.get(f"{sessions}/s/report").json()["flow"]
        assert flow["sources"] == {"embase.ris": 4, "pubmed.ris": 6, "more.ris": 2}
        assert (flow["identified"], flow["duplicates"], flow["screened"]) == (12, 5, 7)


class TestSources:
    def flow(self, index):
        return index.session("s", query="sleep", reviewer="ada").report.flow()

    def test_duplicates_left_out_are_in_the_counts(self, folder):
        index = Index.create(folder / "a.idx")
        index.add(folder / "pubmed.ris")
        index.add(folder / "embase.ris", on_duplicate="skip")
        one = index.project.sources["embase.ris"]
        assert (one.read, one.skipped, one.duplicates) == (8, {"doi": 3, "id": 1}, 4)
        flow = self.flow(index)
        assert flow.sources == {"pubmed.ris": 5, "embase.ris": 8}
        assert (flow.identified, flow.duplicates, flow.removed, flow.screened) == (13, 4, 0, 9)
        assert "embase.ris (n\u00a0=\u00a08)" in svg(flow)

    def test_what_is_given_by_hand_goes_first(self, folder):
        index = Index.create(folder / "a.idx")
        index.add([folder / "pubmed.ris", folder / "embase.ris"], on_duplicate="skip")
        session = index.session("s", query="sleep", reviewer="ada")
        flow = session.report.flow({"PubMed": 20})
        assert (flow.sources, flow.identified, flow.duplicates) == ({"PubMed": 20}, 20, 11)

    def test_the_same_file_again_counts_once(self, folder):
        index = Index.create(folder / "a.idx")
        index.add(folder / "pubmed.ris")
        before = index.generation
        assert index.add(folder / "pubmed.ris", on_duplicate="skip").skipped == 5
        assert (index.generation, index.project.sources["pubmed.ris"].read) == (before, 5)

    def test_a_file_of_duplicates_alone_counts(self, folder):
        index = Index.create(folder / "a.idx")
        index.add(folder / "pubmed.ris")
        (folder / "scopus.ris").write_text(record("s1", "study 1 of sleep", "10.1000/x1"))
        index.add(folder / "scopus.ris", on_duplicate="skip")
        assert Index.open(index.path).project.sources["scopus.ris"].skipped == {"doi": 1}
        assert self.flow(index).duplicates == 1

    def test_renewed_records_are_no_duplicates_and_deleted_ones_are_said(self, folder):
        index = Index.create(folder / "a.idx")
        index.add(folder / "pubmed.ris")
        (folder / "pubmed.ris").write_text(record("p1", "study 1 of sleep, again", "10.1000/x1"))
        index.add(folder / "pubmed.ris", on_duplicate="replace")
        index.delete("p2")
        flow = self.flow(index)
        assert (flow.identified, flow.duplicates, flow.removed, flow.screened) == (5, 0, 1, 4)
        assert "For other reasons (n\u00a0=\u00a01)" in svg(flow)

    def test_what_cannot_be_read_is_counted(self, folder):
        (folder / "bad.jsonl").write_text('{"id": "a", "text": "sleep"}\n{"id": 1,\n[]\n')
        index = Index.create(folder / "a.idx")
        with pytest.warns(Warning, match="left out"):
            index.add(folder / "bad.jsonl")
        one = index.project.sources["bad.jsonl"]
        assert (one.read, one.unreadable) == (1, 2)
        assert self.flow(index).unreadable == 2
        assert "1 record; 2 places could not be read" in succeed("info", index.path)[0]

    def test_documents_of_a_program_are_no_source(self, folder):
        index = Index.create(folder / "a.idx")
        for i in range(3):
            index.add([Document(f"d{i}", f"sleep {i}")])
        flow = self.flow(index)
        assert (flow.sources, flow.identified, flow.duplicates) == ({}, 3, 0)
        index.add(folder / "pubmed.ris")
        assert self.flow(index).sources == {"pubmed.ris": 5, "other records": 3}

    def test_files_of_one_document_count_by_their_folder(self, folder):
        texts = folder / "notes"
        texts.mkdir()
        for i in range(4):
            (texts / f"{i}.txt").write_text(f"sleep number {i}")
        index = Index.create(folder / "a.idx")
        index.add(texts)
        assert {name: one.read for name, one in index.project.sources.items()} == {"notes": 4}
        (texts / "5.txt").write_text("sleep number 5")
        index.add(texts, on_duplicate="skip")  # four of which are there
        one = index.project.sources["notes"]
        assert (one.read, one.duplicates) == (5, 0)

    def test_many_files_leave_a_small_manifest(self, folder):
        index = Index.create(folder / "a.idx")
        for i in range(MOST + 20):
            (folder / f"f{i}.ris").write_text(record(f"m{i}", f"study {i}"))
            index.add(folder / f"f{i}.ris")
        counts = index.manifest.sources
        assert len(counts) <= MOST
        assert sum(one.read for one in counts) == MOST + 20
        assert index.project.sources[OTHERS].read >= 20

    def test_an_index_from_before_says_what_it_knows(self, folder):
        import msgspec

        from likewise.store.transaction import Transaction

        index = Index.create(folder / "a.idx")
        index.add(folder / "pubmed.ris")
        with Transaction(index.path) as change:  # as an earlier version wrote it
            change.manifest = msgspec.structs.replace(change.manifest, sources=())
            change.commit(change.manifest.segments)
        index.refresh()
        index.add(folder / "embase.ris", on_duplicate="skip")
        flow = self.flow(index)
        assert (flow.sources, flow.identified, flow.duplicates) == ({}, 13, 4)

    def test_merging_and_reindexing_keep_the_counts(self, folder):
        index = Index.create(folder / "a.idx")
        index.add([folder / "pubmed.ris", folder / "embase.ris"], on_duplicate="skip")
        before = index.manifest.sources
        index.merge()
        index.reindex(language="none")
        assert index.manifest.sources == before
