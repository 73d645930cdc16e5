from __future__ import annotations

import threading
import unicodedata
from collections import Counter
from itertools import groupby, pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from likewise import _core
from likewise.errors import UsageError
from likewise.text import Analyzer, AnalyzerSettings, languages
from likewise.text.probe_words import WORDS
from likewise.text.stopwords import stop_words
from likewise.text.unicode import CJK, SEPARATOR, WORD, fold, unicode_classes

# Letters of many scripts, marks, CJK, punctuation, and what NFKC takes apart.
CHARACTERS = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from("aZ09 _-'’éÉßİıσΣς\u0301\u200d\u00ad\ufe0f½㈠ﬁﷺＡ１日本語のガｶﾞ한ㅋ。・"),
)
TEXTS = st.text(CHARACTERS, max_size=40)


def slow_forms(text: str, max_bytes: int = 64) -> list[str]:
    """What the core's forms() should say."""
    classes = unicode_classes()
    forms = []
    for kind, group in groupby(text, key=lambda character: classes[ord(character)]):
        run = "".join(group)
        if kind == WORD:
            forms.append("".join(c.lower() if c.isascii() else c for c in run))
        elif kind == CJK:
            forms += [a + b for a, b in pairwise(run)] or [run]
    return [form for form in forms if len(form.encode()) <= max_bytes]


def analyzer(**settings) -> Analyzer:
    return Analyzer(AnalyzerSettings(**settings))


def kind(character: str) -> int:
    return int(unicode_classes()[ord(character)])


# Character classes


def test_word_characters_are_alphanumerics_and_marks():
    expected = np.array(
        [c.isalnum() or unicodedata.category(c)[0] == "M" for c in map(chr, range(0x110000))]
    )
    differ = np.flatnonzero((unicode_classes() != SEPARATOR) != expected)
    joiners = {0x00AD, 0x200C, 0x200D}
    radicals = {
        i for i in range(0x2E80, 0x2FD6) if unicodedata.name(chr(i), "").find("RADICAL") >= 0
    }
    assert set(differ.tolist()) == joiners | radicals


def test_cjk_characters_go_by_their_names():
    scripts = ("CJK", "KANGXI", "HIRAGANA", "KATAKANA", "HENTAIGANA", "HANGUL", "BOPOMOFO")
    marks = ("IDEOGRAPHIC", "HANGZHOU", "VERTICAL", "MASU", "COMBINING KATAKANA")
    for code in np.flatnonzero(unicode_classes() == CJK).tolist():
        assert unicodedata.name(chr(code)).startswith(scripts + marks), hex(code)


@pytest.mark.parametrize("character", "日々〇あアーヴㄅ한ㅋ豈⽇𠀀")
def test_cjk(character):
    assert kind(character) == CJK


@pytest.mark.parametrize("character", "aZ5éßжअ\u093f\u0301ﬁ½²١ｶﾞＡ")
def test_word(character):
    assert kind(character) == WORD


@pytest.mark.parametrize("character", " _-.'’\t\n\u200b\u3000、。「」・〜＿！€™❤")
def test_separator(character):
    assert kind(character) == SEPARATOR


def test_classes_are_shared_and_cannot_be_changed():
    classes = unicode_classes()
    assert classes is unicode_classes()
    assert (classes.dtype, classes.shape) == (np.uint8, (0x110000,))
    with pytest.raises(ValueError, match="read-only"):
        classes[0] = 1


@given(TEXTS)
def test_the_core_splits_as_the_classes_say(text):
    assert _core.forms(text, unicode_classes) == slow_forms(text)


def test_forms_too_long_are_dropped():
    assert _core.forms("ab abc éé ab", unicode_classes, 3) == ["ab", "abc", "ab"]


# Folding


def test_folding_letters_brings_in_no_separators():
    """Why only forms that NFKC changes are split again."""
    classes = unicode_classes()
    words = [chr(i) for i in np.flatnonzero(classes)]
    stable = [c for c in words if unicodedata.is_normalized("NFKC", c)]
    folded, _ = fold(stable)
    for old, new in zip(stable, folded, strict=True):
        if classes[ord(old)] == WORD:
            assert all(classes[ord(c)] == WORD for c in new), hex(ord(old))
        else:
            assert new == old


