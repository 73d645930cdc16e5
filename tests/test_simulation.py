"""Replays of labelled collections, from Python and from the command line."""

from __future__ import annotations

import csv
import gzip
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from likewise import InputError, UsageError
from likewise.cli.app import app
from likewise.datasets import arxiv_sample, topics
from likewise.evaluation.simulation import Collection, Setting, read, replay


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """500 abstracts, those of one topic labelled as relevant."""
    path = tmp_path_factory.mktemp("simulation") / "records.jsonl"
    members = set(topics()["cs.IR"])
    with gzip.open(arxiv_sample(), "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines][:500]
    rows = [json.dumps({**each, "label": int(each["id"] in members)}) for each in documents]
    path.write_text("\n".join(rows))
    return path


@pytest.fixture(scope="module")
def collection(records):
    with read(records) as labelled:
        yield labelled


def test_a_replay_finds_every_relevant_document_once(collection):
    run = replay(collection, Setting())
    shown = [*run.priors, *run.order]
    assert len(set(shown)) == len(shown)
    assert set(np.flatnonzero(collection.relevant)) <= set(shown)
    assert run.found[-1]
    assert run.missed == 0
    assert run.updates == len(run.order)
    assert collection.relevant[run.priors].tolist() == [True, False]


def test_learning_beats_a_random_order(collection):
    learned = np.mean([replay(collection, Setting(), s).measures()["loss"] for s in range(3)])
    random = [replay(collection, Setting("none"), s).measures()["loss"] for s in range(3)]
    assert learned < 0.5 * np.mean(random)


def test_seeds_repeat(collection):
    one, same, other = (replay(collection, Setting(), seed) for seed in (1, 1, 2))
    assert one.order == same.order
    assert one.priors != other.priors


def test_a_run_that_ends_early_counts_what_it_missed(collection):
    run = replay(collection, Setting(most=10))
    assert len(run.order) == 10
    assert run.missed == collection.relevant.sum() - 1 - sum(run.found)
    assert run.relevance.sum() == collection.relevant.sum() - 1
    assert run.relevance[-run.missed :].all()


@pytest.mark.parametrize(
    "setting",
    [
        Setting(start_from="query", query="search engine retrieval", page_size=10),
        Setting(start_from="non-relevant", priors=(1, 5), page_size=5),
        Setting("one-class", start_from="query", query="retrieval", page_size=10),
        Setting("two-class", selection="active", page_size=10),
        Setting("steady", page_size=25),
        Setting("rocchio", weighting="pivoted", page_size=20),
    ],
    ids=lambda setting: f"{setting.method} from {setting.start_from}",
)
def test_every_way_to_begin_and_go_on(collection, setting):
    run = replay(collection, setting)
    assert run.missed == 0
    assert run.updates <= -(-len(run.order) // setting.page_size)
    if setting.start_from != "examples":
        assert not collection.relevant[run.priors].any()


def test_priors_by_id(collection):
    chosen = collection.ids[3:6]
    run = replay(collection, Setting(prior_ids=tuple(chosen), most=5))
    assert run.priors == [3, 4, 5]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "unknown feedback"),
        ({"start_from": "nowhere"}, "cannot start from 'nowhere'"),
        ({"start_from": "query"}, "need each other: give both"),
        ({"query": "words"}, "need each other: give both"),
        ({"page_size": 0}, "page_size is 0: it must be 1 or more"),
        ({"priors": (0, 0)}, "needs at least one known document"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    with pytest.raises(UsageError, match=message):
        Setting(**settings)


def test_priors_that_are_not_there_are_refused(collection):
    with pytest.raises(UsageError, match="cannot be known at the start"):
        replay(collection, Setting(priors=(500, 1)))
    with pytest.raises(UsageError, match="no document 'nobody'"):
        replay(collection, Setting(prior_ids=("nobody",)))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a", "text": "one"}], "document 'a' has no label"),
        ([{"id": "a", "text": "one", "label": "maybe"}], "has the label 'maybe'"),
        ([{"id": "a", "text": "one", "label": 1}], "relevant documents only"),
    ],
)
def test_labels_must_tell_documents_apart(tmp_path, rows, message):
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises((InputError, UsageError), match=message), read(path):
        pass


