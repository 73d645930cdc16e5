"""Several views of the same documents as one Corpus, and a view that is learned from the words."""

from likewise.views.stack import Stack, View, stack

__all__ = ["Stack", "View", "stack"]
