"""Indexes for language models: tools of the Model Context Protocol (docs/mcp.md)."""
