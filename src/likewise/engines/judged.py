"""What the core does, whatever the engine, for learners from documents judged one by one."""

from __future__ import annotations

from likewise._core import JudgedRows as JudgedRows
