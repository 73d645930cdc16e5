"""Solvers: from a corpus and a loss to a query vector, counting passes over the corpus.

`methods` sets up the problems by name; `bundle` takes any loss with cuts, `newton` the squared
hinge, `dual` a few documents; `stopping` has the rules they are handed.
"""
