"""`likewise info`: what an index is and holds."""
