"""Imports point down only, heavy packages wait until they are used, and the core knows no Python.

What is imported for type checkers alone is free: it never runs.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "likewise"

# From top to bottom; names in one row do not know each other.
LAYERS = (
    ("__main__",),
    ("cli",),
    ("server", "evaluation", "adapters"),
    ("__init__", "watching"),
    ("index",),
    ("reviews",),
    ("feedback",),
    ("search", "estimators", "previewing"),
    ("solvers", "duplicates"),
    ("losses", "store", "writers"),
    ("readers", "text", "views"),
    ("engines",),
    ("arguments", "corpus", "datasets", "document", "filters", "weighting"),
    ("_core", "errors"),
)
LEVELS = {name: level for level, row in enumerate(LAYERS) for name in row}
HEAVY = {
    "Stemmer",
    "asreview",
    "bm25s",
    "dask",
    "distributed",
    "fastapi",
    "fsspec",
    "ir_measures",
    "langchain_core",
    "llama_index",
    "matplotlib",
    "mcp",
    "onnx",
    "onnxruntime",
    "pandas",
    "polars",
    "psycopg",
    "pulearn",
    "pyarrow",
    "pydantic",
    "pyterrier",
    "qdrant_client",
    "rich",
    "rispy",
    "safetensors",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "sqlalchemy",
    "starlette",
    "stopwordsiso",
    "tokenizers",
    "transformers",
    "uvicorn",
    "xlsxwriter",
}
# Bases of classes: of estimators, of a database's tables, of models. These are imported on use.
MAY_BE_HEAVY = {"adapters", "estimators", "reviews", "server"}


class Import(NamedTuple):
    module: str
    line: int
    on_import: bool  # or when a function is called


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    return {_dotted(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _dotted(path: Path) -> str:
    parts = ("likewise", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def imports(path: Path) -> list[Import]:
    return list(_imports(ast.parse(path.read_text()), on_import=True))


def _imports(node: ast.AST, on_import: bool) -> Iterator[Import]:
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        children = node.orelse
    else:
        children = list(ast.iter_child_nodes(node))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        on_import = False
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, on_import) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        assert not node.level, f"line {node.lineno}: write imports in full"
        yield from (
            Import(_target(node.module or "", alias.name), node.lineno, on_import)
            for alias in node.names
        )
    for child in children:
        yield from _imports(child, on_import)


def _target(module: str, name: str) -> str:
    """`from likewise import x` imports the module x if there is one, or else the package."""
    inner = f"{module}.{name}"
    return inner if inner in MODULES or inner == "likewise._core" else module


def layer(module: str) -> str:
    """The row's name that a module goes by: "store" for likewise.store.lock."""
    return module.split(".")[1] if "." in module else "__init__"


MODULES = modules()
IMPORTS = {name: imports(path) for name, path in MODULES.items()}


def test_every_module_has_its_layer():
    unplaced = {layer(module) for module in MODULES} - LEVELS.keys()
    assert not unplaced, "give these a place in LAYERS"


def test_imports_point_down():
    upward = [
        f"{module}, line {line}: imports {target}"
        for module, found in IMPORTS.items()
        for target, line, _ in found
        if target.partition(".")[0] == "likewise" and not _may_import(layer(module), layer(target))
    ]
    assert not upward


def test_studies_are_found_not_imported():
    """The papers' studies are installed beside the package; nothing in it may need them."""
    assert not [m for m, found in IMPORTS.items() for i in found if "likewise_studies" in i.module]


def _may_import(own: str, other: str) -> bool:
    return own == other or LEVELS[own] < LEVELS[other]


def test_no_modules_import_each_other():
    graph = {
        module: {target for target, _, on_import in found if on_import and target in MODULES}
        for module, found in IMPORTS.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def test_heavy_packages_are_imported_on_use():
    too_early = [
        f"{module}, line {line}: imports {target}"
        for module, found in IMPORTS.items()
        for target, line, on_import in found
        if on_import and target.partition(".")[0] in HEAVY and layer(module) not in MAY_BE_HEAVY
    ]
    assert not too_early


def test_an_import_is_light():
    program = "import sys, likewise; likewise.Index; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.stderr
    assert not HEAVY & set(done.stdout.split())


def test_only_the_bindings_know_python():
    include = re.compile(r'#\s*include\s*[<"](nanobind|Python\.h|bindings/)')
    core = ROOT / "core"
    sources = [path for path in core.rglob("*") if path.suffix in (".h", ".cpp")]
    knowing = {path.parent for path in sources if include.search(path.read_text())}
    assert knowing == {core / "bindings"}


def test_nothing_above_the_engines_knows_one():
    """Learners see a Corpus; the core's own classes are for engines, and for making an index."""
    knowing = [
        f"{module}, line {line}: imports {target}"
        for module, found in IMPORTS.items()
        for target, line, _ in found
        if (target.startswith("likewise.engines.local") and layer(module) != "engines")
        or (
            target == "likewise._core"
            and layer(module) not in ("engines", "store", "readers", "text")
        )
    ]
    assert not knowing


def test_the_house_stays_small():
    """Few modules at the root, files that fit a few screens, functions that fit one."""
    root = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert len(root) <= 8, sorted(root)
    assert len(LAYERS) <= 14
    code = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js"), *(ROOT / "core").rglob("*.[ch]*")]
    long = [f"{path}: {n}" for path in code if (n := path.read_text().count("\n")) > 450]
    assert not long
    functions = [
        f"{module}: {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno - node.lineno >= 60
    ]
    assert not functions


def test_each_folder_says_what_lives_there():
    silent = [
        str(path)
        for path in PACKAGE.rglob("__init__.py")
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent
