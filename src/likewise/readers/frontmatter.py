"""What stands above the text of a Markdown file: YAML between lines of ---, or TOML of +++.

Of YAML, what people write there is read: names with texts, numbers and lists of texts. Anything
else is no front matter, and stays in the text.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from typing import Any

from likewise.readers.mapping import Mapper

LONGEST = 1 << 16  # characters
MARKS = {"---": ("---", "..."), "+++": ("+++",)}
NAME = re.compile(r"([A-Za-z_][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?")
ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
NUMBER = re.compile(r"-?\d{1,15}")
BLOCK = re.compile(r"[|>][+-]?")


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Fields under their usual names, and the text below; no fields if there are none."""
    first, _, rest = text.partition("\n")
    ends = MARKS.get(first.strip())
    if ends is None or not text.startswith(first.strip()):
        return {}, text
    lines = rest[:LONGEST].split("\n")
    end = next((n for n, line in enumerate(lines) if line.rstrip() in ends), None)
    if end is None:
        return {}, text
    found = _toml(lines[:end]) if first.strip() == "+++" else _yaml(lines[:end])
    if not found:
        return {}, text
    if "keywords" not in found and "tags" in found:
        found["keywords"] = found.pop("tags")
    below = sum(len(line) + 1 for line in lines[: end + 1])
    return Mapper(cells=True)(found), rest[below:]


def _toml(lines: list[str]) -> dict[str, Any]:
    try:
        found = tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    return {key: _plain(value) for key, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _yaml(lines: list[str]) -> dict[str, Any]:
    """The names and values; nothing if a line is none of what is read."""
    found: dict[str, Any] = {}
    name = ""
    block = False
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = ITEM.fullmatch(line.rstrip())
        started = NAME.fullmatch(line.rstrip())
        if started and not line[0].isspace():
            name, value = started[1], (started[2] or "").strip()
            block = bool(BLOCK.fullmatch(value))
            found[name] = "" if block else _value(value)
        elif item and name and not block and (found[name] == "" or isinstance(found[name], list)):
            found[name] = [*(found[name] or []), _scalar(item[1].strip())]
        elif line[0].isspace() and name and isinstance(found[name], str):
            found[name] = f"{found[name]} {line.strip()}".strip()
        else:
            return {}
    return found


def _value(written: str) -> Any:
    if written.startswith("[") and written.endswith("]"):
        inner = written[1:-1].strip()
        return [_scalar(part.strip()) for part in inner.split(",")] if inner else []
    return _scalar(written)


def _scalar(written: str) -> Any:
    if len(written) > 1 and written[0] == written[-1] and written[0] in "\"'":
        return written[1:-1]
    if NUMBER.fullmatch(written):
        return int(written)
    return written
