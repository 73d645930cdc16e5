"""A hook of mkdocs: links to files outside docs/ become plain text, as the site has only docs/."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)\s]+\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    return _OUTSIDE.sub(r"\1", markdown)
