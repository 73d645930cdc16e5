"""Records of literature: as databases, reference managers and screening programs write them.

One module a format; each makes records with canonical names (fieldnames.py) of what it reads.
"""
