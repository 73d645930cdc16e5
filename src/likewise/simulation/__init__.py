"""Simulation: how soon a method would have found what is known to be relevant.

A `Collection` is an index and the label of every document in it; `replay` goes through it as a
reviewer would who answers with these labels, and gives a `Run`.
"""

from likewise.simulation.collection import Collection
from likewise.simulation.replay import Setting, replay
from likewise.simulation.run import Run

__all__ = ["Collection", "Run", "Setting", "replay"]
