"""Find a topic's documents from a few of them: our methods beside other programs.

The experiment that `sample` and the studies of arXiv share. Data sets of a study stay with it.
"""
