"""The papers' studies, each in a folder of its own: their tables measured anew, and our own."""
