"""Formats of what sources hold: one module for each, which turns bytes into rows or records, and knows no source."""
