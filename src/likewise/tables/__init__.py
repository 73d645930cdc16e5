"""The papers' tables, and tables of our own, as data plus one function over jobs each.

A study is a module with three functions: `jobs(seeds)` says what is to be measured, each job a
dict that JSON can hold; `run(job, data)` measures one and returns its numbers; `sections(results)`
makes tables of them. The rest is the same for all: running.py keeps every number in a file of
runs, averages.py refuses to compare what was not measured alike, reporting/ prints.
"""
