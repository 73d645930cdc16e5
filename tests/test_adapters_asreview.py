"""The extension of ASReview: it ranks as reviews of likewise do, and ASReview simulates with it.

ASReview asks for older versions of packages than others here do, so it may be in an environment of
its own: LIKEWISE_ASREVIEW names the Python of one that has ASReview and what likewise needs.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likewise import Index, UsageError
from likewise.adapters.asreview import Likewise, Records
from likewise.datasets import arxiv_sample
from likewise.feedback import Ranker, Start

ROOT = Path(__file__).resolve().parents[1]
SIMULATE = """
import json, sys
from asreview.webapp._api.utils import get_all_model_components
from asreview.project.api import Project

project = Project.load(sys.argv[1], sys.argv[2], safe_import=True)
with project.db as db:
    results = db.get_results_table()
print(json.dumps({
    "order": results["record_id"].tolist(),
    "labels": results["label"].tolist(),
    "classifiers": results["classifier"].dropna().unique().tolist(),
    "extractors": results["feature_extractor"].dropna().unique().tolist(),
    "offered": get_all_model_components(),
}))
"""


@pytest.fixture(scope="module")
def records():
    """300 abstracts, of which those about robots are to be found."""
    with gzip.open(arxiv_sample(), "rt") as lines:
        papers = [json.loads(line) for line in lines]
    robots = [paper for paper in papers if paper["primary"] == "cs.RO"][:15]
    others = [paper for paper in papers if paper["primary"] != "cs.RO"][: 300 - len(robots)]
    frame = pd.DataFrame([*robots, *others]).sort_values("id", ignore_index=True)
    frame["included"] = (frame["primary"] == "cs.RO").astype(int)
    return frame.rename(columns={"text": "abstract"})[["title", "abstract", "included"]]


def test_it_ranks_as_reviews_do(records, tmp_path):
    labelled = [
        *records.index[records.included == 1][:3],
        *records.index[records.included == 0][:9],
    ]
    X = Records().fit_transform(records)
    model = Likewise(tol=1e-6).fit(X[labelled], records.included[labelled])
    scores = model.decision_function(X)
    index = Index.create(tmp_path / "records.idx", threads=1, latent=0, titles=True)
    index.add({"id": str(n), "title": r.title, "text": r.abstract} for n, r in records.iterrows())
    ranker = Ranker(index.searcher, Start(), method="two-class")
    ranker.judge({str(n): bool(records.included[n]) for n in labelled})
    page = ranker.page(20)
    left = [n for n in np.argsort(-scores, kind="stable") if n not in labelled]
    mine = [str(n) for n in left[:20]]
    assert len(set(mine) & set(page.hits.ids)) >= 19
    assert mine[:5] == page.hits.ids[:5]


def test_records_without_words(records):
    some = pd.concat([records[:20], pd.DataFrame([{"title": None, "abstract": float("nan")}])])
    X = Records().fit_transform(some)
    assert X.shape[0] == 21
    assert X[[20]].nnz == 0
    assert X.power(2).sum(axis=1)[:20].mean() == pytest.approx(1, abs=0.1)


def test_bad_use(records):
    """As scikit-learn's own, and so ASReview's: ValueError."""
    X = Records().fit_transform(records[:30])
    y = np.array([1, 0] * 15)
    with pytest.raises(UsageError, match="leave the balancer out"):
        Likewise().fit(X, y, sample_weight=np.ones(30))
    with pytest.raises(ValueError, match="labels of one kind only"):
        Likewise().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="no column 'kicker'"):
        Records(columns=("kicker", "abstract")).fit_transform(records)
    with pytest.raises(ValueError, match="klingon"):
        Records(language="klingon").fit_transform(records)


@pytest.fixture(scope="module")
def asreview():
    """Runs Python where ASReview is."""
    python = os.environ.get("LIKEWISE_ASREVIEW")
    if python is None and find_spec("asreview") is None:
        pytest.skip("needs ASReview here, or LIKEWISE_ASREVIEW=PYTHON where it is")
    return python or sys.executable


@pytest.fixture
def ask(asreview, tmp_path):
    """Our entry points as an installation would have them, whatever is installed."""
    made = tmp_path / "found" / "likewise-0.dist-info"
    made.mkdir(parents=True)
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: likewise\nVersion: 0\n")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in entries.items())
        for group, entries in declared.items()
    ]
    (made / "entry_points.txt").write_text("\n".join(lines))
    places = [made.parent, ROOT / "src", *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    environment |= {"ASREVIEW_PATH": str(tmp_path / "home"), "MPLBACKEND": "agg"}

    def run(*arguments):
        command = [asreview, *map(str, arguments)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


def test_asreview_simulates_with_it(ask, records, tmp_path):
    file, project = tmp_path / "records.csv", tmp_path / "made.asreview"
    records.to_csv(file, index=False)
    first = [int(records.index[records.included == label][0]) for label in (1, 0)]
    chosen = ("-e", "likewise", "-c", "likewise", "-q", "max")
    ask("-m", "asreview", "simulate", file, *chosen, "--prior-idx", *first, "-o", project)
    seen = json.loads(ask("-c", SIMULATE, project, tmp_path / "unpacked"))
    assert seen["classifiers"] == ["likewise"]
    assert seen["extractors"] == ["likewise"]
    assert sum(seen["labels"]) == 15
    assert len(seen["order"]) < 60  # in random order the last of 15 comes at about 280
    listed = ask("-m", "asreview", "algorithms")
    assert listed.count("likewise") >= 2
    for kind, label in (("classifiers", Likewise.label), ("feature_extractors", Records.label)):
        assert {"name": "likewise", "label": label} in seen["offered"][kind]  # as LAB lists them
