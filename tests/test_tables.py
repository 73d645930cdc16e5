"""The frame of all tables: jobs that are run once, means of what is alike, reports."""

from __future__ import annotations

import json
import math
import re
import subprocess
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from xml.etree import ElementTree

import pytest
from scipy.stats import ttest_rel
from typer.testing import CliRunner

from likewise.cli.app import app
from likewise.errors import InputError, UsageError
from likewise.evaluation import cache, provenance, studies
from likewise.evaluation.report.averages import groups, superiority
from likewise.evaluation.report.cells import header, text
from likewise.evaluation.report.json import as_object
from likewise.evaluation.report.markdown import markdown
from likewise.evaluation.report.page import page
from likewise.evaluation.report.plot import COLOURS, svg
from likewise.evaluation.report.report import make
from likewise.evaluation.report.values import Number, Plot, Section, Series
from likewise.evaluation.runs import Result, RunFile, Setting, key, run, select


@pytest.fixture
def setting(tmp_path, monkeypatch):
    monkeypatch.setitem(studies.BUILT_IN, "toy", "helpers.toy_study")
    provenance.files.cache_clear()
    (tmp_path / "data" / "toy").mkdir(parents=True)
    (tmp_path / "data" / "toy" / "factor.txt").write_text("1")
    return Setting(tmp_path / "data", tmp_path / "runs")


def ran(setting):
    path = setting.data / "ran.txt"
    return path.read_text().splitlines() if path.exists() else []


def means(setting):
    (part,) = make(["toy"], setting).parts
    return {row["method"]: row["MAP"].ours for row in part.sections[0].rows}


def paths(drawn):
    return list(ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}path"))


def texts(drawn):
    found = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    return {element.text for element in found}


class TestRunning:
    def test_each_job_once(self, setting):
        assert len(run("toy", setting).results) == 12
        assert len(ran(setting)) == 12
        again = run("toy", setting).results
        assert [r.job for r in again] == studies.study("toy").jobs(1)
        # Only what may have come meanwhile is tried again.
        assert ran(setting)[12:] == ["absent a 0", "absent b 0", "absent c 0"]

    def test_more_seeds_run_what_is_new(self, setting):
        only = {"method": ["good"]}
        run("toy", Setting(setting.data, setting.runs, only=only))
        run("toy", Setting(setting.data, setting.runs, seeds=2, only=only))
        assert ran(setting)[3:] == ["good a 1", "good b 1", "good c 1"]

    def test_a_killed_run_continues(self, setting):
        run("toy", setting)
        path = setting.runs / "toy.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:4]) + lines[4][:20])
        (setting.data / "ran.txt").unlink()
        run("toy", setting)
        assert ran(setting)[0] == "bad b 0"
        assert len(RunFile(path).read()) == 9

    def test_other_data_is_another_run(self, setting):
        assert means(setting)["good"] == 0.5
        (setting.data / "toy" / "factor.txt").write_text("2")
        provenance.files.cache_clear()
        assert means(setting)["good"] == 1.0
        assert make(["toy"], setting).parts[0].stale == 9

    def test_another_version_is_another_run(self, setting, monkeypatch):
        run("toy", setting)
        monkeypatch.setattr(studies.study("toy"), "VERSION", 2)
        found = run("toy", setting)
        assert found.stale == 9
        assert {r.version for r in found.results if r.missing is None} == {"2"}

    def test_a_method_may_have_a_version_of_its_own(self, setting, monkeypatch):
        run("toy", setting)
        monkeypatch.setattr(studies.study("toy"), "VERSION", {"good": 2, "*": 1})
        (setting.data / "ran.txt").unlink()
        assert run("toy", setting).stale == 3
        assert {line.split()[0] for line in ran(setting)} == {"good", "absent"}

    def test_a_renamed_module_leaves_runs_as_they_are(self, setting, monkeypatch, tmp_path):
        run("toy", setting)
        (setting.data / "ran.txt").unlink()
        renamed = Path(studies.study("toy").__file__).read_text().replace("factor =", "times =")
        renamed = renamed.replace("* factor", "* times")
        (tmp_path / "renamed_toy.py").write_text(renamed)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(studies.BUILT_IN, "toy", "renamed_toy")
        monkeypatch.setattr(cache, "code", lambda: "other")
        found = run("toy", setting)
        assert found.stale == 0
        assert {line.split()[0] for line in ran(setting)} == {"absent"}
        assert len([r for r in found.results if r.missing is None]) == 8

    def test_processes_give_the_same(self, setting):
        alone = run("toy", setting).results
        several = run("toy", Setting(setting.data, setting.data / "runs", jobs=2)).results
        assert [(r.job, r.numbers) for r in several] == [(r.job, r.numbers) for r in alone]

    def test_results_tell_where_they_come_from(self, setting):
        result = run("toy", setting).results[0]
        assert result.commit == provenance.commit()
        assert result.data == provenance.checksum(setting.data / "toy")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\+00:00", result.date)

    def test_missing_data_is_said(self, setting):
        (setting.data / "toy" / "factor.txt").unlink()
        (setting.data / "toy").rmdir()
        text = markdown(make(["toy"], setting))
        assert text.count("there is no folder toy in") == 4
        assert "data, toy: not here" in text
        assert not ran(setting)

    def test_only_lists_numbers_in_their_order(self):
        jobs = [{"size": size} for size in (20, 1, 5, "all")]
        with pytest.raises(UsageError, match="no size '7': choose from 1, 5, 20, all"):
            select(jobs, {"size": ["7"]})

    def test_only_refuses_what_is_not_there(self, setting):
        for only, sentence in (({"methode": ["x"]}, "field"), ({"method": ["x"]}, "no method 'x'")):
            with pytest.raises(UsageError, match=sentence):
                run("toy", Setting(setting.data, setting.runs, only=only))

    def test_a_damaged_line_is_named(self, setting):
        run("toy", setting)
        path = setting.runs / "toy.jsonl"
        path.write_text("{}\n" + path.read_text())
        with pytest.raises(InputError, match=r"toy.jsonl, line 1: not a result"):
            run("toy", setting)

    def test_keys_do_not_depend_on_order(self):
        assert key({"a": 1, "b": "x"}) == key({"b": "x", "a": 1}) != key({"a": 2, "b": "x"})