@given(st.lists(TEXTS.map(lambda text: text.replace("\n", "")), min_size=1))
def test_folding_together_is_folding_one_by_one(forms):
    assert list(zip(*fold(forms), strict=True)) == [
        (folded[0], changed[0]) for folded, changed in (fold([form]) for form in forms)
    ]


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("ÉCOLE", "école"),
        ("e\u0301cole", "école"),
        ("STRASSE", "Straße"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("İstanbul", "istanbul"),
        ("Ｐｙｔｈｏｎ", "python"),
        ("ﬁnding", "finding"),
        ("inter\u00adnational", "international"),
        ("x²", "x2"),
        ("1\ufe0f\u20e3", "1"),
        ("ガッコウ", "ｶﾞｯｺｳ"),
        ("⽇本", "日本"),
        (unicodedata.normalize("NFD", "한국어"), "한국어"),
    ],
)
def test_spellings_that_mean_the_same(written, usual):
    terms = analyzer()(usual)
    assert terms
    assert analyzer()(written) == terms


# Terms


def test_one_form_may_stand_for_several_terms():
    forms = ["½", "㈠", "ﷺ", "ｶﾞｯｺｳ"]
    expected = [("1", "2"), "一", ("صلى", "الله", "عليه", "وسلم"), ("ガッ", "ッコ", "コウ")]
    assert analyzer().terms(forms) == expected


def test_stop_words_are_dropped_after_folding():
    assert analyzer().terms(["the", "ｔｈｅ", "cat"]) == [None, None, "cat"]
    assert analyzer(stop_words=False).terms(["the", "cat"]) == ["the", "cat"]


def test_stop_words_among_several_terms():
    assert analyzer().terms(["aﾐｶ", "theﾐｶｻ", "aﾐtheｶ"]) == ["ミカ", ("ミカ", "カサ"), ("ミ", "カ")]


def test_marks_alone_are_no_word():
    assert analyzer().terms(["\u0301", "\ufe0f", "\u200d", "\ufe70"]) == [None] * 4
    assert analyzer()("❤\ufe0f 👨\u200d👩") == []


def test_stemming():
    assert analyzer().terms(["running", "cities"]) == ["run", "citi"]
    assert analyzer(language="german").terms(["häuser"]) == ["haus"]
    assert analyzer(language="none").terms(["running", "the"]) == ["running", "the"]


def test_digits_stay_unless_a_stop_word_has_one():
    forms = ["b2b", "1994", "0", "1", "x1"]
    for language in languages():
        analyzer = Analyzer(AnalyzerSettings(language=language))
        assert (analyzer.terms(forms) == forms) >= analyzer.digits_stay
    assert Analyzer().digits_stay


def test_forms_with_digits_are_not_stemmed():
    assert analyzer().terms(["mp3s", "tapes", "tape²s"]) == ["mp3s", "tape", "tape2s"]


def test_words_with_marks_are_stemmed():
    word = "हिन्दियाँ"
    assert not word.isalpha()
    assert analyzer(language="hindi").terms([word]) != [word]


def test_no_word_is_stemmed_away():
    assert analyzer(language="greek", stop_words=False).terms(["οταν"]) == ["οταν"]


@given(st.lists(TEXTS, max_size=5))
def test_terms_do_not_depend_on_the_batch(texts):
    forms = [form for text in texts for form in slow_forms(text)]
    english = analyzer()
    assert english.terms(forms) == [english.terms([form])[0] for form in forms]


@given(TEXTS)
def test_a_term_is_one_word(text):
    """So that bigrams, joined by a space, can be told apart from single terms."""
    for term in analyzer()(text):
        assert len(slow_forms(term)) == 1, term


def test_a_text_is_its_forms_terms_in_order():
    assert analyzer()("The T-cells don't run; ½ of a café's") == [
        *("t", "cell", "t", "run", "1", "2", "café")
    ]
    assert analyzer()("") == []


def test_bigrams_join_neighbours_once_stop_words_are_gone():
    assert analyzer(bigrams=True)("the king of ½ France") == [
        *("king", "1", "2", "franc"),
        *("king 1", "1 2", "2 franc"),
    ]
    assert analyzer(bigrams=True)("king") == ["king"]


def indexed(texts: list[str], english: Analyzer) -> list[Counter[str]]:
    """How often each term is in each text, counted as an index does."""
    counter = _core.Counter(unicode_classes, bigrams=english.settings.bigrams)
    counter.absorb(english.terms(counter.count([texts])))
    names, ends = counter.terms_since(0)
    starts = [0, *ends[:-1].tolist()] if len(ends) else []
    terms = [names[a:b].decode() for a, b in zip(starts, ends.tolist(), strict=True)]
    arrays = counter.drain()
    matrix = _core.Counts(arrays, len(terms))
    at, columns, counts = matrix.entries(np.arange(len(texts), dtype=np.uint32))
    rows = [slice(a, b) for a, b in pairwise(at.tolist())]
    return [
        Counter({terms[c]: n for c, n in zip(columns[row], counts[row].tolist(), strict=True)})
        for row in rows
    ]


