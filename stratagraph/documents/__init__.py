"""Documents: files, episodes and chats become texts with a reference time, and texts become chunks with offsets.

Here: discovering and reading document files, loading them into the landing file, cutting them into chunks, and staging a
node for each document. Not here: what a text says (extraction), and what is believed of it (temporal).
"""
