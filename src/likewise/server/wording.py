"""The library's ways out in HTTP's words: sentences are for whoever writes Python or commands.

What only the server's keeper can do, such as `likewise restore`, stays a command.
"""

from __future__ import annotations

import re

MERGE, VIEWS = "POST /v1/indexes/{index}/merge", "POST /v1/indexes/{index}/views"
OPTION = r"--[a-z]+(?:-[a-z]+)*"
WORDS = (
    # A sentence with both: the field's name is that of Python.
    (re.compile(rf"{OPTION} (\w+) or (\w+) \(in Python, (\w+)\)"), r"\3 \1 or \2"),
    (re.compile(rf"{OPTION} \(in Python,? (\w+)(?:=True)?\)"), r"\1"),
    (re.compile(rf"\((\w+)=(?:True)?, {OPTION}\)"), r"(\1)"),
    (re.compile(rf"{OPTION} \((\w+)=\)"), r"\1"),
    (re.compile(rf"(\w+) \({OPTION}\)"), r"\1"),
    (re.compile(rf" \((leave|left) out ({OPTION})\)"), ""),
    # What has a route.
    (re.compile(r"likewise merge(?! \w+=)"), MERGE),
    (re.compile(r"`likewise views --add (\w+)`"), VIEWS),
    (re.compile(rf"likewise embed(?: [^\s-]\S*)? {OPTION}, {OPTION}"), "likewise embed"),
    (re.compile(r"likewise embed(?: \S+)? embeds (it|them)"), rf"{VIEWS} embeds \1"),
    (re.compile(r"likewise tokens lists them"), "GET /v1/tokens lists them"),
    # What only Python has.
    (re.compile(r": give a file as a Path and raw text as Text\(\.\.\.\)"), ""),
    # Python's way of writing a value.
    (re.compile(r"\b(scaling|loss)='(\w+)'"), r"\1 \2"),
    (re.compile(r"\bk=(\d+) is (.*): lower k\b"), r"at is \1, which is \2: lower it"),
)

COLUMN = re.compile(r"(?:say which it is|name one) with text_column")


def in_http(sentence: str) -> str:
    for pattern, words in WORDS:
        sentence = pattern.sub(words, sentence)
    return sentence


def without_columns(sentence: str) -> str:
    """The same where a request cannot say which column or key is the text."""
    return COLUMN.sub("call one text", in_http(sentence))
