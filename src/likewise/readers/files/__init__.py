"""Files of one document each, or of a few: papers, pages, slides, letters, notebooks.

Each module turns the bytes of a file into the values of a document, and raises an InputError for
what it cannot read. All of them run in a process of their own (readers/apart.py).
"""
