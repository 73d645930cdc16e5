"""Whether the numbers in a file describe what they should.

A checksum tells that a file is as it was written, not who wrote it: an index handed over by
somebody may have right checksums and wrong numbers, and native code believes what it is given. So
types and shapes are checked when a file is opened, from its table of contents alone, and the
numbers of a section when they are first asked for, once for each file opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from likewise import _core
from likewise.views.precision import DenseRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likewise._core import CountArrays
    from likewise.corpus import ValueArrays
    from likewise.store.container import Container

    Shape = tuple[int | None, ...]  # None: any length

BYTE, SHORT, NUMBER, LONG, REAL, SIGNED = "|u1", "<u2", "<u4", "<u8", "<f4", "|i1"
COUNT_PARTS = {
    "starts": NUMBER, "more": NUMBER, "columns": (SHORT, BYTE, NUMBER),
    "counts": BYTE, "large_at": NUMBER, "large": NUMBER,
}  # fmt: skip
VALUE_PARTS = {"starts": NUMBER, "columns": NUMBER, "values": REAL}
BATCH = 1 << 16  # strings decoded at a time


def check_segment(file: Container, documents: int, terms: int) -> None:
    """Refuse a segment whose sections cannot be those of so many documents and terms."""
    first = file.number("first_term")
    if not 0 <= first <= terms:
        raise file.damaged(f"its first term is {first} of {terms}")
    _expect_table(file, "ids", documents)
    _expect_table(file, "terms", terms - first)
    family = family_of(file)
    if family == "dense":
        expect(file, "dense", REAL, (documents, terms))
        return
    parts = VALUE_PARTS if family == "values" else COUNT_PARTS
    listed = terms
    if "inverted.terms" in file:
        expect(file, "inverted.terms", NUMBER, (None,))
        listed = file.size("inverted.terms")
    for name, rows in (("rows", documents), ("inverted", listed)):
        for part, dtype in parts.items():
            length = rows + 1 if part in ("starts", "more") else None
            expect(file, f"{name}.{part}", dtype, (length,))


def family_of(file: Container) -> str:
    """What a segment's matrix consists of: counts, sparse values or dense values."""
    if "dense" in file:
        return "dense"
    return "values" if "rows.values" in file else "counts"


def expect(file: Container, name: str, dtype: str | Sequence[str], shape: Shape) -> None:
    """Refuse a section of another type or shape."""
    found_dtype, found = file.layout(name)
    wanted = (dtype,) if isinstance(dtype, str) else dtype
    fits = len(found) == len(shape) and all(
        length in (None, here) for here, length in zip(found, shape, strict=True)
    )
    empty = shape[0] == 0 and 0 in found  # rows written in no pieces have lost their width
    if found_dtype not in wanted or not (fits or empty):
        lengths = " × ".join("any" if length is None else str(length) for length in shape)
        raise file.damaged(f"section {name!r} does not hold {lengths} numbers of its type")


def _expect_table(file: Container, name: str, length: int) -> None:
    expect(file, f"{name}.text", BYTE, (None,))
    expect(file, f"{name}.ends", (NUMBER, LONG), (length,))
    expect(file, f"{name}.hashes", (NUMBER, LONG), (length,))
    expect(file, f"{name}.order", NUMBER, (length,))


def counts(file: Container, name: str, width: int) -> CountArrays:
    """A matrix of counts; the core checks it."""
    arrays = _count_arrays(file, name)
    highest = file.told(f"{name}.columns").highest
    file.once(name, lambda: _core.Counts(arrays, width, highest=highest))
    return arrays


def check_counts_together(given: Iterable[tuple[Container, str, int]], threads: int) -> None:
    """Check matrices of counts in several files, each with its name and width, by several threads.

    Those that make no sense are checked again by whoever asks for them, who is told so.
    """
    todo = [one for one in given if not one[0].is_sound(one[1])]
    matrices = [
        (_count_arrays(file, name), width, file.told(f"{name}.columns").highest)
        for file, name, width in todo
    ]
    for (file, name, _), good in zip(todo, _core.are_counts(matrices, threads), strict=True):
        if good:
            file.once(name, lambda: None)


def _count_arrays(file: Container, name: str) -> CountArrays:
    return cast("CountArrays", {part: file.array(f"{name}.{part}") for part in COUNT_PARTS})


def starts(file: Container, name: str) -> NDArray[np.uint32]:
    """Where each row of a matrix of counts starts: of all its sections, one is read."""
    section = f"{name}.starts"
    file.once(section, lambda: require(file.told(section).ascends, "starts must ascend"))
    found: NDArray[np.uint32] = file.array(section)
    return found


def frequencies(
    file: Container, name: str, rows: CountArrays, width: int
) -> NDArray[np.unsignedinteger]:
    """In how many rows of a matrix of counts each column is."""
    section, documents = f"{name}.frequencies", len(rows["starts"]) - 1
    expect(file, section, (SHORT, NUMBER), (width,))
    found: NDArray[np.unsignedinteger] = file.array(section)

    def check() -> None:
        most = file.told(section).highest
        require(most <= documents, "a column is in more rows than there are")
        entries = int(found.sum(dtype=np.int64))
        require(entries == int(rows["starts"][-1]), "its numbers must add up to the entries")

    file.once(section, check)
    return found


