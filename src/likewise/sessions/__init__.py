"""Sessions: a search as a conversation that is kept, and goes on where it was left.

`Session` is what users hold; `Index.session` makes one or continues it.
"""

from likewise.sessions.session import Session
from likewise.sessions.settings import Settings
from likewise.sessions.shown import Shown

__all__ = ["Session", "Settings", "Shown"]
