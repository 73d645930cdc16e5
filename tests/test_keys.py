"""Terminal and page have the same keys for the same actions; reviewers may change theirs."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from likewise import Document, Index, UsageError
from likewise.cli import review_loop, screen
from likewise.reviews import Highlight
from likewise.reviews.keys import ACTIONS, USUAL, checked


def test_the_page_and_the_terminal_do_the_same_things():
    script = (files("likewise") / "web" / "js" / "review" / "judging.js").read_text()
    table = re.search(r"  keys = \{(.*?)\n  \};", script, re.DOTALL)
    of_the_page = {*re.findall(r"^    (\w+): \(", table[1], re.MULTILINE), "help"}
    assert of_the_page - {"digit"} == {*ACTIONS} - {"quit"}
    assert {*review_loop.ACTIONS} == {*ACTIONS} - {"quit"}
    assert {*screen.BRIEFLY} <= {*ACTIONS}


def test_no_two_actions_have_the_same_key():
    assert len(set(USUAL.values())) == len(USUAL)
    assert all(len(key) == 1 and not key.isdigit() for key in USUAL.values())


@pytest.mark.parametrize(
    ("own", "complaint"),
    [
        ({"relevant": "n"}, "would be for both 'relevant' and 'not'"),
        ({"relevant": "1"}, "digits choose reasons"),
        ({"relevant": "yes"}, "give one character"),
        ({"relevant": " "}, "give one character"),
        ({"dance": "d"}, "no action 'dance'"),
    ],
)
def test_keys_that_cannot_be(own, complaint):
    with pytest.raises(UsageError, match=complaint):
        checked(own)


def test_keys_and_highlights_are_a_reviewer_s_own(tmp_path):
    index = Index.create(tmp_path / "a.idx", latent=0)
    index.add([Document("a", "robots")])
    ann = index.session("one", reviewer="ann")
    assert ann.preferences.keys == USUAL
    assert ann.preferences.set_keys({"relevant": "i", "not": "e"})["not"] == "e"
    ann.preferences.highlight(["robot*", Highlight("ROBOT*", "blue"), " two   words "])
    again = Index.open(tmp_path / "a.idx").session("two", reviewer="ann").preferences
    assert (again.keys["relevant"], again.keys["unsure"]) == ("i", "u")
    assert again.highlights == ()  # of another session
    one = Index.open(tmp_path / "a.idx").session("one", reviewer="ann").preferences
    assert one.highlights == (Highlight("ROBOT*", "blue"), Highlight("two words", "yellow"))
    assert ann.as_reviewer("ben").preferences.keys == USUAL
    assert ann.as_reviewer("ben").preferences.highlights == ()
    one.set_keys({})
    assert ann.preferences.keys == USUAL
    with pytest.raises(UsageError, match="no colour 'mauve'"):
        one.highlight([Highlight("x", "mauve")])
    with pytest.raises(UsageError, match="cannot be highlighted"):
        one.highlight([" "])