def values(file: Container, name: str, width: int) -> ValueArrays:
    """A sparse matrix of real values; the core checks it."""
    arrays = cast("ValueArrays", {part: file.array(f"{name}.{part}") for part in VALUE_PARTS})

    def check() -> None:
        _core.Values(arrays["starts"], arrays["columns"], arrays["values"], width)
        require(_core.all_finite(arrays["values"]), "a value is NaN or infinite")

    file.once(name, check)
    return arrays


def reals(file: Container, name: str, shape: Shape) -> NDArray[np.float32]:
    """Rows of one length, or one vector: finite numbers."""
    expect(file, name, REAL, shape)
    found: NDArray[np.float32] = file.array(name)
    flat = found.reshape(-1)
    file.once(name, lambda: require(_core.all_finite(flat), "a value is NaN or infinite"))
    return found


def dense_rows(file: Container, name: str, shape: Shape) -> DenseRows:
    """Rows of one length at the precision that they are stored in."""
    dtype, _ = file.layout(name)
    if dtype != SIGNED:
        return DenseRows(reals(file, name, shape))
    expect(file, name, SIGNED, shape)
    numbers: NDArray[np.int8] = file.array(name)
    expect(file, f"{name}.factors", REAL, (len(numbers),))
    factors: NDArray[np.float32] = file.array(f"{name}.factors")
    fine = (factors >= 0) & (factors < np.inf)
    file.once(
        f"{name}.factors", lambda: require(bool(fine.all()), "a factor is below 0 or no number")
    )
    return DenseRows(numbers, factors)


def ascending(
    file: Container, name: str, limit: int, length: int | None = None
) -> NDArray[np.uint32]:
    """Different numbers below a limit, in their order."""
    expect(file, name, NUMBER, (length,))
    found: NDArray[np.uint32] = file.array(name)

    def check() -> None:
        told = file.told(name)
        require(told.ascends and told.neighbours_differ, "its numbers must ascend")
        require(not len(found) or told.highest < limit, f"its numbers must be below {limit}")

    file.once(name, check)
    return found


def keys(file: Container, documents: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Hashes in their order, and the document of each."""
    expect(file, "keys.hashes", LONG, (None,))
    hashes: NDArray[np.uint64] = file.array("keys.hashes")
    expect(file, "keys.documents", NUMBER, (len(hashes),))
    numbers: NDArray[np.uint32] = file.array("keys.documents")

    def check() -> None:
        require(file.told("keys.hashes").ascends, "its hashes must ascend")
        most = file.told("keys.documents").highest
        require(not len(numbers) or most < documents, "a key has no document")

    file.once("keys.hashes", check)
    return hashes, numbers


def ends(file: Container, name: str, text: str) -> NDArray[np.unsignedinteger]:
    """Where each piece of a text ends, the last at the end of the section `text`."""
    expect(file, name, (NUMBER, LONG), (None,))
    found: NDArray[np.unsignedinteger] = file.array(name)

    def check() -> None:
        require(file.told(name).ascends, "its numbers must ascend")
        last = int(found[-1]) if len(found) else 0
        require(last == file.size(text), "it must end with the text")

    file.once(name, check)
    return found


def string_part(file: Container, table: str, part: str) -> NDArray[Any]:
    """One of the four arrays of a StringTable."""
    name = f"{table}.{part}"
    if part == "ends":
        return ends(file, name, f"{table}.text")
    found = file.array(name)
    if part == "hashes":
        file.once(name, lambda: require(file.told(name).ascends, "its numbers must ascend"))
    elif part == "order":
        file.once(
            name, lambda: require(_core.is_permutation(found), "it must hold each number once")
        )
    elif file.told(name).highest >= 0x80:  # ASCII may be cut anywhere
        stops = ends(file, f"{table}.ends", name)
        file.once(name, lambda: _check_text(found, stops))
    return found


def _check_text(text: NDArray[np.uint8], stops: NDArray[np.unsignedinteger]) -> None:
    """UTF-8 that may be cut at each of the ends."""
    inner = stops[stops < len(text)]
    require(bool((text[inner] & 0xC0 != 0x80).all()), "a string ends within a character")
    start = 0
    for stop in [*stops[BATCH - 1 :: BATCH].tolist(), len(text)]:
        str(text[start:stop].data, "utf-8", "surrogatepass")
        start = stop


def column_part(file: Container, column: str, part: str, documents: int) -> NDArray[Any]:
    """One of the arrays of a field's column."""
    name, text = f"{column}.{part}", f"{column}.text"
    if part == "text":
        expect(file, name, BYTE, (None,))
        return file.array(name)
    if part == "ends":
        return ends(file, name, text)
    expect(file, name, (BYTE, SHORT, NUMBER), (documents,))
    codes, (_, (kinds,)) = file.array(name), file.layout(f"{column}.ends")
    most = file.told(name).highest
    file.once(name, lambda: require(most < kinds, "a document has no value"))
    return codes


def require(truth: bool, otherwise: str) -> None:
    if not truth:
        raise ValueError(otherwise)
