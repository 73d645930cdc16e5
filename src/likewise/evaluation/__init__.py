"""How good rankings are: measures, simulated reviews, and studies that become reports.

A study is a module that declares a VERSION and has three functions: `jobs(seeds)` says what is to
be measured, each job a dict that JSON can hold; `run(job, data)` measures one and returns its
numbers; `sections(results)` makes tables of them. runs.py keeps every number in a file, report/
compares only what was measured in the same way. The papers' studies are not part of this package:
they are a distribution of their own (studies.py).
"""
