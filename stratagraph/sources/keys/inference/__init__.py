"""Foreign keys and row identities that nobody declared, read out of names and values. `infer.py` is where to start."""
