"""The routes of the API, one module for each group: a request in, one library call, an answer out."""
