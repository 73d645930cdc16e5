"""Solvers: from a corpus and a loss to a query vector, counting passes over the corpus.

`problems` and `ranking` set the problems up; `bundle` takes any loss with cuts, `newton` any smooth
one, `dual` a few documents; `stopping` has the rules they are handed. All know a corpus by its
contract alone: vectors stay where its `arrays` have them, small matrices are on the host.
"""
