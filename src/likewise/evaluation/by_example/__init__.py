"""The experiment of finding a topic's documents from a few of them, with other programs compared.

`sample` and the studies of arXiv share it. Data sets belong to the studies, not here.
"""
