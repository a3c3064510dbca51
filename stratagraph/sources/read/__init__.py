"""Readers: each kind of source of tables, opened for one load. What is done with what they offer is `load_tables.py`."""
