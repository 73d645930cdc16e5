"""From examples to a query, and from a query to hits, over one generation of an index.

What lives here knows an index' generation and any engine; only index_views changes an index, by
the store. It knows nothing of judgements, of the command line or of HTTP.
"""
