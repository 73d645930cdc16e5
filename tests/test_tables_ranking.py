"""The study of bipartite ranking, on data that is made up."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from likewise.tables import ranking, ranking_paper
from likewise.tables.ranking_data import load
from likewise.tables.ranking_found import right_tail
from likewise.tables.ranking_jobs import CHECKPOINTS, GAMMA_POOLS, GAMMAS, LARGER, POOLED
from likewise.tables.reporting import cells
from likewise.tables.running import measure
from likewise.tables.values import MissingError

MODULE = "likewise.tables.ranking"


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
    assert {job["seed"] for job in made if job["part"] == "gamma"} == set(range(GAMMA_POOLS))
    assert {job["seed"] for job in ranking.jobs(1)} == {0}


def test_checkpoints_end_with_the_budget():
    assert CHECKPOINTS[-1] == 8000
    for larger in LARGER.values():
        assert larger.checkpoints[-1] == larger.budget
        assert not any(pairs % larger.batch for pairs in larger.checkpoints)


def some(wanted, seeds=2):
    """Jobs of the two sets that are there."""
    return [job for job in ranking.jobs(seeds) if job["set"] in ("shuttle", "letter")
            and wanted(job)]  # fmt: skip


def by_title(sections):
    return {section.title.partition(":")[0]: section for section in sections}


def test_results_become_tables(data):
    wanted = ("wsvm", "ranksvm", "crr", "random", "soft-correct", "soft-correct plain")
    jobs = some(lambda job: job["part"] == "ways" and job["method"] in wanted)
    results = [measure(MODULE, job, data) for job in jobs]
    folds = {r.job["set"]: len(r.numbers["folds"]) for r in results}
    assert folds == {"shuttle": 1, "letter": 5}
    assert all(0.5 < r.numbers["AUC"] <= 1 for r in results)
    found = by_title(ranking.sections(results))
    assert list(found) == ["Table 4", "Ours minus the paper's", "Table 2", "Table 3", "Table 5",
                           "Table 6", "Figure 1", "Figure 5", "Figure 6"]  # fmt: skip
    assert [row["method"] for row in found["Table 4"].rows] == [
        "WSVM", "ERankSVM", "CRR", "random", "soft-correct"
    ] * 2  # fmt: skip
    assert "of 2 sets" in found["Ours minus the paper's"].notes[0]
    assert [row["set"] for row in found["Table 5"].rows] == ["shuttle", "letter", "win/loss/tie"]
    assert len(found["Table 6"].rows) == 10
    assert len(found["Table 3"].rows) == 2
    for section in found.values():
        assert all(cells.texts(section.rows, row) for row in section.rows)


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
