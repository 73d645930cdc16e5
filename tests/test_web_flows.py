"""What somebody does from a file to a result, and the tests that do it in a browser.

Each of them looks at what is shown at the width of a desktop and of a phone, and has axe look, too:
`looks_well` does both.
"""

from __future__ import annotations

import importlib
import inspect

import pytest

FLOWS = {
    "drop a file, look at it, make a project, its page": (
        "projects.test_a_file_is_dropped_looked_at_and_searched"
    ),
    "rename and archive a project": "projects.test_a_project_is_renamed_and_archived",
    "delete a review and a project by name": (
        "projects.test_reviews_and_projects_are_deleted_by_name"
    ),
    "search": "access.test_axe_finds_nothing_serious",
    "saved searches and their feed": "news.test_a_saved_search_says_what_is_new",
    "duplicates": "duplicates.test_it_is_for_everybody",
    "begin with what is known: searched, pasted, of a file": (
        "judging.test_a_review_begins_with_all_that_is_known"
    ),
    "begin with labels of the records": "projects.test_a_review_begins_with_labels_of_the_file",
    "begin with a search's examples; rename, delete": (
        "reviews.test_a_review_begins_with_a_search_and_is_renamed_and_deleted"
    ),
    "what counts: question, criteria, reasons, tags": ("judging.test_what_counts_can_be_edited"),
    "judge a list": "access.test_axe_finds_nothing_serious",
    "judge one by one: why, reasons, notes, tags, undo": (
        "judging.test_one_by_one_with_reasons_notes_and_undo"
    ),
    "highlights; the keys, and to change them": "judging.test_highlights_and_keys_of_one_s_own",
    "undo, redo, history": "reviews.test_undo_and_redo",
    "judged records: filters, correction, history": (
        "teams.test_judged_records_are_found_and_corrected"
    ),
    "blinded reviewers, the team's settings": (
        "teams.test_what_is_hidden_and_what_is_said_about_it"
    ),
    "a conflict is seen by those who differ": "reviews.test_reviewers_who_differ",
    "a conflict is decided": "teams.test_a_conflict_is_decided",
    "a shared queue, and records that are assigned": "teams.test_who_is_shown_what",
    "whether to stop, and why": (
        "stopping.test_the_sentence_comes_first_and_its_reasons_when_asked"
    ),
    "a random sample": "stopping.test_a_random_sample_tells_what_it_would_and_is_drawn",
    "exports": "reviews.test_exports",
    "flow diagram, methods, archive, audit trail": "reviews.test_what_a_publication_needs",
    "records that come later": "news.test_a_review_marks_what_came",
    "on to full texts and back": "full_text.test_from_one_stage_to_the_other",
    "a PDF beside its record": ("full_text.test_a_pdf_beside_its_record_and_reasons_for_exclusion"),
    "a correction at full text": "full_text.test_a_correction_asks_for_its_reason",
    "several PDFs at once": "full_text.test_several_pdfs_find_their_records",
}


@pytest.mark.parametrize("flow", FLOWS)
def test_each_flow_is_looked_at_at_both_widths(flow):
    module, name = FLOWS[flow].split(".")
    test = getattr(importlib.import_module(f"test_web_{module}"), name)
    source = inspect.getsource(test)
    assert "looks_well(" in source or "remove(" in source  # which asks its question so
    if ", (size,))" in source:  # one width at a time: then both are parameters
        [sizes] = [mark.args[1] for mark in test.pytestmark if mark.name == "parametrize"]
        assert [width for width, _ in sizes] == [1280, 390]
