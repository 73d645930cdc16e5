"""What is new: documents that came since somebody looked, and folders whose files are indexed."""

from likewise.watching.arrivals import Arrivals
from likewise.watching.watch import Look, Watch

__all__ = ["Arrivals", "Look", "Watch"]
