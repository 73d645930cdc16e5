"""The study of bipartite ranking, on data that is made up."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from likewise.evaluation.report import cells
from likewise.evaluation.report.plot import svg
from likewise.evaluation.runs import Result, measure
from likewise.evaluation.studies import MissingError
from likewise_studies.ranking import paper as ranking_paper
from likewise_studies.ranking import study as ranking
from likewise_studies.ranking.data import load
from likewise_studies.ranking.found import Pools, right_tail
from likewise_studies.ranking.jobs import (
    CHECKPOINTS,
    GAMMA_POOLS,
    GAMMAS,
    LARGER,
    POOLED,
    WHOLE,
    Larger,
)

OTHERS = ranking.OTHERS
MODULE = "likewise_studies.ranking.study"


@pytest.fixture
def data(tmp_path):
    """As shuttle, with a test file, and as letter, without."""
    rng = np.random.default_rng(0)
    for name, features, parts in (("shuttle", 9, ("train", "test")), ("letter", 16, ("train",))):
        folder = tmp_path / "ranking" / name
        folder.mkdir(parents=True)
        for part in parts:
            y = np.where(rng.random(300) < 0.4, 1, -1)
            X = rng.normal(size=(300, features)) + 0.5 * (y == 1)[:, None]
            dump_svmlight_file(X, y, str(folder / f"{part}.svm"), zero_based=False)
    load.cache_clear()
    return tmp_path


def test_every_set_and_method_is_measured_on_the_same_folds():
    made = ranking.jobs(3)
    assert len({str(sorted(job.items())) for job in made}) == len(made)
    ways = [job for job in made if job["part"] == "ways"]
    assert len(ways) == 8 * (3 + 3 * len(POOLED))
    mixed = {(job["set"], job["method"], job["gamma"], job["threshold"])
             for job in made if job["part"] == "gamma"}  # fmt: skip
    assert len(mixed) == 8 * 2 * 2 * len(GAMMAS)


def test_what_takes_long_is_tried_with_fewer_pools():
    made = ranking.jobs(10)
    pools = {job["set"]: job["seed"] + 1 for job in made if job["part"] == "budget"}
    assert pools == {name: larger.pools for name, larger in LARGER.items()}
    seeds = {job["seed"] for job in made if job["part"] == "gamma" and job["set"] == "mnist"}
    assert seeds == set(range(GAMMA_POOLS["mnist"]))
    assert {job["seed"] for job in ranking.jobs(1)} == {0}


def test_checkpoints_end_with_the_budget():
    assert CHECKPOINTS[-1] == 8000
    for larger in LARGER.values():
        assert larger.checkpoints[-1] == larger.budget
        assert not any(pairs % larger.batch for pairs in larger.checkpoints)


def by_title(sections):
    return {section.title.partition(":")[0]: section for section in sections}


def made_up(job):
    """Soft sampling beats hard but for hard-close on shuttle; points help on mnist at γ = 0.6."""
    rng = np.random.default_rng(zlib.crc32(str(sorted(job.items())).encode()))
    level = {"soft-correct": 0.97, "soft-close": 0.96, "hard-close": 0.95, "hard-correct": 0.6}
    auc = level.get(job["method"], 0.94)
    if job["set"] == "shuttle" and job["method"] == "hard-close":
        auc = 0.98
    if job["part"] == "gamma":
        auc -= 0.05
        if job["set"] == "mnist" and job["gamma"] == 0.6 and job["threshold"]:
            auc += 0.07
    auc += 1e-4 * rng.random()
    numbers = {"AUC": auc, "folds": [auc], "seconds": 0.5, "rejected": 10.0}
    if job["method"] not in WHOLE and job["part"] not in ("gamma", "others"):
        at = LARGER[job["set"]].checkpoints if job["part"] == "budget" else CHECKPOINTS
        numbers["pairs"] = list(at)
        numbers["curve"] = [auc - 1 / pairs for pairs in at]
        numbers["rejections"] = [pairs / 1000 for pairs in at]
    return Result(job, numbers)


@pytest.fixture(scope="module")
def report():
    return by_title(ranking.sections([made_up(job) for job in ranking.jobs(3)]))


def test_tables_and_figures_are_in_the_papers_order(report):
    assert list(report) == [
        "Table 2", "Table 3", "Table 4", "Ours minus the paper's", "Table 5", "Table 6", "Table 7",
        "Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6",
        "Defaults, and beyond the paper",
    ]  # fmt: skip
    for section in report.values():
        assert all(cells.texts(section.rows, row) for row in section.rows)
        assert all(svg(plot) for plot in section.plots)


def test_what_the_data_lacks_has_a_row_that_says_so(report):
    for table in ("Table 3", "Table 4", "Table 6", "Table 7"):
        lacking = {row["set"] for row in report[table].rows if row.get("remark")}
        assert lacking == {"protein", "news20", "bank", "acoustic", "real-sim", "url"}
    assert "real-sim, which is not in the data" in report["Figure 3"].notes[0]


def test_soft_and_hard_sampling_are_compared_by_t_tests(report):
    *sets, ours, paper = report["Table 2"].rows
    assert len(sets) == 8
    assert {row["set"]: row["close: soft is"] for row in sets}["shuttle"] == "a loss"
    assert (ours["close: soft is"], ours["correct: soft is"]) == ("7/1/0", "8/0/0")
    assert (paper["close: soft is"], paper["correct: soft is"]) == ("9/3/1", "12/0/1")


def test_the_best_gamma_is_shown_with_what_is_as_good(report):
    rows = {(row["set"], row["method"]): row for row in report["Table 7"].rows}
    assert rows["mnist", "soft-correct"]["γ, ours"] == "0.6-thres"
    assert rows["mnist", "soft-correct"]["γ, paper"] == "0.6"
    assert rows["mnist", "soft-correct"]["beside ERankSVM"] == "win"
    assert rows["letter", "soft-correct"]["best"] == "1"
    assert "γ is chosen by the very AUC that is shown" in report["Table 7"].notes[0]


def test_gammas_are_compared_over_the_same_pools():
    jobs = [job for job in ranking.jobs(10) if job["set"] == "a9a"]
    found = by_title(ranking.sections([made_up(job) for job in jobs]))
    assert {row["pools"] for row in found["Table 7"].rows if "pools" in row} == {5}
    assert {row["pools"] for row in found["Figure 2"].rows} == {LARGER["a9a"].pools}


def test_figures_have_a_plot_for_each_set(report):
    for figure in ("Figure 1", "Figure 4", "Figure 5", "Figure 6"):
        assert len(report[figure].plots) == 8
    assert len(report["Figure 2"].plots) == 4  # AUC and rejections
    curve = report["Figure 5"].plots[0]
    labels = ["random", "soft-close", "soft-correct", "WSVM", "ERankSVM", "CRR"]
    assert [series.label for series in curve.series] == labels
    assert tuple(curve.x) == CHECKPOINTS
    assert curve.series[2].values[-1] == pytest.approx(0.97, abs=2e-3)


def test_a_curve_ends_where_one_of_its_pools_did():
    pools = Pools()
    for seed, pairs in enumerate(([100, 200, 400], [100, 200])):
        numbers = {"AUC": 0.9, "pairs": pairs, "curve": [0.8 + seed / 10] * len(pairs)}
        pools.add(Result({"seed": seed}, numbers))
    assert pools.curve("curve", (100, 200, 400)) == pytest.approx([0.85, 0.85, None])


def test_pools_that_are_missing_are_said():
    pools = Pools()
    pools.add(Result({"seed": 0}, missing="no data"))
    assert pools.missing == "no data"
    pools.add(Result({"seed": 1}, {"AUC": 0.9, "folds": [0.9]}))
    assert pools.missing == pools.of([1]).missing == "1 of 2 pools are missing: no data"
    assert pools.of([0]).mean is None


def test_measured_is_what_is_asked_for(data, monkeypatch):
    """A real run of each part, on a small budget."""
    monkeypatch.setitem(LARGER, "shuttle", Larger(400, 100, 1))
    monkeypatch.setattr(ranking, "CHECKPOINTS", (100, 200, 300))
    common = {"data": "ranking/shuttle", "set": "shuttle", "method": "soft-correct", "seed": 0}
    jobs = [
        {**common, "part": "ways", "budget": 300},
        {**common, "part": "budget", "budget": 400, "batch": 100},
        {**common, "part": "gamma", "gamma": 0.5, "threshold": True, "budget": 300},
        {**common, "part": "ways", "method": "wsvm"},
    ]
    ways, larger, mixed, whole = (measure(MODULE, job, data).numbers for job in jobs)
    assert ways["pairs"] == [100, 200, 300]
    assert ways["curve"][-1] == pytest.approx(ways["AUC"])
    assert sum(ways["rejections"]) * 100 == pytest.approx(ways["rejected"])
    assert larger["pairs"] == [100, 200, 300, 400]
    assert larger["curve"][:2] == ways["curve"][:2]  # the same pool, drawn further
    assert "curve" not in mixed
    assert "curve" not in whole
    assert mixed["AUC"] != ways["AUC"]


@pytest.mark.parametrize("method", OTHERS)
def test_what_the_paper_does_not_have_is_measured(data, method):
    job = {"data": "ranking/shuttle", "part": "others", "set": "shuttle", "seed": 0, "folds": 1}
    numbers = measure(MODULE, job | {"method": method}, data).numbers
    assert len(numbers["folds"]) == 1
    assert 0.8 < numbers["AUC"] < 1


def test_the_exponential_loss_of_all_pairs_is_least():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) < 20, 1, -1)
    X = rng.normal(size=(60, 4)) + 0.5 * (y == 1)[:, None]

    def objective(w):
        s = X @ w
        return 0.5 * w @ w + 800 * np.exp(s[20:][None, :] - s[:20][:, None]).mean()

    w = OTHERS["exponential"](0).fit(X, y).w_
    assert all(objective(w) <= objective(w + 0.05 * rng.normal(size=4)) for _ in range(50))


def test_defaults_stand_beside_the_papers_methods(report):
    rows = report["Defaults, and beyond the paper"].rows
    mine = [row["method"] for row in rows if row["set"] == "letter"]
    assert mine[:3] == ["WSVM", "ERankSVM", "soft-correct"]
    assert "CombinedRankingRegression()" in mine
    assert {row["runs"] for row in rows if row["method"] == "ActiveRankSVM()"} == {3}


def test_folds_are_measured_and_averaged(data):
    job = {"data": "ranking/letter", "part": "ways", "set": "letter", "method": "crr", "seed": 0}
    numbers = measure(MODULE, job, data).numbers
    assert len(numbers["folds"]) == 5
    assert numbers["AUC"] == pytest.approx(np.mean(numbers["folds"]))


def test_a_set_that_is_not_there_has_rows_that_say_so(tmp_path):
    jobs = [job for job in ranking.jobs(1) if job["set"] == "a9a"]
    results = [measure(MODULE, job, tmp_path) for job in jobs]
    for section in ranking.sections(results):
        assert any("no folder a9a" in str(row.get("remark")) for row in section.rows)


def test_data_that_is_not_there_is_said(tmp_path):
    job = {"set": "a9a", "part": "ways", "method": "wsvm", "seed": 0}
    with pytest.raises(MissingError, match="name the folder of data with --data"):
        ranking.run(job, tmp_path)
    load.cache_clear()


def test_the_papers_figures_fit_each_other():
    for table in (ranking_paper.TABLE_3, ranking_paper.TABLE_4, ranking_paper.TABLE_6):
        assert tuple(table) == ranking_paper.SETS
    assert ranking_paper.TABLE_4["a9a"]["wsvm"] == 0.9008
    assert ranking_paper.TABLE_4["covtype"]["soft-correct"] == 0.8249
    assert ranking_paper.TABLE_6["covtype"]["hard-correct"] == 5739.97
    assert set(ranking_paper.TABLE_7) == set(ranking_paper.SETS)


def test_a_t_test_is_the_papers():
    """Table 5, letter: .9874 ± .0123 over 10 pools against WSVM's .9808."""
    ours = np.array([-1.0, 1.0] * 5)
    ours = 0.9874 + 0.0123 * ours / ours.std(ddof=1)
    assert right_tail(ours, [0.9808]) == pytest.approx(0.0609, abs=0.003)
    assert right_tail(ours, ours) == pytest.approx(0.5)
    assert right_tail([0.9, 0.9], [0.8]) == 0.0
    assert right_tail([0.9, 0.9], [0.9, 0.9]) == 0.5
