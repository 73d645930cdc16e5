"""Indexes in other libraries' pipelines, each in a module of its own, imported when asked for.

`langchain` and `llamaindex` have retrievers, `pyterrier` has transformers, `asreview` is an
extension of ASReview, `zotero` talks to a running Zotero; docs/adapters.md.
"""
