"""Query by multiple examples (Zhang & Lee 2009)."""
