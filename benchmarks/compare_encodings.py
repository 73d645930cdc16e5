# ruff: noqa: E501 - sentences of a language each
"""Libraries that detect encodings, side by side: in how many of these texts each is right.

`pip install chardet charset-normalizer`, then `python benchmarks/compare_encodings.py`.
"""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import chardet
from charset_normalizer import from_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

# A sentence or two of each language, and the encodings that such text is found in.
TEXTS = {
    "german": (
        "Die Größe der Häuser überraschte die Bürger; natürlich hörten sie später „schöne“ Lieder über Flüsse und Wälder.",
        ["cp1252", "iso-8859-1", "mac_roman", "cp850"],
    ),
    "french": (
        "L’été dernier, les élèves ont étudié la façon dont les forêts protègent l’eau près des côtes françaises, où la pêche décroît.",
        ["cp1252", "iso-8859-15"],
    ),
    "spanish": (
        "El niño pequeño comió una manzana mañana por la mañana; ¿cuándo llegará la canción más rápida del año?",
        ["cp1252", "iso-8859-1"],
    ),
    "polish": (
        "Zażółć gęślą jaźń. Świadomość społeczna w większości państw rośnie, choć źródła są różne i często sprzeczne.",
        ["cp1250", "iso-8859-2"],
    ),
    "czech": (
        "Příliš žluťoučký kůň úpěl ďábelské ódy. Některé výsledky měření však ukázaly něco úplně jiného.",
        ["cp1250", "iso-8859-2"],
    ),
    "russian": (
        "Результаты исследования показали, что большинство участников предпочитают читать статьи на родном языке.",
        ["cp1251", "koi8-r", "cp866", "iso-8859-5"],
    ),
    "greek": (
        "Τα αποτελέσματα της μελέτης έδειξαν ότι οι περισσότεροι συμμετέχοντες προτιμούν τη μητρική τους γλώσσα.",
        ["cp1253", "iso-8859-7"],
    ),
    "turkish": (
        "Çalışmanın sonuçları, katılımcıların çoğunun kendi dilinde yazılmış makaleleri okumayı tercih ettiğini gösterdi.",
        ["cp1254", "iso-8859-9"],
    ),
    "hebrew": (
        "תוצאות המחקר הראו שרוב המשתתפים מעדיפים לקרוא מאמרים בשפת אמם, גם כאשר הם מבינים אנגלית.",
        ["cp1255"],
    ),
    "arabic": (
        "أظهرت نتائج الدراسة أن معظم المشاركين يفضلون قراءة المقالات بلغتهم الأم حتى لو فهموا الإنجليزية.",
        ["cp1256"],
    ),
    "japanese": (
        "研究の結果、参加者の大多数は母語で書かれた論文を読むことを好むことが明らかになりました。",
        ["shift_jis", "euc_jp"],
    ),
    "chinese": (
        "研究结果表明,大多数参与者更喜欢阅读用母语写的文章,即使他们懂英语也是如此。",
        ["gb18030"],
    ),
    "taiwanese": (
        "研究結果表明,大多數參與者更喜歡閱讀用母語寫的文章,即使他們懂英語也是如此。",
        ["big5"],
    ),
    "korean": (
        "연구 결과 대부분의 참가자는 영어를 이해하더라도 모국어로 작성된 논문을 읽는 것을 선호하는 것으로 나타났습니다.",
        ["euc_kr"],
    ),
    "english": (
        "The patient’s “naïve” café résumé – with an en dash – costs £5 and 20 °C. Everything else in this text is plain ASCII, as usual in English.",
        ["cp1252"],
    ),
}


def normalizer(data: bytes) -> str | None:
    best = from_bytes(data).best()
    return None if best is None else best.encoding


def detector(data: bytes) -> str | None:
    return chardet.detect(data)["encoding"]


def right(detect: Callable[[bytes], str | None]) -> tuple[int, int]:
    """How many texts come out as they were, and of how many."""
    good = every = 0
    for text, encodings in TEXTS.values():
        for encoding in encodings:
            data = text.encode(encoding, "ignore")
            found = detect(data)
            good += found is not None and data.decode(found, "replace") == data.decode(encoding)
            every += 1
    return good, every


def main() -> None:
    for name, detect in {"chardet": detector, "charset-normalizer": normalizer}.items():
        start = time.process_time()
        good, every = right(detect)
        seconds = time.process_time() - start
        print(
            f"{name} {version(name)}: {good} of {every} right, {1000 * seconds / every:.1f} ms each"
        )


if __name__ == "__main__":
    main()
