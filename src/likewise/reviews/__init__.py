"""Reviews: sessions of judging that are kept, and go on where they were left.

Here are sessions, their pages and judgements, the database behind them, and rules for stopping.
Ranking is in `feedback`; nothing here reads vectors. `Index.reviews` makes and finds sessions.
"""

from likewise.reviews.judgement import Judgement
from likewise.reviews.pages import ReviewPage
from likewise.reviews.preferences import Highlight
from likewise.reviews.protocol import Protocol, Team
from likewise.reviews.session import Session
from likewise.reviews.settings import Settings

__all__ = ["Highlight", "Judgement", "Protocol", "ReviewPage", "Session", "Settings", "Team"]
