"""Examples from one part of a collection, another part searched."""
