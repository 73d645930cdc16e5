"""Readers of references meet damaged files: they report, and neither crash nor hang."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.reading import SAMPLES, unpack
from likewise.errors import InputError
from likewise.readers import Problems, ReadOptions
from likewise.readers.formats import FORMATS
from likewise.readers.references.bibtex_values import people
from likewise.readers.references.latex import as_text
from likewise.readers.streams import Source

FILES = {path.name: path.read_bytes() for path in (SAMPLES.parent / "references").iterdir()}
SUFFIXES = {suffix: name for name, f in FORMATS.items() for suffix in f.suffixes}
TOKENS = [b"\n", b"\r", b"{", b"}", b'"', b"@", b"<", b">", b"&", b"]", b"[", b",", b"\\", b"\0"]
TOKENS += [
    b"TY  - ",
    b"ER  - \n",
    b"PMID- ",
    b"<record>",
    b"</record>",
    b"@article{",
    b"\xff",
    b"#",
]
TOKENS += [b"1e999", b"9" * 5000, b"$", b"<![CDATA[", b"<!--", b"--", b"\xe2\x80\xa8"]


def read(name: str, data: bytes, size: int = 1 << 20) -> tuple[list[Any], Problems]:
    suffix = "." + name.rpartition(".")[2]
    source = Source(name, name, None, SUFFIXES[suffix], content=data)
    problems = Problems()
    options = ReadOptions(batch_bytes=size)
    try:
        found = unpack(FORMATS[source.format].load()(source, options, problems))
    except InputError as error:
        problems.report(*str(error).partition(":")[::2])
        found = []
    for problem in problems.listed:
        assert problem.place.startswith(name)
    return found, problems


cuts = st.tuples(
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 60),
    st.sampled_from(TOKENS) | st.binary(max_size=9),
)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(sorted(FILES)), st.lists(cuts, min_size=1, max_size=6), st.integers(1, 400))
def test_damaged_files(name: str, edits: list[tuple[float, int, bytes]], size: int) -> None:
    data = FILES[name]
    for place, length, token in edits:
        at = int(place * len(data))
        data = data[:at] + token + data[at + length :]
    found, _ = read(name, data, size)
    whole, _ = read(name, data)
    assert [document.values for document in found] == [document.values for document in whole]


@settings(deadline=None)
@given(st.sampled_from(["x.ris", "x.nbib", "x.bib", "x.xml", "x.json"]), st.binary(max_size=300))
@example("x.json", b"[" * 5000)
@example("x.xml", b"<records><record>" + b"<a>" * 5000)
def test_any_bytes(name: str, data: bytes) -> None:
    read(name, data)


@given(st.lists(st.sampled_from(sorted(FILES)), min_size=1, max_size=2, unique=True))
def test_a_file_of_another_kind(names: list[str]) -> None:
    """As when somebody renames one: it is an error or problems, not documents of nonsense."""
    data = FILES[names[0]]
    suffix = names[-1].rpartition(".")[2]
    found, problems = read(f"x.{suffix}", data)
    if suffix != names[0].rpartition(".")[2]:
        assert len(found) == 0 or problems.count


LONG = 300_000
MONSTERS = {
    "lines.ris": b"TY  - JOUR\nID  - 1\nKW  - x\n" + b"bc\n" * LONG + b"ER  - \n",
    "tags.ris": b"TY  - JOUR\n" + b"AU  - \n" * LONG + b"ER  - \n",
    "starts.ris": b"TY  - JOUR\n" * 30_000,
    "notes.ris": b"TY  - JOUR\nN1  - " + b'RAYYAN-INCLUSION: {"a"=>' * (LONG // 8) + b"\nER  - \n",
    "lines.nbib": b"PMID- 1\nAB  - x\n" + b"      y\n" * LONG,
    "braces.bib": b"@article{a, title={" + b"{" * LONG * 3,
    "nested.bib": b"@article{a, title=" + b"{" * LONG + b"}" * LONG + b"}",
    "starts.bib": b"@article{\n" * 30_000,
    "one line.bib": b"@article{a, " * LONG,
    "joins.bib": b"@string{a = {xxxxxxxxxx}}\n" + b"@string{a = a # a}\n" * 60,
    "fields.bib": b"@article{a, " + b"".join(b"f%d={x}," % i for i in range(LONG // 3)) + b"}",
    "same.bib": b"@article{a, " + b"".join(b"f={%d}," % i for i in range(LONG // 10)) + b"}",
    "people.bib": b"@article{a, author={" + b"{a} and " * 50_000 + b"}}",
    "accents.bib": b"@article{a, title={" + b"\\'{" * LONG + b"}" * LONG + b"}}",
    "dollars.bib": b"@article{a, title={" + b"$\\" * LONG + b"}}",
    "deep.xml": b"<records><record>" + b"<a>" * LONG + b"</a>" * LONG + b"</record></records>",
    "open.xml": b"<records>" + b"<record>" * LONG,
    "none.xml": b"<records><record></record>" + b"<x>" * LONG,
    "entities.xml": b"<records><record><abstract>"
    + b"&x;" * LONG
    + b"</abstract></record></records>",
    "deep.json": b'[{"text": ' + b"[" * LONG,
    "broken.json": b"[" + b'{"text": x}, ' * 20_000,
    "string.json": b'[{"text": "' + b"x" * LONG * 10,
    "numbers.json": b"[" + b"1," * 20_000 + b"]",
    "blank.json": b" " * LONG * 10,
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_end(name: str) -> None:
    """Files that cost a reader of quadratic time or without a limit minutes or all memory."""
    read(name, MONSTERS[name], 1 << 16)


@given(st.text(alphabet="\\{}$\"'`~^=.uvHcdbrk ij-a", max_size=40))
def test_any_latex(text: str) -> None:
    assert "\n" not in as_text(text)
    assert all(isinstance(name, str) and name for name in people(text))


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"G{\"o}del, K\"{u}rt", "Gödel, Kürt"),
        (r"{\'E}tude \`a la fa\c{c}on", "Étude à la façon"),
        (r"\v{S}koda, \v Z, {\AA}ngstr\"om", "Škoda, Ž, Ångström"),
        (r"{\L}\'od\'z, \o re, stra{\ss}e, \i, \'\i", "Łódź, øre, straße, ı, í"),
        (r"R\&D at 5\% \_x \#1 \$2", "R&D at 5% _x #1 $2"),
        (r"``quoted'' 1--2 --- a~b", "“quoted” 1–2 — a\N{NO-BREAK SPACE}b".replace("\xa0", " ")),
        (r"$\alpha_{1}$-helix {DNA}", r"$\alpha_{1}$-helix DNA"),
        (r"\emph{in vitro} \textit{x} \unknown{y}", r"in vitro x \unknowny"),
        (r"\textbackslash{}a \textasciitilde{}b", r"\a ~b"),
    ],
)
def test_latex_as_text(latex: str, text: str) -> None:
    assert as_text(latex) == text


def test_what_is_not_understood_is_not_lost() -> None:
    found, _ = read("x.bib", rb"@misc{a, title={T}, odd={\frac{1}{2}}, odd={other}}")
    assert json.dumps(found[0].values).count("odd") == 2