class TestStudies:
    def test_found_by_entry_point(self, setting, monkeypatch):
        toy = EntryPoint("beside", "helpers.toy_study", studies.GROUP)
        monkeypatch.setattr(studies, "entry_points", lambda group: EntryPoints([toy]))
        assert studies.modules()["beside"] == "helpers.toy_study"
        assert len(run("beside", setting).results) == 12

    def test_not_installed(self, setting, monkeypatch):
        monkeypatch.setattr(studies, "entry_points", lambda group: [])
        sentence = "in likewise-studies, which is not installed: pip install ./studies"
        with pytest.raises(UsageError, match=f"no table 'qbme': choose sample, toy; .*{sentence}"):
            studies.study("qbme")
        done = CliRunner().invoke(app, ["tables", "--list"])
        assert done.exit_code == 0
        assert sentence in done.stderr
        assert "sample: " in done.stdout


class TestProvenance:
    @pytest.fixture(autouse=True)
    def _forget(self):
        provenance.commit.cache_clear()
        yield
        provenance.commit.cache_clear()

    def test_a_commit(self, tmp_path, monkeypatch):
        git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
        monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
        (tmp_path / "__init__.py").touch()
        subprocess.run([*git, "init", "-q"], check=True)
        assert provenance.commit().startswith("version ")  # not tracked, so not its repository
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "x"], check=True)
        provenance.commit.cache_clear()
        clean = provenance.commit()
        assert re.fullmatch(r"[0-9a-f]{12}", clean)
        (tmp_path / "__init__.py").write_text("changed")
        provenance.commit.cache_clear()
        assert provenance.commit() == clean + "+"

    def test_what_builds_an_index_is_in_the_checksum(self, tmp_path, monkeypatch):
        (tmp_path / "cli").mkdir()
        (tmp_path / "reader.py").write_text("1")
        (tmp_path / "cli" / "face.py").write_text("1")
        monkeypatch.setattr(cache, "PACKAGE", tmp_path)
        sums = []
        for changed in ("cli/face.py", "cli/face.py", "reader.py"):
            (tmp_path / changed).write_text(str(len(sums)))
            cache.code.cache_clear()
            sums.append(cache.code())
        cache.code.cache_clear()
        assert sums[0] == sums[1] != sums[2]


class TestAverages:
    def test_no_mean_over_other_topics(self, setting):
        assert means(setting) == {"good": 0.5, "bad": 0.25, "cannot": None, "absent": None}
        text = markdown(make(["toy"], setting))
        assert "1 of 3 topics are missing: it never could" in text
        assert "| not installed: pip install absent |" in text

    def test_a_topic_that_another_row_has(self):
        jobs = [("x", "a"), ("x", "b"), ("y", "a")]
        results = [Result({"method": m, "topic": t, "seed": 0}, {"AP": 1.0}) for m, t in jobs]
        rows = groups(results, row=lambda r: r.job["method"])[None]
        assert rows["x"].mean("AP") == 1.0
        assert rows["y"].mean("AP") is None
        assert rows["y"].problem == "1 of 2 topics are missing: not measured"

    def test_superiority(self):
        better, worse = [0.5, 0.6, 0.9, 0.4], [0.4, 0.5, 0.85, 0.41]
        expected = ttest_rel(better, worse).pvalue / 2
        assert superiority(better, worse) == pytest.approx(expected)
        assert superiority(worse, better) == pytest.approx(1 - expected)
        assert math.isnan(superiority([1.0], [0.0]))
        assert math.isnan(superiority([1.0, 1.0], [1.0, 1.0]))
        with pytest.raises(UsageError, match="paired test of 2 and 1"):
            superiority([1.0, 2.0], [1.0])


class TestReports:
    def test_markdown(self, setting):
        text = markdown(make(["toy"], setting))
        assert "| method | MAP, paper | MAP, ours | MAP, difference | remark |" in text
        assert "| good | 0.400 | 0.500 | +0.100 |  |" in text
        assert "| bad | 0.400 | 0.250 | −0.150 |  |" in text
        assert f"factor.txt {'6b86b273ff34fce1'}" in text  # SHA-256 of "1"

    def test_cells(self):
        shown = {
            0.00001: "< 0.001",
            0.0: "0.000",
            -0.5: "−0.500",
            1234.5: "1,234.500",
            12: "12",
            None: "–",
            float("nan"): "–",
            "x": "x",
        }
        assert [text(cell) for cell in shown] == list(shown.values())
        assert text(Number(0.04999, 2)) == "0.05"

    def test_json(self, setting):
        found = json.loads(json.dumps(as_object(make(["toy"], setting))))
        (part,) = found["parts"]
        assert part["run_file"].endswith("toy.jsonl")
        assert part["sections"][0]["rows"][0]["MAP"] == {
            "paper": 0.4,
            "ours": 0.5,
            "difference": pytest.approx(0.1),
        }

    def test_page_needs_nothing_beside_it(self, setting):
        text = page(make(["toy"], setting))
        assert "<td>good</td>" in text
        assert not re.search(r'(src|href)="(?!#)', text)

    def test_plots(self):
        """What is missing leaves a gap; text stays text; the same plot gives the same file."""
        series = [Series("a & b", [0.1, None, 0.3, 0.25]), Series("c", [0.2, 0.2, 0.2, None])]
        lines = Plot("MAP <1>", [1, 2, 10, 100], series, log=True)
        bars = Plot("bars", list("wxyz"), series, kind="bars")
        assert svg(lines) == svg(lines)
        assert ElementTree.fromstring(svg(lines)).get("aria-label") == "MAP <1>"
        assert {"a & b", "c", "1", "10", "100"} <= texts(svg(lines))
        assert {"a & b", "c", *"wxyz"} <= texts(svg(bars))
        # The line of the first series is drawn in two pieces; each of its points is marked, and
        # so is the line in the legend.
        first, points = f"stroke: {COLOURS[0]}; stroke-width: 1.4", f"<use .*fill: {COLOURS[0]}"
        line = next(path for path in paths(svg(lines)) if first in path.get("style", ""))
        assert line.get("d").count("M") == 2
        assert len(re.findall(points, svg(lines))) == 3 + 1
        filled = [path for path in paths(svg(bars)) if COLOURS[0] in path.get("style", "")]
        assert len(filled) == 3 + 1

    @pytest.mark.parametrize("values", [[], [0.0], [None], [-3.0, 4.0], [1e9]])
    def test_plots_of_little(self, values):
        x = list(range(1, len(values) + 1))
        for kind in ("lines", "bars"):
            ElementTree.fromstring(svg(Plot("", x, [Series("s", values)], kind=kind)))

    def test_lines_may_begin_where_their_values_do(self):
        near = [Series("AUC", [0.981, 0.989, 0.99])]
        from_zero, close = (
            svg(Plot("", [1, 2, 3], near, from_zero=zero)) for zero in (True, False)
        )
        assert "0.0" in texts(from_zero)
        assert min(float(text) for text in texts(close) if text.startswith("0.")) > 0.97
        flat = svg(Plot("", [1, 2], [Series("s", [0.7, 0.7])], from_zero=False))
        assert "nan" not in flat

    def test_many_bars_make_a_wide_plot(self):
        series = [Series(name, [0.5] * 200) for name in "abc"]
        text = svg(Plot("", [str(i) for i in range(200)], series, kind="bars"))
        assert re.search(r'viewBox="0 0 1296 ', text)  # 600 bars of 0.03 inches

    def test_a_column_without_a_word_is_not_shown(self):
        rows = [{"a": 1, "remark": ""}, {"a": 2, "remark": ""}]
        assert header(rows) == ["a"]
        assert header([*rows, {"a": 3, "remark": "x"}]) == ["a", "remark"]

    def test_an_empty_section(self, setting, monkeypatch):
        monkeypatch.setattr(studies.study("toy"), "sections", lambda results: [Section("No", [])])
        report = make(["toy"], setting)
        assert "Nothing was measured." in markdown(report)
        assert "Nothing was measured." in page(report)


