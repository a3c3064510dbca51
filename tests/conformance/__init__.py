"""Runs bitemporal test vectors against the library: `python -m tests.conformance DIR [FILES...]`.

A vector is a JSON file that tells a small story and its right answer; the format stands in the README beside the vectors.
Only the library's public ways are used: `commit`, `erase`, and the SQL macros and views.
"""
