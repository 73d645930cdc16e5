"""One module a command, named as the command is: its options, its examples and one library call.

How things are printed is in `printing`, and what is computed is in the library.
"""
