"""The study of bipartite ranking, on data that is made up."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from likewise.tables import ranking, ranking_paper
from likewise.tables.ranking_sections import right_tail
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
    ranking.load.cache_clear()
    return tmp_path


def test_every_set_and_method_is_measured_on_the_same_folds():
    made = ranking.jobs(3)
    assert len(made) == 8 * (3 + 3 * len(ranking.POOLED))
    assert len({str(sorted(job.items())) for job in made}) == len(made)


def test_results_become_tables(data):
    wanted = ("wsvm", "ranksvm", "crr", "random", "soft-correct", "soft-correct plain")
    jobs = [
        job for job in ranking.jobs(2) if job["set"] in ("shuttle", "letter")
        and job["method"] in wanted
    ]  # fmt: skip
    results = [measure(MODULE, job, data) for job in jobs]
    folds = {r.job["set"]: len(r.numbers["folds"]) for r in results}
    assert folds == {"shuttle": 1, "letter": 5}
    assert all(0.5 < r.numbers["AUC"] <= 1 for r in results)
    auc, near, tests, seconds, correction = ranking.sections(results)
    assert [row["method"] for row in auc.rows] == [
        "WSVM", "ERankSVM", "CRR", "random", "soft-correct"
    ] * 2  # fmt: skip
    assert "of 2 sets" in near.notes[0]
    assert [row["set"] for row in tests.rows] == ["shuttle", "letter", "win/loss/tie"]
    assert len(seconds.rows) == 10
    assert len(correction.rows) == 2
    for section in (auc, near, tests, seconds, correction):
        assert all(cells.texts(section.rows, row) for row in section.rows)


def test_data_that_is_not_there_is_said(tmp_path):
    with pytest.raises(MissingError, match="name the folder of data with --data"):
        ranking.run({"set": "a9a", "method": "wsvm", "seed": 0}, tmp_path)
    ranking.load.cache_clear()


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
