"""The landing file: how dlt is run. What is loaded belongs to `sources` and `documents`."""
