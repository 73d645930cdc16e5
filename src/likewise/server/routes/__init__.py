"""The routes of the API, a module for each group: a request, one library call, an answer."""
