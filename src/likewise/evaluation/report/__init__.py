"""Reports: tables and plots of results, as Markdown, JSON and HTML. Nothing is measured here."""
