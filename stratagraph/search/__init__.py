"""Search: how text is analysed, indexed and found. Light imports only, except in `build.py`, which belongs to the pipeline."""
