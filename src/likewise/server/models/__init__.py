"""Requests and answers as typed models with examples, one module for each group of routes.

They check single values; what needs an index is checked by the library.
"""
