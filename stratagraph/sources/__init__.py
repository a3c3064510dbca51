"""Relational and recorded sources: dlt to the landing file, foreign keys, rows to statements."""
