r"""LaTeX in BibTeX's values as plain text: accents, symbols and braces; formulas stay as they are.

`{\"o}` becomes ö and `\emph{in vitro}` in vitro. Commands that are not known stay as written.
"""

from __future__ import annotations

import re
import unicodedata

COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
SYMBOLS = {
    "ss": "ß",
    "SS": "ẞ",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "i": "ı",
    "j": "ȷ",
    "th": "þ",
    "TH": "Þ",
    "dh": "ð",
    "DH": "Ð",
    "dj": "đ",
    "DJ": "Đ",
    "ng": "ŋ",
    "NG": "Ŋ",
    "S": "§",
    "P": "¶",
    "dag": "†",
    "ddag": "‡",
    "copyright": "©",
    "pounds": "£",
    "textregistered": "®",
    "texttrademark": "™",
    "textdegree": "°",
    "textmu": "µ",
    "texteuro": "€",
    "euro": "€",
    "textellipsis": "…",
    "ldots": "…",
    "dots": "…",
    "textendash": "–",
    "textemdash": "—",
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotesingle": "'",
    "textquotedbl": '"',
    "guillemotleft": "«",
    "guillemotright": "»",
    "guilsinglleft": "‹",
    "guilsinglright": "›",
    "quotesinglbase": "‚",
    "quotedblbase": "„",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textunderscore": "_",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textdollar": "$",
    "textsection": "§",
    "textperiodcentered": "·",
    "textbullet": "•",
    "slash": "/",
    "newline": " ",
    "quad": " ",
}
DROPPED = frozenset(
    [
        "emph",
        "textit",
        "textbf",
        "textsc",
        "textrm",
        "texttt",
        "textsf",
        "textsl",
        "textup",
        "textmd",
        "textnormal",
        "text",
        "mbox",
        "url",
        "mkbibquote",
        "mkbibemph",
        "mkbibbold",
        "uppercase",
        "lowercase",
        "MakeUppercase",
        "path",
        "nolinkurl",
        "bf",
        "it",
        "em",
        "rm",
        "sc",
        "tt",
        "sf",
        "sl",
        "noopsort",
        "protect",
        "relax",
    ]
)
FORMULA = re.compile(r"(?<!\\)(\$[^$]*(?<!\\)\$)")
LETTER = r"(?:\\[ij](?![A-Za-z])\s*|[^\W\d_])"
TOKEN = re.compile(
    rf"\\(?P<sign>[\"'`^~=.])\s*(?:\{{\s*(?P<a>{LETTER})\s*\}}|(?P<b>{LETTER}))"
    rf"|\\(?P<mark>[uvHcdbrk])(?:\s*\{{\s*(?P<c>{LETTER})\s*\}}|\s+(?P<d>{LETTER}))"
    r"|\\(?P<name>[A-Za-z]+)(?P<rest>\s*\{\}|\*|\s*)"
    r"|\\(?P<escaped>[^A-Za-z])"
    r"|(?P<brace>[{}])|(?P<dash>---?)|(?P<quote>``|'')|(?P<tie>~)",
    re.DOTALL,
)
PLAIN = {"--": "–", "---": "—", "``": "“", "''": "”", "~": "\N{NO-BREAK SPACE}"}
NOT_LATEX = re.compile(r"[\\{}~$]|--|``|''")


def as_text(value: str) -> str:
    """A value as it would be printed, without line breaks."""
    if NOT_LATEX.search(value):
        parts = FORMULA.split(value)  # every second one is a formula
        parts[::2] = [TOKEN.sub(_replaced, part) for part in parts[::2]]
        value = "".join(parts)
    return " ".join(value.split())


def _replaced(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if found["sign"] or found["mark"]:
        letter = next(filter(None, (found[name] for name in "abcd")), "")
        bare = letter.strip().lstrip("\\")
        accented = bare + COMBINING[found["sign"] or found["mark"]]
        return unicodedata.normalize("NFC", accented)
    if found["name"]:
        return _command(found)
    if found["escaped"] is not None:
        return (
            " "
            if found["escaped"] in "\\\n ,"
            else ""
            if found["escaped"] in "/-"
            else found["escaped"]
        )
    return "" if kind == "brace" else PLAIN[found[0]]


def _command(found: re.Match[str]) -> str:
    name = found["name"]
    if name in SYMBOLS:
        return SYMBOLS[name]
    return "" if name in DROPPED else found[0]
