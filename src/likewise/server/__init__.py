"""The HTTP face: one library call a route. Imported only by whoever serves."""
