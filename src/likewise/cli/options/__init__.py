"""Arguments and options that several commands share, each with its help text; no command is here.

A module that uses them does without `from __future__ import annotations`: typer reads them.
"""