@pytest.mark.parametrize("bigrams", [False, True])
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
@example(texts=["the king of ½ France", "king king and a king", ""])
def test_a_query_has_the_terms_of_the_same_text_in_an_index(bigrams, texts):
    english = analyzer(bigrams=bigrams)
    assert indexed(texts, english) == [Counter(english(text)) for text in texts]


def test_threads_may_share_an_analyzer():
    shared = analyzer()
    forms = [f"relational{letter}" for letter in "abcdefghij"] * 500
    expected = shared.terms(forms)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(shared.terms(forms))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


# Settings


def test_settings_survive_json():
    settings = AnalyzerSettings(language="german", bigrams=True, fields=("text", "abstract"))
    written = msgspec.json.encode(settings)
    assert msgspec.json.decode(written, type=AnalyzerSettings) == settings
    assert msgspec.json.decode(b"{}", type=AnalyzerSettings) == AnalyzerSettings()


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError):
        AnalyzerSettings().language = "german"


def test_unknown_language_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown language 'klingon': use one of .*german.*none"):
        analyzer(language="klingon")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fields": ()}, "at least one field"),
        ({"fields": ("",)}, "at least one field"),
        ({"fields": ("text", "title", "text")}, "one twice: text, title, text"),
        ({"max_bytes": 0}, "max_bytes is 0"),
        ({"max_bytes": 256}, "max_bytes is 256"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(UsageError, match=message):
        analyzer(**settings)


@pytest.mark.parametrize("language", languages())
def test_every_language_works(language):
    assert analyzer(language=language)("Zebra 42 日本語")[-2:] == ["日本", "本語"]


# Stop words


def test_english_stop_words_are_function_words():
    words = stop_words("english")
    assert 150 <= len(words) <= 180
    assert {"the", "of", "s", "ll", "ve", "re", "don"} <= words
    # What the longer lists drop, and letters that science needs.
    content = "computer group ring novel test shell state us mine well even one t d m c"
    assert words.isdisjoint(content.split())
    assert stop_words("porter") == words


def test_lists_are_those_of_the_package_folded():
    from stopwordsiso import stopwords

    german = stop_words("german")
    assert {"und", "dass", "für"} <= german
    assert "daß" not in german
    single = {word for word in stopwords("de") if word.isalpha()}
    assert set(fold(sorted(single))[0]) <= german


def test_stop_words_are_split_at_apostrophes_as_text_is():
    assert analyzer(language="french")("aujourd'hui l’homme") == ["homm"]


def test_a_language_without_a_list_has_no_stop_words():
    assert stop_words("tamil") == stop_words("none") == frozenset()


@pytest.mark.parametrize("language", [name for name in languages() if name != "none"])
@pytest.mark.parametrize("stopping", [True, False])
def test_the_core_reduces_words_as_python_does(language, stopping):
    """What it says nothing of, Python is asked for: words with letters beyond ASCII."""
    analyzer = Analyzer(AnalyzerSettings(language=language, stop_words=stopping))
    every = " ".join((*WORDS.values(), *stop_words("english"), "ing s ed 1990s x2")).split()
    texts = [" ".join(every[i : i + 50]) for i in range(0, len(every), 50)]
    found = []
    for stems in (None, analyzer.stems()):
        for threads in (1, 3):
            counter = _core.Counter(
                unicode_classes, threads=threads, digits_stay=analyzer.digits_stay, stems=stems
            )
            asked = counter.count([texts])
            assert stems is None or not any(w.isascii() and w.isalpha() for w in asked)
            counter.absorb(analyzer.terms(asked))
            terms, ends = counter.terms_since(0)
            rows = counter.drain()
            found.append((terms, ends.tolist(), {name: rows[name].tolist() for name in rows}))
    assert found[1:] == found[:-1]


def test_without_the_functions_of_the_library_python_reduces_words(monkeypatch):
    import Stemmer

    monkeypatch.setattr(Stemmer, "__file__", "/no/such/library.so")
    assert Analyzer().stems() is None
    assert Analyzer(mend=lambda words, stems: stems).stems() is None
    with pytest.raises(RuntimeError):
        _core.Stems("/no/such/library.so", "english", [])


def test_a_stemmer_that_there_is_not_is_refused():
    import Stemmer

    with pytest.raises(RuntimeError, match="no such stemmer"):
        _core.Stems(Stemmer.__file__, "klingon", [])