def test_labels_may_be_written_in_several_ways(tmp_path):
    path = tmp_path / "records.csv"
    path.write_text("id,abstract,included\na,one,yes\nb,two,0\nc,three,TRUE\n")
    with read(path) as labelled:
        assert labelled.relevant.tolist() == [True, False, True]
        with pytest.raises(UsageError, match="2 labels for 3 documents"):
            Collection("x", labelled.index, np.array([True, False]))


# The command


def run(*arguments):
    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


def test_a_table_of_means(records):
    done = run(records, "--seeds", 2, "--most", 20, "--method", "auto", "--method", "none")
    lines = done.stdout.splitlines()
    assert done.exit_code == 0, done.stderr
    assert lines[0].split()[:3] == ["collection", "method", "loss"]
    assert [line.split()[1] for line in lines[1:]] == ["auto", "none"]


def test_several_collections_have_a_mean(records, tmp_path):
    other = tmp_path / "others.jsonl"
    other.write_bytes(records.read_bytes())
    done = run(records, other, "--most", 5)
    assert [line.split()[0] for line in done.stdout.splitlines()][-1] == "all"


def test_every_run_as_csv_and_json(records):
    rows = list(csv.DictReader(io.StringIO(run(records, "--most", 5, "--format", "csv").stdout)))
    told = json.loads(run(records, "--most", 5, "--format", "json").stdout)["runs"]
    assert len(rows) == len(told) == 1
    assert float(rows[0]["loss"]) == told[0]["loss"]
    assert len(told[0]["order"]) == len(told[0]["relevant"]) == 5


@pytest.mark.parametrize("name", ["recall.png", "recall.svg"])
def test_a_plot(records, tmp_path, name):
    pytest.importorskip("matplotlib")
    done = run(records, "--most", 5, "--plot", tmp_path / name)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / name).read_bytes()[:4] in (b"\x89PNG", b"<?xm")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--priors", "one"], "--priors one: give two numbers, such as 1,1"),
        (["--plot", "recall.txt"], "give a name that ends in .png"),
        (["--plot", "nowhere/recall.png"], "there is no folder nowhere"),
        (["--method", "magic"], "'magic' is not one of auto, none"),
        (["--start-from", "query"], "need each other: give both"),
    ],
)
def test_wrong_usage(records, options, message):
    done = run(records, *options)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_session_ranks_as_the_simulation_does(collection):
    """What was measured is what a reviewer gets: the same documents, page by page."""
    run = replay(collection, Setting(most=12, page_size=3), seed=3)
    session = collection.index.session("same", page_size=3)
    session.judge_all({collection.ids[n]: _said(collection, n) for n in run.priors})
    for begin in range(0, 12, 3):
        wanted = run.order[begin : begin + 3]
        assert session.next().ids == [collection.ids[n] for n in wanted]
        session.judge_all({collection.ids[n]: _said(collection, n) for n in wanted})


def _said(collection, number):
    return "relevant" if collection.relevant[number] else "not"


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (
            [{"id": str(i), "essay": f"w{i % 3}", "label": i % 2} for i in range(9)],
            ("--text-column", "essay"),
        ),
        (
            [{"id": str(i // 2), "text": f"w{i % 3}", "label": i // 2 % 2} for i in range(18)],
            ("--on-duplicate", "skip"),
        ),
    ],
)
def test_the_way_out_that_an_error_names_is_there(tmp_path, rows, options):
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = run(file)
    assert refused.exit_code == 1
    assert options[0] in refused.stderr
    done = run(file, *options)
    assert done.exit_code == 0, done.stderr
