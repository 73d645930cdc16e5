"""Words too common to search by, for each language that can be stemmed."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from likewise.errors import UsageError
from likewise.text.unicode import fold

# Our own list for English, since the 1,298 words of stopwordsiso include computer, group, novel,
# ring, shell, state and test. These are closed-class words only: articles and determiners,
# pronouns, prepositions, conjunctions, auxiliaries, and adverbs of grammar rather than meaning.
# Left out are words with another meaning: us (US), mine, well, like, even, one.
_ENGLISH = """
    a an the this that these those each every either neither another any some such all both few
    many much more most other others own same no
    i me my myself we our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what
    about above after against among around as at before below between by down during for from
    in into of off on out over per since than through throughout to toward towards under until up
    upon via with within without
    and but or nor so if unless because although though while whereas whether
    am is are was were be been being have has had having do does did doing done
    can cannot could may might must shall should will would
    not only also too very just then there here when where why how however thus hence therefore
    again further once etc
"""

# What splitting at apostrophes leaves of it's, we'll, you've, they're and don't. The t, d and m of
# don't, I'd and I'm stay in: T cells, vitamin D and M-theory need them, and where people write
# contractions they are so common that idf makes them light.
_ENGLISH_DEBRIS = """
    s ll ve re don didn doesn isn aren wasn weren hasn hadn couldn shouldn wouldn mustn needn ain
"""

# Lists of stopwordsiso. They differ in care. Dutch, Danish, Swedish and Polish are near to
# function words; but the German one drops jahr, mensch, ordnung, recht, zeit; the French one état,
# force, quanta, valeur; the Spanish one estado, tiempo, trabajo, valor; the Italian one città,
# gruppo, vita; the Portuguese one número, ponto, sistema; the Russian one вода, война, земля,
# москва. Most Greek entries lack accents. `stop_words=False` is the way out.
_ISO_CODES = {
    "arabic": "ar",
    "armenian": "hy",
    "basque": "eu",
    "catalan": "ca",
    "czech": "cs",
    "danish": "da",
    "dutch": "nl",
    "dutch_porter": "nl",
    "esperanto": "eo",
    "estonian": "et",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "german2": "de",
    "greek": "el",
    "hindi": "hi",
    "hungarian": "hu",
    "indonesian": "id",
    "irish": "ga",
    "italian": "it",
    "lithuanian": "lt",
    "norwegian": "no",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "sesotho": "st",
    "spanish": "es",
    "swedish": "sv",
    "turkish": "tr",
}


@cache
def stop_words(language: str) -> frozenset[str]:
    """A language's stop words, folded; none where no list is known."""
    if language in ("english", "porter", "lovins"):
        return frozenset((_ENGLISH + _ENGLISH_DEBRIS).split())
    if language not in _ISO_CODES:
        return frozenset()
    # A text's words are split at apostrophes too.
    pieces = (re.split("['’]", word) for word in _listed(_ISO_CODES[language]))
    folded, _ = fold([piece for word in pieces for piece in word if piece])
    return frozenset(folded)


def _listed(code: str) -> list[str]:
    # The package documents this file; importing it costs ten times as much as reading one list.
    package = find_spec("stopwordsiso")
    if package is None or package.origin is None:
        raise UsageError("stop words need stopwordsiso: pip install stopwordsiso")
    raw = (Path(package.origin).parent / "stopwords-iso.json").read_bytes()
    lists = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(lists[code], type=list[str]) if code in lists else []
