"""Reports as Markdown, JSON and one HTML page."""
