"""Judgements in a database: who said what of which document, and when.

Nothing here knows an index: documents are ids. `ledger` says what events mean, `database` keeps
them, `agreement` compares reviewers, `files` are judgements outside a database.
"""
