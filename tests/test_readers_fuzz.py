"""Mutated files of every kind: documents, problems, or one sentence that names the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.fuzzing import mutated, seeds
from helpers.reading import unpack
from likewise.errors import InputError
from likewise.readers import Problems, ReadOptions
from likewise.readers.apart import Readers
from likewise.readers.archives import members
from likewise.readers.formats import FORMATS, SUFFIXES
from likewise.readers.streams import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEDS = seeds()
LIBRARIES = {"excel", "parquet", "arrow"}  # whose errors are many, and pass through as they are
Changes = list[tuple[str, float, bytes]]
changes = st.lists(
    st.tuples(
        st.sampled_from(["replace", "replace", "replace", "insert", "repeat", "cut"]),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=8),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    """One process for all: that it lives to the end is part of the test."""
    with Readers(1) as started:
        yield started


@pytest.mark.parametrize("suffix", [suffix for suffix in SEEDS if suffix != ".zip"])
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes)
def test_a_mutated_file(readers: Readers, suffix: str, changes: Changes) -> None:
    format = SUFFIXES[suffix]
    content = mutated(SEEDS[suffix], changes)
    source = Source(f"a{suffix}", f"a{suffix}", None, format, content=content, limit=1 << 24)
    problems = Problems()
    said = f"a{suffix}"
    try:
        unpack(readers.begin(source, ReadOptions(), problems).batches(problems))
    except InputError as error:
        said = str(error)
    assert said.startswith(f"a{suffix}")
    assert "crashed" not in said
    if format not in LIBRARIES:
        assert "cannot be read as" not in said  # an error that nobody thought of
    for problem in problems.listed:
        assert problem.place.startswith(f"a{suffix}")


@settings(max_examples=100, deadline=None)
@given(changes)
def test_a_mutated_archive(changes: Changes) -> None:
    content = mutated(SEEDS[".zip"], changes)
    source = Source("a.zip", "a.zip", None, "zip", content=content, limit=1 << 24)
    names = ["a.zip!"]
    try:
        names += [member.name for member in members(source, Problems())]
    except InputError as error:
        names.append(str(error).replace("a.zip", "a.zip!", 1))
    assert all(name.startswith("a.zip!") for name in names)


def test_every_format_that_is_read_apart_is_fuzzed() -> None:
    apart = {name for name, format in FORMATS.items() if format.apart}
    assert apart == {SUFFIXES[suffix] for suffix in SEEDS if suffix != ".zip"}
