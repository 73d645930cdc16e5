"""Solvers: from a corpus and a loss to a query vector, counting passes over the corpus.

`problems` and `ranking` set up the problems; `bundle` solves any loss with cuts, `newton` any
smooth one, `descent` sums over documents where single rows can be read, `precise` SVM_pr by these,
`dual` those with few documents; `stopping` has the stopping rules. All use a corpus only by its
contract: vectors stay on its device, small matrices are on the host.
"""
