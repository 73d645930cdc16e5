"""Search by example: show it documents, it finds the rest."""
