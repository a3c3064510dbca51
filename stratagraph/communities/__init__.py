"""Communities of the current graph: found with Leiden, kept with two clocks, described by extractive reports."""