class TestCommand:
    def run(self, *arguments):
        return CliRunner().invoke(app, ["tables", *map(str, arguments)])

    def test_tables_and_page(self, setting, tmp_path):
        common = ("toy", "--data", setting.data, "--runs", setting.runs)
        done = self.run(*common, "--html", tmp_path / "r.html", "--only", "method=good,bad")
        assert done.exit_code == 0
        assert done.stdout.startswith("# toy: Numbers that need no computing")
        assert "<td>good</td>" in (tmp_path / "r.html").read_text()
        done = self.run(*common, "--format", "json")
        assert json.loads(done.stdout)["parts"][0]["measured"] == 8

    def test_interrupted_it_continues(self, setting, monkeypatch):
        common = ("toy", "--data", setting.data, "--runs", setting.runs, "--only", "method=good")
        study = studies.study("toy")
        measured = study.run

        def interrupted(job, data):
            if job["topic"] == "c":
                raise KeyboardInterrupt
            return measured(job, data)

        with monkeypatch.context() as patch:
            patch.setattr(study, "run", interrupted)
            done = self.run(*common)
        assert done.exit_code == 130
        assert "run the same command to continue" in done.stderr
        assert self.run(*common).exit_code == 0
        assert ran(setting) == ["good a 0", "good b 0", "good c 0"]

    def test_list(self, setting):
        assert "toy: Numbers that need no computing" in self.run("--list").stdout

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["nothing"], "no table 'nothing'"),
            (["toy", "--data", "nowhere"], "name the folder of data with --data"),
            (["toy", "--only", "size"], "write it as FIELD=VALUES"),
            (["toy", "--html", "nowhere/x.html"], "there is no folder nowhere"),
        ],
    )
    def test_wrong_usage(self, setting, arguments, sentence):
        done = self.run(*arguments)
        assert done.exit_code == 2
        assert sentence in done.stderr


class TestCache:
    def test_made_once_for_a_state(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
        made = []

        def make(place):
            made.append(place)
            (place / "x").write_text(str(len(made)))

        first = cache.kept("thing", "1", make)
        assert cache.kept("thing", "1", make) == first
        assert (first / "x").read_text() == "1"
        assert (cache.kept("thing", "2", make) / "x").read_text() == "2"
        assert [path.name for path in (tmp_path / "thing").iterdir()] == ["2"]

    def test_a_failure_leaves_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
        with pytest.raises(ZeroDivisionError):
            cache.kept("thing", "1", lambda place: 1 / 0)
        assert not list((tmp_path / "thing").iterdir())
