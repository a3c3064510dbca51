"""Recorded sources: a series of dated whole versions, from its files to statements."""
