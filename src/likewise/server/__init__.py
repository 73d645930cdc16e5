"""The HTTP API and the server of the web page: one library call a route.

Only `likewise serve` imports it. No search, learning or storage is done here.
"""
