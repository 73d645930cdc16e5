"""From examples to a query, and from a query to hits, over one generation of an index.

Modules here use a generation and any engine. Only index_views changes an index, through the store.
They must not import feedback, reviews, the command line or the server.
"""
