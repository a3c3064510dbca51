"""Readers of formats that are not plain text: bytes become Markdown-like text, a title and a date.

One module a format, pure functions of bytes. They run in a process of their own (`process.py`), which knows every limit of
memory; what a document is, where files come from and how they are dated is decided in `documents/read.py`.
"""
